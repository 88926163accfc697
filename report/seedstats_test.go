package report

import (
	"math"
	"testing"
)

func TestSeedStats(t *testing.T) {
	// (2, 4, 4, 4, 5, 5, 7, 9): squares sum to 32; 32/7.
	if m, d := SeedStats([]float64{2, 4, 4, 4, 5, 5, 7, 9}); m != 5 || math.Abs(d-math.Sqrt(32./7)) > 1e-12 {
		t.Errorf("mean %v, deviation %v", m, d)
	}
	if m, d := SeedStats([]float64{3}); m != 3 || !math.IsNaN(d) {
		t.Errorf("of one seed: %v, %v", m, d)
	}
	if m, d := SeedStats(nil); !math.IsNaN(m) || !math.IsNaN(d) {
		t.Errorf("of none: %v, %v", m, d)
	}
}
