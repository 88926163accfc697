package rewrite

import (
	"os"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TestExportWithoutScript: a model without a PyTorch script is refused, and nothing is written.
func TestExportWithoutScript(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	r := workspace.NewRecord(&plan.Stage{Name: stages.Fluency, ID: "0f"}, 1)
	r.Finish(nil)
	if err := stage.Seal(from, r); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, Export(to, map[string]string{"model": from}, corpus.Styles{"a", "b"}), userr.BadInput,
		"fluency cannot be exported")
	if left, err := os.ReadDir(to); err != nil || len(left) > 0 {
		t.Errorf("%v is written (%v)", left, err)
	}
}
