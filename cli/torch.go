package cli

import (
	"context"
	"io"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Torch is all that the commands need of libtorch. runs/stages implements it; the tests of this
// package have one that writes small files.
type Torch interface {
	// StageFuncs returns the function of every kind of stage.
	StageFuncs() map[stage.Kind]stage.Func
	// CheckMachine says whether the CUDA device that a name asks for can be used ("auto" and "cpu"
	// always can) and whether it multiplies in these precisions (userr.NoTorch).
	CheckMachine(devices string, precisions []string) error
	// OpenTransfer loads trained models that mask and rewrite sentences of one style.
	OpenTransfer(ctx context.Context, r stages.TransferRequest) (stages.TransferSession, error)
	// OpenExplain loads trained Diversity-LSTMs that score the words of sentences.
	OpenExplain(ctx context.Context, r stages.ExplainRequest) (stages.ExplainSession, error)
	// Classify returns the style, 0 or 1, that a trained evaluation classifier sees in each
	// sentence.
	Classify(ctx context.Context, r stages.JudgeRequest) ([]int, error)
	// Fluency returns what a trained language model makes of each sentence.
	Fluency(ctx context.Context, r stages.JudgeRequest) (*metrics.Fluency, error)
	// Doctor writes what libtorch and which devices were found, tries each, and says in words what
	// to set. Its error has code userr.NoTorch where nothing can be trained here.
	Doctor(ctx context.Context, w io.Writer) error
}

// NeedTorch returns the Torch, or says how to get one.
func (e *Env) NeedTorch() (Torch, error) {
	if e.Torch == nil {
		return nil, userr.New(userr.NoTorch,
			"this smlm-exp was built without libtorch: run ./install-libtorch.sh and `make build`")
	}
	return e.Torch, nil
}
