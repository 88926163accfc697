package runs

// Settings is everything one point of a sweep needs, every scalar resolved. In the experiment file any scalar
// may be written as a list, which makes it a sweep axis; fields that are lists here stay lists.
// The toml tag is the key a user writes, the json tag the key in stage.json: they are always the same.
// Where the paper (Narasimhan et al.) gives a value it is the default; where it is silent the comment says whose value it is.
type Settings struct {
	Vocab      VocabSettings      `toml:"vocab" json:"vocab"`
	Classifier ClassifierSettings `toml:"classifier" json:"classifier"`
	DivLSTM    DivLSTMSettings    `toml:"divlstm" json:"divlstm"`
	Masking    MaskingSettings    `toml:"masking" json:"masking"`
	SMLM       SMLMSettings       `toml:"smlm" json:"smlm"`
	Decoder    DecoderSettings    `toml:"decoder" json:"decoder"`
	Finetune   FinetuneSettings   `toml:"finetune" json:"finetune"`
	Report     ReportSettings     `toml:"report" json:"report"`
}

// DatasetSettings names one data set: [datasets.NAME].
type DatasetSettings struct {
	Dir         string   `toml:"dir" json:"dir,omitempty"`                 // folder with {train,dev,test}.{0,1}.txt and reference.{0,1}.txt, relative to the experiment file
	Builtin     string   `toml:"builtin" json:"builtin,omitempty"`         // "demo": the embedded corpus; exclusive with Dir
	Labels      []string `toml:"labels" json:"labels,omitempty"`           // names of styles 0 and 1; default ["0", "1"] (demo: its own)
	MaxTrain    int      `toml:"max_train" json:"max_train,omitempty"`     // training sentences a style, 0 = all; a seeded sample, the order of the file kept
	Outputs     string   `toml:"outputs" json:"outputs,omitempty"`         // folder of published systems: NAME.{0,1}.txt become rows
	Naturalness string   `toml:"naturalness" json:"naturalness,omitempty"` // unigram weights file; "" = a classifier trained on the spot
}

// VocabSettings sizes the vocabulary.
type VocabSettings struct {
	Size int `toml:"size" json:"size"` // most frequent training words kept beside the special tokens; 25,000 in the authors' code
}

// TrainSettings are the knobs every trained model has.
type TrainSettings struct {
	Epochs      int     `toml:"epochs" json:"epochs"`
	LR          float64 `toml:"lr" json:"lr"`                     // Adam's learning rate; 1e-3 in the authors' code
	Beta1       float64 `toml:"beta1" json:"beta1"`               // Adam; 0.5 in the authors' code
	Beta2       float64 `toml:"beta2" json:"beta2"`               // Adam; 0.999
	Warmup      int     `toml:"warmup" json:"warmup"`             // steps of linear learning-rate warm-up, 0 = none
	Clip        float64 `toml:"clip" json:"clip"`                 // global gradient norm, 0 = no clipping
	Dropout     float64 `toml:"dropout" json:"dropout"`           // 0.3 in the authors' code
	BatchTokens int     `toml:"batch_tokens" json:"batch_tokens"` // words a batch of equal-length sentences holds at most
	Patience    int     `toml:"patience" json:"patience"`         // epochs without a better dev loss before training stops, 0 = never; the best epoch is kept
	Precision   string  `toml:"precision" json:"precision"`       // "fp32", "bf16" (autocast), "auto" (bf16 where the CPU has avx512_bf16 or AMX)
}

// ClassifierSettings shape the Bi-LSTM that measures TST%. It never trains, selects or ranks a transfer model.
type ClassifierSettings struct {
	TrainSettings
	Embedding int `toml:"embedding" json:"embedding"` // 300 in the authors' code
	Hidden    int `toml:"hidden" json:"hidden"`       // a direction; 512 in the authors' code
}

// DivLSTMSettings shape the Diversity-LSTM (Mohankumar et al. 2020).
type DivLSTMSettings struct {
	TrainSettings
	LambdaCon     float64 `toml:"lambda_con" json:"lambda_con"` // weight of conicity; the paper: 10, Amazon 20
	Embedding     int     `toml:"embedding" json:"embedding"`
	Hidden        int     `toml:"hidden" json:"hidden"`               // a direction
	Attention     int     `toml:"attention" json:"attention"`         // width of the additive attention
	Bidirectional bool    `toml:"bidirectional" json:"bidirectional"` // the authors' code: true; Mohankumar et al.: false
	Reduction     string  `toml:"reduction" json:"reduction"`         // cross-entropy over a batch: "mean" or "sum" (the authors' code); conicity is always a mean
}

