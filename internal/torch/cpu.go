package torch

// #include "shim.h"
import "C"

import (
	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/device"
)

// cpuHasBF16 tells whether the CPU multiplies bfloat16 in hardware, and the switches of libtorch and oneDNN let it (isa.h).
func cpuHasBF16() bool { return C.shim_cpu_bf16() != 0 }

// cpuInfo is the CPU as a device.
func cpuInfo() DeviceInfo {
	d := DeviceInfo{Name: device.CPU, Model: CPUCapability(), BF16: cpuHasBF16()}
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) == nil {
		d.Memory = int64(s.Totalram) * int64(s.Unit)
	}
	return d
}
