package precision

import (
	"github.com/smlm-exp/smlm-exp/internal/testkit/torchtest"
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(torchtest.Main(m)) }
