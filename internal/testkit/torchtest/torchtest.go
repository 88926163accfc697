// Package torchtest runs the tests of a package on the device that SMLM_EXP_TEST_DEVICES names, so
// that the same tests prove parity and properties on a CPU and on a GPU (docs/install.md, "On a GPU
// machine"). It is apart from testkit because it needs libtorch.
package torchtest

import (
	"fmt"
	"os"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Variable names the environment variable that says on which device tests compute: cpu, cuda or
// cuda:N.
const Variable = "SMLM_EXP_TEST_DEVICES"

// Main is a package's TestMain. It returns the status to exit with: a device that was asked for and
// cannot be used fails, as tests that silently ran on the CPU would prove nothing.
func Main(m *testing.M) int {
	if len(torch.AskDriver().Devices) > 0 {
		torch.LoadCUDA() // libtorch looks for CUDA once, perhaps in a test that needs none
	}
	if name := os.Getenv(Variable); name != "" {
		if err := torch.SetDevice(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", Variable, err)
			return 1
		}
		if torch.OnCUDA() {
			testkit.Tolerance = 5e-5 // cuDNN's LSTM: 2.7e-5 on an H100
		}
	}
	return m.Run()
}
