package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/metrics"
)

func TestIntervals(t *testing.T) {
	tag := as(Published, system("market", "Tag", &metrics.Scores{Intervals: map[string]metrics.Interval{
		"mean": {Value: 70.004, Low: 69, High: 71.5}, "own": {Value: 1, Low: 0, High: 2},
	}}))
	ours := system("market", "SMLM", constructed()[0].Scores)
	ours.Scores.Intervals = map[string]metrics.Interval{
		"s_bleu": {Value: 60.81, Low: 58.94, High: 62.7}, "mean": {Value: 79, Low: 78, High: 80},
	}
	made := Build("intervals", []*Record{tag, ours}, About{})
	if got, want := heads(made), "System,s-BLEU,Mean,own,most frequent new word %"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM‡|60.8 [58.9, 62.7]|79.0 [78.0, 80.0]‡|–|98.0 / 98.0",
		"Tag|–|70.0 [69.0, 71.5]|1.00 [0.00, 2.00]|–",
	}
	if d := cmp.Diff(want, lines(made)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// TestWideIntervals checks that a table that is too wide keeps the intervals of those metrics that
// are in the table "main" too, including TST% unseen.
func TestWideIntervals(t *testing.T) {
	keys := []string{"tst", "tst_unseen", "r_bleu", "s_bleu", "naturalness", "mean", "meteor"}
	ours := system("market", "SMLM", constructed()[0].Scores)
	ours.Scores.Intervals = map[string]metrics.Interval{}
	var main, kept []string
	for _, m := range metrics.ColumnsOf(keys...) {
		ours.Scores.Intervals[m.Key] = metrics.Interval{Value: 0.5, Low: 0.4, High: 0.6}
		if m.Group == metrics.GroupResults {
			main = append(main, m.Key)
		}
	}
	for _, c := range Build("intervals", []*Record{ours}, About{}).Columns[1:] {
		if !c.Minor {
			kept = append(kept, c.Key)
		}
	}
	if d := cmp.Diff(main, kept); d != "" {
		t.Errorf("columns (-of main +got):\n%s", d)
	}
}
