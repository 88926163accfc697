package doctor

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// facts are what doctor's advice depends on.
type facts struct {
	library, libraryWhy string // of libtorch_cuda: its path, and why it cannot be used
	driver              torch.Driver
	libtorchSays        string             // why there is no device
	usable              []torch.DeviceInfo // CUDA devices on which a network was trained
	autoBF16            bool               // precision = "auto" is bfloat16 on the CPU
	noBF16              string             // why the CPU has no bfloat16 product, where it has none
	threads, cores      int
	omp                 string // OMP_NUM_THREADS
}

// cuda says what stands between this program and CUDA devices.
func (f *facts) cuda() string {
	driver := f.driver.Why
	if driver == "" {
		driver = "the NVIDIA driver supports CUDA " + f.driver.CUDA
	} else if f.driver.CUDA != "" {
		driver += ", the driver supports CUDA " + f.driver.CUDA
	}
	if f.libraryWhy != "" {
		return f.libraryWhy + "; " + driver
	}
	text := fmt.Sprintf("libtorch_cuda loads (%s); %s", f.library, driver)
	if f.libtorchSays != "" {
		text += "; libtorch says: " + f.libtorchSays
	}
	return text
}

// advice says what to set, a line each.
func (f *facts) advice() []string {
	return []string{f.adviseDevices(), f.advisePrecision(), f.adviseThreads()}
}

func (f *facts) adviseDevices() string {
	const onCPU = `devices = "auto" uses the CPU`
	there := len(f.driver.Devices)
	switch {
	case len(f.usable) > 0 && f.usable[0].Name != machine.CUDAName(0):
		return fmt.Sprintf(`set devices = %q: "auto" tries only cuda:0, which does not work`, f.usable[0].Name)
	case len(f.usable) > 1:
		return `devices = "auto" uses cuda:0; for another one give its name, such as --devices ` + f.usable[1].Name
	case len(f.usable) == 1:
		return `devices = "auto" uses cuda:0`
	case there > 0 && f.library == "":
		return onCPU + ` although there is a GPU, because this libtorch has no CUDA: see docs/install.md, "On a ` +
			`GPU machine"`
	case there > 0 && f.libraryWhy != "":
		return onCPU + " although there is a GPU: libtorch_cuda needs the CUDA libraries beside it, as in " +
			"Python's torch"
	case there > 0:
		return onCPU + " unless " + f.driver.Devices[0].Name + " works; the usual cause is a driver older than " +
			"this libtorch's CUDA: update it"
	case f.driver.CUDA != "":
		return onCPU + ": the driver gives this process no device (check nvidia-smi and CUDA_VISIBLE_DEVICES)"
	case f.library != "":
		return onCPU + "; to use a GPU, install NVIDIA's driver"
	}
	return onCPU
}

// advisePrecision says what "auto" is, and why.
func (f *facts) advisePrecision() string {
	const auto = `precision = "auto" `
	switch {
	case len(f.usable) > 0 && f.usable[0].BF16:
		return auto + "is bfloat16 on " + f.usable[0].Name
	case len(f.usable) > 0:
		return auto + "is float32 on " + f.usable[0].Name + ", which cannot multiply bfloat16 in hardware"
	case f.noBF16 != "":
		return auto + `is float32 on this CPU, and "bf16" is refused: ` + f.noBF16
	case f.autoBF16:
		return auto + "is bfloat16 on this CPU, which multiplies it fast"
	}
	return auto + "is float32 on this CPU, where bfloat16 is not faster"
}

func (f *facts) adviseThreads() string {
	switch {
	case f.threads < f.cores && f.omp != "":
		return fmt.Sprintf("unset OMP_NUM_THREADS, which is %s: because of it transfer and score use %d of %d "+
			"cores (a run uses all of them)", f.omp, f.threads, f.cores)
	case f.threads != f.cores:
		return fmt.Sprintf("set threads = %d, the cores that this process may use; libtorch by itself uses %d",
			f.cores, f.threads)
	}
	return fmt.Sprintf("threads = 0 uses all %d cores", f.cores)
}
