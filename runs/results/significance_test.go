package results

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// TestValuesBySeed checks that valuesBySeed returns one difference per seed for systems with the
// same seeds.
func TestValuesBySeed(t *testing.T) {
	of := func(seed uint64, tst float64) *System {
		r := report.NewRecord(report.FromSystems, "market", seed)
		r.Scores = &metrics.Scores{Metrics: metrics.Values{"tst": tst}}
		return &System{Record: r}
	}
	a := []*System{of(1, 60), of(2, 70)}
	if x, y := valuesBySeed("tst", a, []*System{of(1, 50), of(2, 65)}); !slices.Equal(x, []float64{10, 5}) || y != nil {
		t.Errorf("the same seeds: %v and %v", x, y)
	}
	x, y := valuesBySeed("tst", a, []*System{of(2, 50), of(3, 65)})
	if !slices.Equal(x, []float64{60, 70}) || !slices.Equal(y, []float64{50, 65}) {
		t.Errorf("other seeds: %v and %v", x, y)
	}
	if !trainedOnce(a[:1]) || trainedOnce(a) {
		t.Error("one seed is several, or several are one")
	}
	if a[0].Kind = report.Published; trainedOnce(a[:1]) {
		t.Error("a published system is trained")
	}
}
