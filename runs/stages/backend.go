package stages

import (
	"context"
	"runtime"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Backend runs stages and uses trained models for the commands. The type Torch does so with
// libtorch. Tests use a backend that writes small files instead.
type Backend interface {
	// Run runs a stage. It returns ctx.Err() soon after ctx ends.
	Run(ctx context.Context, job *stage.Job) error
	// CheckMachine checks that the named CUDA device can be used and supports these precisions. The
	// names "auto" and "cpu" can always be used. The error is of kind userr.NoTorch.
	CheckMachine(devices string, precisions []string) error
	// OpenTransfer loads trained models that mask and rewrite sentences of one style.
	OpenTransfer(ctx context.Context, r TransferRequest) (TransferSession, error)
	// OpenExplain loads trained Diversity-LSTMs that score the words of sentences.
	OpenExplain(ctx context.Context, r ExplainRequest) (ExplainSession, error)
}

// Torch is the Backend that uses libtorch.
type Torch struct{}

// Run implements Backend.
func (Torch) Run(ctx context.Context, job *stage.Job) error { return Run(ctx, job) }

func onThreads(devices string, threads int, fn func() error) error {
	return torch.Run(func() error {
		if err := torch.SetDevice(devices); err != nil {
			return err
		}
		if threads > 0 {
			torch.SetThreads(min(threads, runtime.NumCPU()))
		}
		return fn()
	})
}

// CheckMachine implements Backend. It does not look for a CUDA device if devices is "auto" and no
// precision requires one.
func (Torch) CheckMachine(devices string, precisions []string) error {
	bf16 := slices.Contains(precisions, "bf16")
	if c, err := machine.ParseDevice(devices); err == nil && c.Auto && !bf16 {
		return nil
	}
	return torch.Run(func() error {
		if err := torch.SetDevice(devices); err != nil || !bf16 {
			return err
		}
		if why := torch.WhyNoBF16(); why != "" {
			return userr.New(userr.NoTorch,
				`precision is "bf16", but %s: unset that, or set precision to "auto", which then uses fp32`, why)
		}
		return nil
	})
}
