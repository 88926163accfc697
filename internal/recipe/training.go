package recipe

// Training is how a model is trained: what the training loop and Adam take, and the dropout that a
// model reads.
type Training struct {
	// Epochs is passes over the training set, at most 10,000
	Epochs int     `json:"epochs" must:"from 1 to 10000"`
	LR     float64 `json:"lr" must:"above 0 and at most 10"`    // Adam's learning rate, at most 10
	Beta1  float64 `json:"beta1" must:"at least 0 and below 1"` // Adam's decay of the mean gradient
	Beta2  float64 `json:"beta2" must:"at least 0 and below 1"` // Adam's decay of the mean squared gradient
	Warmup int     `json:"warmup" must:"0 or more"`             // steps of linear learning-rate warm-up, 0 = none
	// Decay is the last share of the steps, in which the learning rate falls to 0 in a straight
	// line; 0 = it stays
	Decay float64 `json:"decay,omitempty" must:"from 0 to 1"`
	Clip  float64 `json:"clip" must:"0 or more"` // global gradient norm, 0 = no clipping
	// Dropout is probability of dropout, in training
	Dropout     float64 `json:"dropout" must:"at least 0 and below 1"`
	BatchTokens int     `json:"batch_tokens" must:"1 or more"` // words a batch of equal-length sentences holds at most
	// Accumulate is batches whose gradients are averaged for one step of Adam, for large batches in
	// little memory; 0 = every batch is a step
	Accumulate int `json:"accumulate,omitempty" must:"from 0 to 10000"`
	// Patience is epochs without a better dev loss before training stops, 0 = never; the best epoch
	// is kept
	Patience int `json:"patience" must:"from 0 to 10000"`
	// Precision is "fp32", "bf16" (autocast), "auto" (on a CPU whichever was measured to be faster
	// at the model's layers; on a GPU of compute capability 8.0 or newer bf16)
	Precision Precision `json:"precision"`
}

// InPrecision returns the precision: what a stage whose settings these are in is asked for.
func (t Training) InPrecision() string { return string(t.Precision) }

// Precision is what matrix products are made in; weights and everything else are float32.
type Precision string

// The precisions; "" is FP32.
const (
	FP32 Precision = "fp32"
	BF16 Precision = "bf16"
	Auto Precision = "auto" // whichever is faster on the device; a training is given what that comes to
)

// Measured says why Auto came to a precision.
type Measured struct {
	// Seconds of one step of the model's layers, on a batch of at most so many words as are
	// measured; 0 where nothing had to be measured.
	FP32 float64 `json:"fp32_seconds,omitempty"`
	BF16 float64 `json:"bf16_seconds,omitempty"`
	Why  string  `json:"why"`
}

// Choices lists the values that a file may give.
func (Precision) Choices() []string { return Choices(FP32, BF16, Auto) }

// Choices returns a type's values as plain strings.
func Choices[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
