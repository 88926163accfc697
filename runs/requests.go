package runs

// TransferRequest names trained models and sentences to rewrite. Folders are stage folders of a workspace.
type TransferRequest struct {
	Model       Kind   // KindSMLM, KindSMLMG or KindSMLMFT
	ModelDir    string // its stage folder
	VocabDir    string
	DivLSTMDir  string // scores the words
	Attribution AttributionStage
	Mask        MaskStage
	Settings    TransferStage
	From, To    int        // styles
	Sentences   [][]string // tokenised, none empty
	Threads     int        // 0 = all cores
	Emit        func(i int, masked, output []string) error
}

// ClassifyRequest names a trained evaluation classifier and the sentences.
type ClassifyRequest struct {
	ClassifierDir string     // a stage folder
	VocabDir      string     // the vocabulary it was trained with, a stage folder
	Sentences     [][]string // none empty
	Threads       int        // 0 = all cores
}
