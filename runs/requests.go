package runs

import (
	"context"

	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// TransferRequest names trained models that rewrite sentences. Folders are stage folders of a
// workspace.
type TransferRequest struct {
	ModelDir    string // of smlm, smlm-g or smlm-ft
	VocabDir    string
	DivLSTMDir  string // scores the words
	Attribution kind.AttributionSettings
	Mask        kind.MaskSettings
	Settings    kind.TransferSettings
	From, To    int    // styles
	Threads     int    // 0 = all cores
	Devices     string // as in Job
}

// TransferSession is the models of a TransferRequest, loaded.
type TransferSession interface {
	// Rewrite returns tokenised sentences, none empty, with masks in the places of style words, and
	// rewritten; both in the order given. After an error it may be called again. Calls must not
	// overlap.
	Rewrite(ctx context.Context, sentences [][]string) (masked, outputs [][]string, err error)
	// Close gives the models' memory back.
	Close()
}

// JudgeName is what signatures call the evaluation classifier of a stage's identity.
func JudgeName(id string) string { return "bi-lstm:" + id[:min(8, len(id))] }

// JudgeRequest names a trained network that judges sentences, the evaluation classifier or the
// language model, and the sentences.
type JudgeRequest struct {
	ID        string     // of its stage
	Dir       string     // its stage folder
	VocabDir  string     // the vocabulary it was trained with, a stage folder
	Sentences [][]string // none empty
	Threads   int        // 0 = all cores
	Devices   string     // as in Job; "" = "auto"
}
