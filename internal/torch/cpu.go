package torch

import (
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/device"
)

func cpuHasBF16() bool { return cpu.X86.HasAVX512BF16 || cpu.X86.HasAMXBF16 }

// cpuInfo is the CPU as a device.
func cpuInfo() DeviceInfo {
	d := DeviceInfo{Name: device.CPU, Model: CPUCapability(), BF16: cpuHasBF16()}
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) == nil {
		d.Memory = int64(s.Totalram) * int64(s.Unit)
	}
	return d
}
