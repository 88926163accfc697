package stages

import (
	"os"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/torchtest"
)

// TestMain keeps timings of tests, which share the machine, to the process.
func TestMain(m *testing.M) {
	clock.Dir = ""
	os.Exit(torchtest.Main(m))
}
