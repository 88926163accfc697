// Package doctor looks at the machine: which libtorch and which devices there are, whether small
// networks can be trained on them, what to set, and what a pretrained encoder costs here.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// doctor writes what it finds, and keeps what the advice depends on.
type doctor struct {
	w     io.Writer
	facts facts
	onCPU trial
}

// Examine writes which libtorch and which devices were found, trains a small LSTM and a small
// Transformer one step on each, measures matrix products, and says what to set. It says also what a
// pretrained encoder costs here, where a folder of one is given.
func Examine(ctx context.Context, w io.Writer, encoder string) error {
	var f *folder.Folder
	if encoder != "" { // before anything is measured
		var err error
		if f, err = folder.Open(encoder); err != nil {
			return err
		}
	}
	library, why := torch.LoadCUDA() // first of all: libtorch looks for CUDA once
	d := &doctor{w: w, facts: facts{
		library: library, libraryWhy: why, driver: torch.AskDriver(),
		cores: runtime.GOMAXPROCS(0), omp: os.Getenv("OMP_NUM_THREADS"),
	}}
	return torch.Run(func() error {
		defer func() { _ = torch.SetDevice(machine.CPU) }()
		d.facts.threads = torch.Threads()
		if why == "" && len(d.facts.driver.Devices) == 0 {
			d.facts.libtorchSays = torch.TryCUDA(0)
		}
		d.say("libtorch", "%s (%s)", torch.Version(), torch.LibtorchPath())
		d.say("CUDA", "%s", d.facts.cuda())
		for _, info := range torch.Devices() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := d.check(info); err != nil {
				return err
			}
		}
		for i, line := range d.facts.advice() {
			d.say(map[bool]string{true: "advice"}[i == 0], "%s", line)
		}
		d.say("WordNet", "%s", wordNetState())
		if f == nil {
			return nil
		}
		return d.encoder(ctx, f)
	})
}

// check tries one device out. A CPU that computes nothing sensible is an error; of a CUDA device it
// is said.
func (d *doctor) check(info torch.DeviceInfo) error {
	onCPU := info.Name == machine.CPU
	d.say(info.Name, "%s", d.describe(info))
	err := torch.SetDevice(info.Name)
	var t trial
	if err == nil {
		t, err = tryOut(onCPU)
	}
	if err == nil && !onCPU {
		err = t.agrees(d.onCPU)
	}
	switch {
	case err != nil && onCPU:
		return userr.New(userr.NoTorch, "a small network could not be trained on the CPU: %w; install "+
			"libtorch again with ./install-libtorch.sh", err)
	case err != nil:
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // SetDevice's reason, without its advice
		}
		d.say("", "nothing can be trained here: %s", err)
		return nil
	}
	d.say("", "forward, backward and Adam of a small LSTM in %s and of a small Transformer in %s: "+
		"good (gradient norms %.4f, %.4f)",
		seconds(t.lstm.took), seconds(t.transformer.took), t.lstm.norm, t.transformer.norm)
	if t.noBF16 == "" {
		d.say("", "matrix products: float32 %.3g, bfloat16 %.3g GFLOP/s", t.fp32, t.bf16)
	} else {
		d.say("", "matrix products: float32 %.3g GFLOP/s", t.fp32)
	}
	if onCPU {
		d.onCPU, d.facts.noBF16, d.facts.autoBF16 = t, t.noBF16, torch.FasterInBF16()
	} else {
		d.facts.usable = append(d.facts.usable, info)
	}
	return nil
}

func (d *doctor) say(head, format string, args ...any) {
	_, _ = fmt.Fprintf(d.w, "%-12s "+format+"\n", append([]any{head}, args...)...)
}

func (d *doctor) describe(info torch.DeviceInfo) string {
	text := info.Model
	if info.Name == machine.CPU {
		text += ", " + wording.Count(d.facts.threads, "thread")
	} else {
		text += ", compute capability " + info.Compute
	}
	if info.Memory > 0 {
		text += fmt.Sprintf(", %.1f GB", float64(info.Memory)/1e9)
	}
	return text + ", bfloat16 products in hardware: " + map[bool]string{true: "yes", false: "no"}[info.BF16]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2g s", d.Seconds()) }

// wordNetState says which WordNet METEOR will read.
func wordNetState() string {
	dir, ok := meteor.Find("")
	if !ok {
		return "not found, so METEOR is left out: install it (Debian: wordnet-base), or name its folder with " +
			"the key wordnet"
	}
	version, err := meteor.Version(dir)
	if err != nil {
		return err.Error()
	}
	return version + " in " + dir
}
