package results

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/report"
)

// TestChosenText checks that chosenText names a system with rows at several points, but not a
// system with several seeds at one point.
func TestChosenText(t *testing.T) {
	of := func(system, eps string, seed uint64) *report.Record {
		return report.NewRecord(report.FromSystems, "market", seed,
			report.Axis{Key: report.System, Value: system}, report.Axis{Key: "lambda_eps", Value: eps})
	}
	one := []*report.Record{of("SMLM", "1", 1), of("SMLM", "1", 2), of("SMLM-G", "2", 1)}
	const all = "Each of our systems is shown at the sweep point with the highest dev Mean"
	if got := chosenText(one); got != all+"." {
		t.Errorf("%q", got)
	}
	const but = all + ", but at all points if no point is ranked on the dev set: SMLM-G."
	if got := chosenText(append(one, of("SMLM-G", "3", 1))); got != but {
		t.Errorf("%q", got)
	}
}
