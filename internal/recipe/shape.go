package recipe

// The shapes of the models: what an experiment file says of each model's size and inputs. A model's
// Config holds its shape whole, as the settings of its stage do, so that a new field of a shape is
// set, stored beside the weights and exported without a copy of it anywhere. Fields stand in the
// order in which the axes of a sweep are drawn and shown.

// SMLMShape is the shape of SMLM, and of the encoder of SMLM-G.
type SMLMShape struct {
	Layers int `json:"layers" must:"from 1 to 16384"`
	Heads  int `json:"heads" must:"from 1 to 16384"`
	Dim    int `json:"dim" must:"from 1 to 16384"`
	FF     int `json:"ff" must:"from 1 to 16384"` // 2048 gives the paper's 45 million parameters
}

// ControlCodes says which tokens stand around the words in the encoder's input, and which position
// predicts which word.
type ControlCodes struct {
	SourceToken  bool `json:"source_token"`  // [src] beside [dst] in the input; false in the authors' code
	ClsToken     bool `json:"cls_token"`     // a token in front that the style head may read
	ShiftTargets bool `json:"shift_targets"` // <bos> in front, and every position predicts the next word
}

// DivLSTMShape is the shape of the Diversity-LSTM.
type DivLSTMShape struct {
	Embedding     int  `json:"embedding" must:"from 1 to 16384"`
	Hidden        int  `json:"hidden" must:"from 1 to 16384"`    // a direction
	Attention     int  `json:"attention" must:"from 1 to 16384"` // width of the additive attention
	Bidirectional bool `json:"bidirectional"`                    // the authors' code: true; Mohankumar et al.: false
}

// DivLSTMInputs says what enters the LSTM of the Diversity-LSTM beside the words' vectors.
type DivLSTMInputs struct {
	// Latent is width of a sampled latent vector between embedding and LSTM, 0 = none; 128 in the
	// authors' code
	Latent int `json:"latent" must:"from 0 to 16384"`
	// StartToken is <bos> before every sentence: attention on it is lost to the words, and n in the
	// threshold counts it
	StartToken bool `json:"start_token"`
}

// BiLSTMShape is the shape of the evaluation classifier.
type BiLSTMShape struct {
	Embedding int `json:"embedding" must:"from 1 to 16384"` // 300 in the authors' code
	Hidden    int `json:"hidden" must:"from 1 to 16384"`    // a direction; 512 in the authors' code
}

// FastTextShape is the shape of the bag of n-grams.
type FastTextShape struct {
	Dim     int `json:"dim" must:"from 1 to 16384"` // of a vector
	Ngrams  int `json:"ngrams" must:"1 or more"`    // longest run of words with a vector of its own, 1 = words only
	Buckets int `json:"buckets" must:"1 or more"`   // that runs of two words and more are hashed into
}

// CNNShape is the shape of the guide, and the share of words that it trains without.
type CNNShape struct {
	Embedding int `json:"embedding" must:"from 1 to 16384"`
	Filters   int `json:"filters" must:"from 1 to 16384"` // of each width; 100 in Kim 2014
	// Widths is words that a filter spans, a list; 3, 4 and 5 in Kim 2014
	Widths []int `json:"widths" must:"from 1 to 16384"`
	// WordDropout is the share of words that training reads as <unk>
	WordDropout float64 `json:"word_dropout" must:"at least 0 and below 1"`
}

// LMShape is the shape of the language model, and which words it knows.
type LMShape struct {
	Embedding int `json:"embedding" must:"from 1 to 16384"`
	Hidden    int `json:"hidden" must:"from 1 to 16384"` // width of a state
	Layers    int `json:"layers" must:"from 1 to 16384"` // LSTM layers
	// MinCount is words that the training text has less often are <unk>, in training and in scoring
	MinCount int `json:"min_count" must:"1 or more"`
	// UnkShare is rarest words that are <unk> beside those, until they are this share of the text
	UnkShare float64 `json:"unk_share" must:"at least 0 and below 1"`
	Tied     bool    `json:"tied"` // the vocabulary layer's weights are the words' vectors
}
