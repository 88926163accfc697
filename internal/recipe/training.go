package recipe

// Training has the settings of the training loop and of Adam, and the dropout of the model. Several
// tables of an experiment file embed these settings. Where a table has other defaults, the tag of
// the embedded field lists them.
type Training struct {
	// Epochs is the number of passes over the training set.
	Epochs int `json:"epochs" must:"from 1 to 10000"`
	// LR is Adam's learning rate.
	LR float64 `json:"lr" default:"0.001" must:"above 0 and at most 10"`
	// Beta1 is the decay of Adam's mean gradient.
	Beta1 float64 `json:"beta1" default:"0.5" must:"at least 0 and below 1"`
	// Warmup is the number of steps over which the learning rate rises linearly.
	Warmup int `json:"warmup" must:"0 or more"`
	// Decay is the share of the steps, at the end, over which the learning rate falls linearly to
	// 0.
	Decay float64 `json:"decay" must:"from 0 to 1"`
	// Clip is the largest norm of the whole gradient. 0: no clipping.
	Clip float64 `json:"clip" must:"0 or more"`
	// Dropout is the probability of dropout in training.
	Dropout float64 `json:"dropout" default:"0.3" must:"at least 0 and below 1"`
	// BatchTokens is the largest number of words in a batch. The sentences of a batch have equal
	// length.
	BatchTokens int `json:"batch_tokens" default:"3000" must:"1 or more"`
	// Patience is the number of epochs without a better dev loss after which training stops (0:
	// never). The best epoch's weights are kept.
	Patience int `json:"patience" must:"from 0 to 10000"`
	// Precision is the precision of matrix products: "fp32", "bf16" (autocast) or "auto"
	// (performance.md).
	Precision Precision `json:"precision" default:"fp32"`
}

// InPrecision returns the precision that a stage with these settings should use.
func (t Training) InPrecision() string { return string(t.Precision) }

// Precision is the number format of matrix products. Weights and everything else are float32.
type Precision string

// These are the precisions. The empty string means FP32.
const (
	FP32 Precision = "fp32"
	BF16 Precision = "bf16"
	Auto Precision = "auto" // a rule chooses the precision that is faster on the device
)

// Choices lists the values that an experiment file may contain.
func (Precision) Choices() []string { return Choices(FP32, BF16, Auto) }
