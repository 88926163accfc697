package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"

	"github.com/smlm-exp/smlm-exp/internal/testdata"
)

// TestListing: every stage of a sweep with its settings, state and time.
func TestListing(t *testing.T) {
	dir := t.TempDir()
	testdata.WriteData(t, filepath.Join(dir, "data"), 3)
	testdata.WriteLines(t, filepath.Join(dir, "systems", "Other.0.txt"), 3, "an output")
	testdata.WriteLines(t, filepath.Join(dir, "systems", "Other.1.txt"), 3, "an output")
	testdata.WriteFile(t, filepath.Join(dir, "systems", "README"), "not a system")
	testdata.WriteFile(t, filepath.Join(dir, "e.toml"), testdata.SweptStudy)
	e, err := experiment.Load(filepath.Join(dir, "e.toml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := Open(filepath.Join(dir, "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := ws.WriteListing(&b, p); err != nil {
		t.Fatal(err)
	}
	testdata.Golden(t, "testdata/listing.txt", b.String())
}
