package stages

import (
	"github.com/smlm-exp/smlm-exp/internal/testkit/torchtest"
	"os"
	"testing"
)

// TestMain keeps timings of tests, which share the machine, to the process.
func TestMain(m *testing.M) {
	clock.Dir = ""
	os.Exit(torchtest.Main(m))
}
