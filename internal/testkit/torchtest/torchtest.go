// Package torchtest runs a package's tests on the device that SMLM_EXP_TEST_DEVICES names, so that
// CPUs and GPUs must pass the same tests (docs/install.md, "On a GPU machine"). It is separate from
// testkit because it needs libtorch.
package torchtest

import (
	"fmt"
	"os"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Variable is the environment variable for the tests' device: cpu, cuda or cuda:N.
const Variable = "SMLM_EXP_TEST_DEVICES"

// Main is the body of a package's TestMain. It returns the exit status. It fails if the requested
// device cannot be used, because tests that silently ran on the CPU would prove nothing.
func Main(m *testing.M) int {
	if len(torch.AskDriver().Devices) > 0 {
		torch.LoadCUDA() // before the tests: libtorch looks for CUDA only once, and any test may cause this search
	}
	if name := os.Getenv(Variable); name != "" {
		if err := torch.SetDevice(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", Variable, err)
			return 1
		}
		if torch.OnCUDA() {
			testkit.Tolerance = 5e-5 // cuDNN's LSTM deviates by 2.7e-5 on an H100
		}
	}
	return m.Run()
}
