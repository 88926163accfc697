package torch

import (
	"golang.org/x/sys/unix"

	"github.com/smlm-exp/smlm-exp/internal/kernels"
	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// cpuInfo is the CPU as a device.
func cpuInfo() DeviceInfo {
	d := DeviceInfo{Name: machine.CPU, Model: CPUCapability(), BF16: kernels.BF16()}
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) == nil {
		d.Memory = int64(s.Totalram) * int64(s.Unit)
	}
	return d
}
