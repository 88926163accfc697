package recipe

// This file defines the shapes of the models: the settings for the sizes of the layers and the form
// of the inputs. A model's Config and the settings of its stage embed the whole shape. So a new
// field needs no further code to be set and to be stored with the weights.
//
// Give a new field the tag omitempty, and choose its zero value so that older models stay as they
// are. Then older models are found again under the same hash of their settings, and can still be
// exported. A model with a nonzero value cannot be exported until the PyTorch scripts
// (runs/rewrite/pytorch) know the field.
//
// docs/settings.md lists the keys in the order of the fields. The tags are explained at
// experiment.Settings.

// SMLMShape is the shape of SMLM, and of the encoder of SMLM-G.
type SMLMShape struct {
	// Layers is the number of Transformer layers.
	Layers int `json:"layers" default:"2" must:"from 1 to 16384"`
	// Heads is the number of attention heads.
	Heads int `json:"heads" default:"8" must:"from 1 to 16384"`
	// Dim is the width of a word's vector and of every state.
	Dim int `json:"dim" default:"512" must:"from 1 to 16384"`
	// FF is the width of the feed-forward layers.
	FF int `json:"ff" default:"2048" must:"from 1 to 16384"`
}

// ControlCodes says which tokens follow the words in the encoder's input.
type ControlCodes struct {
	// SourceToken puts [src], the source style, in the input before [dst], the target style. In
	// training both styles are equal, so the model may learn to follow [src] instead of [dst].
	// Before fine-tuning, transfer is far better without [src] (decision 009).
	SourceToken bool `json:"source_token" default:"true"`
}

// DivLSTMShape is the shape of the Diversity-LSTM.
type DivLSTMShape struct {
	// Embedding is the width of a word's vector.
	Embedding int `json:"embedding" default:"300" must:"from 1 to 16384"`
	// Hidden is the width of a state in each direction.
	Hidden int `json:"hidden" default:"512" must:"from 1 to 16384"`
	// Attention is the width of the additive attention.
	Attention int `json:"attention" default:"512" must:"from 1 to 16384"`
	// Bidirectional reads sentences in both directions, as the authors' code does. Mohankumar et
	// al. do not.
	Bidirectional bool `json:"bidirectional" default:"true"`
}

// BiLSTMShape is the shape of the evaluation classifier.
type BiLSTMShape struct {
	// Embedding is the width of a word's vector.
	Embedding int `json:"embedding" default:"300" must:"from 1 to 16384"`
	// Hidden is the width of a state in each direction.
	Hidden int `json:"hidden" default:"512" must:"from 1 to 16384"`
}

// FastTextShape is the shape of a fastText classifier, which sees a sentence as a bag of n-grams.
type FastTextShape struct {
	// Dim is the width of a vector.
	Dim int `json:"dim" default:"100" must:"from 1 to 16384"`
	// Ngrams is the largest number of adjacent words that share one vector. 1: single words only.
	Ngrams int `json:"ngrams" default:"2" must:"1 or more"`
	// Buckets is the number of vectors for n-grams of two or more words. A hash chooses the vector
	// of an n-gram.
	Buckets int `json:"buckets" default:"200000" must:"from 1 to 20000000"`
}

// CNNShape is the shape of two convolutional networks over words, including their word dropout: the
// guide, which judges edits in guided decoding, and the classifier that computes the metric TST%
// unseen.
type CNNShape struct {
	// Embedding is the width of a word's vector.
	Embedding int `json:"embedding" default:"100" must:"from 1 to 16384"`
	// Filters is the number of filters of each width. Kim 2014 has 100.
	Filters int `json:"filters" default:"100" must:"from 1 to 16384"`
	// Widths are the widths of the filters in words. Kim 2014 has 3, 4 and 5.
	Widths []int `json:"widths" default:"1 2 3 4"`
	// WordDropout is the share of words that training replaces by <unk>.
	WordDropout float64 `json:"word_dropout" default:"0.1" must:"at least 0 and below 1"`
}

// LMShape is the shape of the language model.
type LMShape struct {
	// Embedding is the width of a word's vector.
	Embedding int `json:"embedding" default:"128" must:"from 1 to 16384"`
	// Hidden is the width of a state.
	Hidden int `json:"hidden" default:"256" must:"from 1 to 16384"`
}

// PretrainedShape has the settings of a pretrained encoder that SMLMShape lacks. They come from
// config.json in the encoder's folder, never from an experiment file.
type PretrainedShape struct {
	// Embedding is the width of a word's vector, which is Dim in every BERT.
	Embedding int `json:"embedding"`
	// Positions is the largest number of tokens in a sentence.
	Positions int `json:"positions"`
	// Activation is the function in the feed-forward layers and in the head: always GELU.
	Activation string `json:"activation"`
	// Eps is added to the variance in a layer norm.
	Eps float64 `json:"eps"`
}

// GELU is the only activation of a pretrained encoder (Hendrycks and Gimpel 2016).
const GELU = "gelu"