// MaskingSettings choose the words to mask.
type MaskingSettings struct {
	Methods   []string `toml:"methods" json:"methods"`       // explainable_attention, vanilla_attention (lambda_con = 0), random (equal share)
	TrainOn   []string `toml:"train_on" json:"train_on"`     // those of methods whose masks the models are trained on; the rest are only scored
	LambdaEps float64  `toml:"lambda_eps" json:"lambda_eps"` // threshold (1 + lambda_eps) / n; the paper: 0.15, SNLI 0.5
}

// SMLMSettings shape the Transformer encoder of SMLM, and the encoder of SMLM-G.
type SMLMSettings struct {
	TrainSettings
	Models       []string `toml:"models" json:"models"` // smlm, smlm-g, smlm-ft
	Layers       int      `toml:"layers" json:"layers"`
	Heads        int      `toml:"heads" json:"heads"`
	Dim          int      `toml:"dim" json:"dim"`
	FF           int      `toml:"ff" json:"ff"`                       // 2048 gives the paper's 45 million parameters
	Loss         string   `toml:"loss" json:"loss"`                   // "all" positions (the paper's equation) or "masked" positions only
	CopyUnmasked bool     `toml:"copy_unmasked" json:"copy_unmasked"` // write the source word at every position that was not masked
}

// DecoderSettings shape the autoregressive decoder of SMLM-G; dim, heads, ff, dropout are the encoder's.
type DecoderSettings struct {
	TrainSettings
	Layers   int `toml:"layers" json:"layers"`
	MaxExtra int `toml:"max_extra" json:"max_extra"` // words an output may be longer than its source
}

// FinetuneSettings are those of SMLM-FT (the paper, section "Fine-tuning for TST").
type FinetuneSettings struct {
	TrainSettings
	LambdaSta float64 `toml:"lambda_sta" json:"lambda_sta"` // weight of the style term; the paper: 1
	LambdaRec float64 `toml:"lambda_rec" json:"lambda_rec"` // weight of same-style reconstruction; 0 = the paper's text, which collapses to one word
	MaxSteps  int     `toml:"max_steps" json:"max_steps"`   // stop after this many steps, 0 = whole epochs
}

// ReportSettings choose what is written at the end.
type ReportSettings struct {
	Tables   []string `toml:"tables" json:"tables"`     // results, datasets, classifier, divlstm, masking, examples
	Examples int      `toml:"examples" json:"examples"` // examples a direction
}

// DefaultSettings returns the paper's values, or the authors' code's where the paper is silent.
func DefaultSettings() Settings {
	train := TrainSettings{LR: 1e-3, Beta1: 0.5, Beta2: 0.999, Dropout: 0.3, BatchTokens: 3000, Precision: "fp32"}
	with := func(epochs int, edit func(*TrainSettings)) TrainSettings {
		t := train
		t.Epochs = epochs
		if edit != nil {
			edit(&t)
		}
		return t
	}
	return Settings{
		Vocab:      VocabSettings{Size: 25000},
		Classifier: ClassifierSettings{TrainSettings: with(5, nil), Embedding: 300, Hidden: 512},
		DivLSTM: DivLSTMSettings{
			TrainSettings: with(5, nil), LambdaCon: 10, Embedding: 300, Hidden: 512,
			Attention: 512, Bidirectional: true, Reduction: "mean",
		},
		Masking: MaskingSettings{
			Methods: []string{"explainable_attention"}, TrainOn: []string{"explainable_attention"},
			LambdaEps: 0.15,
		},
		SMLM: SMLMSettings{
			TrainSettings: with(15, nil), Models: []string{"smlm", "smlm-g", "smlm-ft"},
			Layers: 2, Heads: 8, Dim: 512, FF: 2048, Loss: "all",
		},
		Decoder: DecoderSettings{TrainSettings: with(15, nil), Layers: 2, MaxExtra: 10},
		Finetune: FinetuneSettings{
			TrainSettings: with(1, func(t *TrainSettings) { t.Clip = 1e-3 }),
			LambdaSta:     1, LambdaRec: 10,
		},
		Report: ReportSettings{Tables: []string{"results", "datasets", "classifier", "divlstm", "masking", "examples"}, Examples: 10},
	}
}
