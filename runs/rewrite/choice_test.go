package rewrite

import (
	"maps"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// The models of a transfer are all that it reads but for the test set, and its stage stays as it
// is.
func TestModels(t *testing.T) {
	in := map[string]*plan.Stage{"model": {}, "guide": {}, "vocab": {}, "test": {}, "test-mask": {}}
	got := Models(&plan.Stage{Inputs: in})
	names, want := slices.Sorted(maps.Keys(got)), []string{"guide", "model", "vocab"}
	if !slices.Equal(names, want) || len(in) != 5 {
		t.Errorf("models %q, want %q; of %d inputs", names, want, len(in))
	}
}
