package doctor

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestAdvice: what is wrong is named, and what to do about it.
func TestAdvice(t *testing.T) {
	gpu := torch.DeviceInfo{Name: "cuda:0", Model: "NVIDIA T0", BF16: true}
	old := torch.DeviceInfo{Name: "cuda:0", Model: "NVIDIA T0"}
	second := torch.DeviceInfo{Name: "cuda:1", Model: "NVIDIA T0", BF16: true}
	slow := facts{threads: 4, cores: 4}
	fast := facts{threads: 4, cores: 4, autoBF16: true}
	with := func(f facts, change func(*facts)) facts { change(&f); return f }
	for _, c := range []struct {
		name string
		f    facts
		want []string
	}{
		{"plain CPU", slow, []string{"uses the CPU", "is float32 on this CPU", "all 4 cores"}},
		{"CPU with fast bfloat16", fast, []string{"is bfloat16 on this CPU"}},
		{
			"no bfloat16 product", with(slow, func(f *facts) { f.noBF16 = "they fail" }),
			[]string{`is float32 on this CPU, and "bf16" is refused: they fail`},
		},
		{
			"GPU", with(slow, func(f *facts) { f.usable, f.library = []torch.DeviceInfo{gpu}, "x" }),
			[]string{"uses cuda:0", "is bfloat16 on cuda:0"},
		},
		{
			"GPU without bfloat16", with(slow, func(f *facts) { f.usable, f.library = []torch.DeviceInfo{old}, "x" }),
			[]string{"uses cuda:0", "is float32 on cuda:0"},
		},
		{
			"two GPUs", with(slow, func(f *facts) { f.usable = []torch.DeviceInfo{gpu, second} }),
			[]string{"uses cuda:0", "--devices cuda:1"},
		},
		{
			"the first is broken", with(slow, func(f *facts) { f.usable = []torch.DeviceInfo{second} }),
			[]string{`set devices = "cuda:1"`},
		},
		{"libtorch without CUDA", with(slow, func(f *facts) {
			f.driver, f.libraryWhy = torch.Driver{
				Devices: []torch.DeviceInfo{gpu}, CUDA: "13.0",
			}, "the libtorch in /x has no CUDA"
		}), []string{
			"although there is a GPU", "docs/install.md",
			"has no CUDA; the NVIDIA driver supports CUDA 13.0",
		}},
		{"CUDA that does not load", with(slow, func(f *facts) {
			f.driver, f.library, f.libraryWhy = torch.Driver{
				Devices: []torch.DeviceInfo{gpu}, CUDA: "13.0",
			}, "/x", "libcudnn.so.9: not found"
		}), []string{"although there is a GPU", "libcudnn.so.9"}},
		{"driver too old", with(slow, func(f *facts) {
			f.driver, f.library = torch.Driver{Devices: []torch.DeviceInfo{gpu}, CUDA: "11.4"}, "/x"
		}), []string{"unless cuda:0 works", "update it", "supports CUDA 11.4"}},
		{"driver without a device", with(slow, func(f *facts) {
			f.driver, f.library = torch.Driver{CUDA: "13.0", Why: "the NVIDIA driver finds no device"}, "/x"
		}), []string{"CUDA_VISIBLE_DEVICES", "finds no device, the driver supports CUDA 13.0"}},
		{"no driver", with(slow, func(f *facts) {
			f.driver, f.library, f.libtorchSays = torch.Driver{
				Why: "no NVIDIA driver is installed",
			}, "/x", "found no NVIDIA driver"
		}), []string{"install NVIDIA's driver", "libtorch says: found no NVIDIA driver"}},
		{
			"OMP_NUM_THREADS", with(slow, func(f *facts) { f.threads, f.omp = 1, "1" }),
			[]string{"unset OMP_NUM_THREADS, which is 1", "1 of 4 cores"},
		},
		{"a container's limit", with(slow, func(f *facts) { f.threads = 64 }), []string{"set threads = 4"}},
	} {
		got := c.f.cuda() + "\n" + strings.Join(c.f.advice(), "\n")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
	}
}
