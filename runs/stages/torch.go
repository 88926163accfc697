package stages

import (
	"context"
	"io"
	"runtime"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/doctor"
)

// Torch is everything the commands need of libtorch.
type Torch struct{}

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

// CheckMachine says whether the device that was asked for can be used, and multiplies in the
// precisions asked for. It does not look for a CUDA device where "auto" may be content with the CPU
// and no precision is asked for by name.
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
				`precision is "bf16", but %s: unset that, or set precision to "auto", which does without`, why)
		}
		return nil
	})
}

// Doctor writes what the machine can do: see doctor.Examine.
func (Torch) Doctor(ctx context.Context, w io.Writer) error { return doctor.Examine(ctx, w) }
