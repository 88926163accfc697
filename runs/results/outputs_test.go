package results

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/report"
)

// TestOutputFileNames: different rows have different files, and no name leads to another folder.
func TestOutputFileNames(t *testing.T) {
	for want, row := range map[string]report.ResultRow{
		"SMLM-seed=1": {System: "SMLM", Seed: 1},
		"SMLM-G-guided-guided.gamma=1.5-seed=2": {System: "SMLM-G", Seed: 2, Axes: []report.Axis{
			{Key: "decoding", Value: "guided"}, {Key: "guided.gamma", Value: "1.5"},
		}},
		"SMLM-variant=a%2Fb%20c-seed=1": {System: "SMLM", Seed: 1, Axes: []report.Axis{{Key: "variant", Value: "a/b c"}}},
	} {
		if got := fileName(&row); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
