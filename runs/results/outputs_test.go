package results

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/report"
)

// TestOutputFileNames checks that different systems have different file names, and that no file
// name leads out of the folder.
func TestOutputFileNames(t *testing.T) {
	for want, axes := range map[string][]string{
		"SMLM-seed=1":                           {report.System, "SMLM", report.Seed, "1"},
		"SMLM-G-guided-guided.gamma=1.5-seed=2": {report.System, "SMLM-G", "decoding", "guided", "guided.gamma", "1.5", report.Seed, "2"},
		"SMLM-variant=a%2Fb%20c-seed=1":         {report.System, "SMLM", "variant", "a/b c", report.Seed, "1"},
	} {
		if got := fileName(system(axes...).Record); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
