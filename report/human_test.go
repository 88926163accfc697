package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics/human"
)

// TestVerdicts checks that the paper's two systems are listed in the paper's order, and that no
// other systems have the paper's values.
func TestVerdicts(t *testing.T) {
	ratings := studyHuman()
	const columns = "Direction,,Tag better %,SMLM better %,both good %,both bad %,no agreement %,readers,sentences"
	if got := heads(Human(ratings)[2]); got != columns {
		t.Errorf("columns %s, want %s", got, columns)
	}
	want := []string{
		"entailment to contradiction|15.5|51.0|15.0|12.5|6.0|3|200",
		"contradiction to entailment|16.4|44.8|16.0|14.0|8.8|3|250",
	}
	if d := cmp.Diff(want, lines(verdicts(ratings, "SMLM", "Tag"))); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	renamed := func(from, to string) human.Ratings {
		out := append(human.Ratings{}, ratings...)
		for i := range out {
			if out[i].System == from {
				out[i].System = to
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		ratings human.Ratings
		rows    int
	}{
		"the paper's":     {ratings, 6},
		"with settings":   {renamed("SMLM", "SMLM:lambda_eps=0.5"), 6},
		"guided decoding": {renamed("SMLM", "SMLM:decoding=guided"), 2},
		"another system":  {renamed("Tag", "DirR"), 2},
		"of one system":   {renamed("Tag", "SMLM"), 0},
		"another data set's": {func() human.Ratings {
			out := renamed("", "")
			for i := range out {
				out[i].Dataset = "yelp"
			}
			return out
		}(), 2},
	} {
		tables := Human(c.ratings)
		rows := 0
		if len(tables) == 3 {
			rows = len(tables[2].Rows)
		}
		if rows != c.rows {
			t.Errorf("%s: %d rows, want %d", name, rows, c.rows)
		}
	}
}
