package stages

import (
	"os"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/torchtest"
)

func TestMain(m *testing.M) { os.Exit(torchtest.Main(m)) }
