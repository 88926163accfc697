package rewrite

import (
	"maps"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// TestModels: Models returns all inputs of a transfer except the test set and its masks, and does
// not change the transfer's stage.
func TestModels(t *testing.T) {
	in := map[string]*plan.Stage{"model": {}, "guide": {}, "vocab": {}, "test": {}, "test-mask": {}}
	got := Models(&plan.Stage{Inputs: in})
	names, want := slices.Sorted(maps.Keys(got)), []string{"guide", "model", "vocab"}
	if !slices.Equal(names, want) || len(in) != 5 {
		t.Errorf("models %q, want %q; of %d inputs", names, want, len(in))
	}
}
