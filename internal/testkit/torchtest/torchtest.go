// Package torchtest runs a package's tests on another device than the CPU, so that what is proven
// there, parity with PyTorch and the properties of whole trainings and transfers, is proven on a
// GPU by the same tests (docs/install.md, "On a GPU machine").
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
