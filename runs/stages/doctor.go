package stages

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
)

// Doctor writes what libtorch and which devices were found, tries a small LSTM forward and backward, and says what to set.
func (Torch) Doctor(_ context.Context, w io.Writer) error {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	return torch.Run(func() error {
		say("libtorch     %s (%s)", torch.Version(), libtorchPath())
		say("CPU          %s, %d threads, bfloat16 products in hardware: %s", torch.CPUCapability(), torch.Threads(), yes(torch.HasBF16()))
		if torch.Threads() < runtime.NumCPU() {
			say("             %d of %d cores are used: unset OMP_NUM_THREADS or set threads in the experiment file", torch.Threads(), runtime.NumCPU())
		}
		say("CUDA         %s", cudaState())
		norm, err := tryOut()
		if err != nil {
			return userr.New(userr.NoTorch, "a small LSTM could not be trained on the CPU: %w; install libtorch again with ./install-libtorch.sh", err)
		}
		say("try-out      an LSTM went forward and backward on the CPU, gradient norm %.4f: good", norm)
		if torch.HasBF16() {
			say("advice       precision = \"auto\" uses bfloat16 here")
		} else {
			say("advice       leave precision at \"fp32\": bfloat16 is slower on this CPU")
		}
		say("WordNet      %s", wordNetState())
		return nil
	})
}

// wordNetState says which WordNet METEOR will read.
func wordNetState() string {
	dir, ok := meteor.Find("")
	if !ok {
		return "not found, so METEOR is left out: install it (Debian: wordnet-base) or name its folder with the key wordnet"
	}
	version, err := meteor.Version(dir)
	if err != nil {
		return err.Error()
	}
	return version + " in " + dir
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// libtorchPath returns the file this process has loaded libtorch from.
func libtorchPath() string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return "path unknown"
	}
	return mappedFile(string(maps), "libtorch_cpu.so")
}

func cudaState() string {
	cuda := filepath.Join(filepath.Dir(libtorchPath()), "libtorch_cuda.so")
	if _, err := os.Stat(cuda); err != nil {
		return "this libtorch has no CUDA; training runs on the CPU"
	}
	if ok, why := torch.OpenCUDA(cuda); !ok {
		return "libtorch_cuda does not load: " + why
	}
	return "libtorch_cuda loads; training still runs on the CPU in this version"
}

// tryOut runs a small LSTM forward and backward and returns the norm of its gradient.
func tryOut() (norm float64, err error) {
	err = torch.Scoped(func() error {
		torch.Seed(1)
		p := nn.NewParams()
		defer p.Free()
		lstm := nn.NewLSTM(p, "lstm", 8, 16, true)
		states, _ := lstm.Forward(torch.Randn(4, 6, 8), true)
		states.Mul(states).Mean().Backward()
		opt := nn.NewAdam(p, 1e-3, 0.9, 0.999, 0, 0)
		defer opt.Free()
		norm, err = opt.Step(1)
		if err == nil && (norm == 0 || math.IsNaN(norm)) {
			err = fmt.Errorf("its gradient norm is %v", norm)
		}
		return err
	})
	return norm, err
}
