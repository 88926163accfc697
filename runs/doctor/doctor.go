// Package doctor reports what the machine has, one line each: libtorch, devices and their
// precision, optional programs and data, memory, and the workspace.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
)

// Examine writes one line for each fact about the machine. dir is the folder of a workspace, which
// need not exist.
func Examine(w io.Writer, dir string) error {
	say := func(head, text string) { _, _ = fmt.Fprintf(w, "%-10s %s\n", head, text) }
	library, why := torch.LoadCUDA() // must come first: libtorch looks for CUDA only once
	return torch.Run(func() error {
		defer func() { _ = torch.SetDevice(machine.CPU) }()
		say("libtorch", fmt.Sprintf("%s (%s)", torch.Version(), torch.LibtorchPath()))
		say("CUDA", cuda(library, why, torch.AskDriver()))
		for _, info := range torch.Devices() {
			say(info.Name, describe(info))
		}
		say("WordNet", wordNet())
		say("Slurm", slurm())
		say("memory", memory())
		say("workspace", folder(dir))
		return nil
	})
}

// cuda reports whether libtorch and NVIDIA's driver can use a GPU.
func cuda(library, why string, driver torch.Driver) string {
	text := cmp.Or(why, "libtorch_cuda loads ("+library+")")
	switch {
	case driver.CUDA == "":
		return text + "; " + driver.Why
	case driver.Why != "":
		return text + "; " + driver.Why + ", the driver supports CUDA " + driver.CUDA
	}
	return text + "; the NVIDIA driver supports CUDA " + driver.CUDA
}

// describe returns what a device is and what precision = "auto" means on it, or why the device
// cannot be used.
func describe(info torch.DeviceInfo) string {
	text := info.Model
	if info.Name == machine.CPU {
		text += fmt.Sprintf(", %s, %s of libtorch", wording.Count(runtime.GOMAXPROCS(0), "core"),
			wording.Count(torch.Threads(), "thread"))
		if n := os.Getenv("OMP_NUM_THREADS"); n != "" {
			text += " (OMP_NUM_THREADS=" + n + ")"
		}
	} else {
		text += ", compute capability " + info.Compute
	}
	if info.Memory > 0 {
		text += fmt.Sprintf(", %.1f GB", float64(info.Memory)/1e9)
	}
	if err := torch.SetDevice(info.Name); err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // the reason, without the advice to run doctor
		}
		return text + ", cannot be used: " + err.Error()
	}
	if torch.FasterInBF16() {
		return text + `, precision = "auto" is bfloat16`
	}
	text += `, precision = "auto" is float32`
	if why := torch.WhyNoBF16(); why != "" {
		text += `, "bf16" is refused: ` + why
	}
	return text
}

// wordNet reports which version of WordNet was found for the metric METEOR, and where.
func wordNet() string {
	dir, ok := meteor.Find("")
	if !ok {
		return "not found, so METEOR is left out: install it (Debian: wordnet-base), or name its folder with the key wordnet"
	}
	version, err := meteor.Version(dir)
	if err != nil {
		return err.Error()
	}
	return version + " in " + dir
}

func slurm() string {
	path, err := exec.LookPath("sbatch")
	if err != nil {
		return "there is no sbatch: --executor slurm does not work here"
	}
	return path
}

func memory() string {
	if free, ok := machine.FreeMemory(); ok {
		return wording.Bytes(free) + " available"
	}
	return "not known"
}

// folder reports whether a workspace's folder can be written, and how much space its disk has.
func folder(dir string) string {
	text, at := fmt.Sprintf("%q", dir), dir
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		text, at = text+" does not exist yet; the folder for it", "."
	}
	f, err := os.CreateTemp(at, ".doctor-")
	if err != nil {
		return fmt.Sprintf("%s cannot be written: %v", text, files.Cause(err))
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	text += " can be written"
	var disk syscall.Statfs_t
	if syscall.Statfs(at, &disk) == nil {
		text += ", " + wording.Bytes(int64(disk.Bavail)*int64(disk.Bsize)) + " free"
	}
	return text
}
