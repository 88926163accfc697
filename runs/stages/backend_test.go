package stages

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestCheckMachine: a precision that the device cannot compute in is refused with one sentence that
// says what to set. The precision "auto" is always accepted. A device that does not exist is
// refused with any precision.
func TestCheckMachine(t *testing.T) {
	t.Cleanup(func() { _ = torch.Run(func() error { return torch.SetDevice("cpu") }) })
	for _, precisions := range [][]string{nil, {"fp32"}, {"auto", ""}} {
		if err := (Torch{}).CheckMachine("cpu", precisions); err != nil {
			t.Errorf("%v: %v", precisions, err)
		}
	}
	if err := (Torch{}).CheckMachine("cuda:63", []string{"fp32"}); userr.CodeOf(err) != userr.NoTorch {
		t.Errorf("a device that is not there: %v", err)
	}
	err := (Torch{}).CheckMachine("auto", []string{"fp32", "bf16"})
	why := torch.WhyNoBF16()
	if why == "" {
		if err != nil {
			t.Errorf("bf16 is refused without a reason: %v", err)
		}
		return
	}
	if userr.CodeOf(err) != userr.NoTorch || !strings.Contains(err.Error(), why) ||
		!strings.Contains(err.Error(), `precision to "auto"`) {
		t.Errorf("bf16: %v", err)
	}
}
