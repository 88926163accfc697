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
	Devices     string     // as in Job
	Emit        func(i int, masked, output []string) error
}

// JudgeName is what signatures call the evaluation classifier of a stage's identity.
func JudgeName(id string) string { return "bi-lstm:" + id[:min(8, len(id))] }

// JudgeRequest names a trained network that judges sentences, the evaluation classifier or the language model, and the sentences.
type JudgeRequest struct {
	ID        string     // of its stage
	Dir       string     // its stage folder
	VocabDir  string     // the vocabulary it was trained with, a stage folder
	Sentences [][]string // none empty
	Threads   int        // 0 = all cores
	Devices   string     // as in Job; "" = "auto"
}
