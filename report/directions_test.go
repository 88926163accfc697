package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// ofThreeStyles returns invented scores for the six directions between three styles. mean is the
// Mean over all directions. first is the TST% of the first direction; from each direction to the
// next, TST% rises by 1 and Mean falls by 1. share is the share of the most frequent new word from
// rude to plain.
func ofThreeStyles(mean, first, share float64) *metrics.Scores {
	styles := corpus.Styles{"plain", "lofty", "rude"}
	s := &metrics.Scores{Metrics: metrics.Values{"tst": 50, "s_bleu": 40, "naturalness": .5, "mean": mean}}
	for k, d := range styles.Directions() {
		n := float64(k)
		s.Directions = append(s.Directions, metrics.Direction{
			From: styles[d.From], To: styles[d.To], N: 100 + k,
			Metrics: metrics.Values{"tst": first + n, "s_bleu": 60, "mean": 70 - first - n},
			Collapse: metrics.Collapse{
				MostFrequentNewWord: "great", MostFrequentNewWordShare: .1, NewWords: 50, DistinctNewWords: 10 + k,
			},
		})
	}
	s.Directions[4].MostFrequentNewWordShare = share
	return s
}

// threeStyles returns the records of two systems on a data set with three styles, and of one system
// on a data set with two styles. SMLM has two seeds, and the outputs of the second have collapsed.
func threeStyles() []*Record {
	records := []*Record{
		system("manners", "SMLM", ofThreeStyles(40, 40, .2), Seed, "1"),
		system("manners", "SMLM", ofThreeStyles(41, 42, .98), Seed, "2"),
		as(Published, system("manners", "Other", ofThreeStyles(40, 50, .2))),
	}
	for i, worst := range []float64{25, 23, 15} {
		records[i].Values[WorstMean] = worst
	}
	market := system("market", "SMLM", scores(60, 30, 60, .9, 70, .1, .2, 100, 100, 0, 0), Seed, "1")
	for k := range market.Scores.Directions {
		market.Scores.Directions[k].Metrics = metrics.Values{"tst": 60 + float64(k), "s_bleu": 60, "mean": 70}
	}
	return append(records, market)
}

// TestCollapseOfThreeStyles checks that a cell shows the range over six directions, and that CSV
// has one field per direction. A data set with two styles fills only two of these fields. A note
// must give the worst direction.
func TestCollapseOfThreeStyles(t *testing.T) {
	made := Build("results", threeStyles(), About{})
	var fields, want []string
	for _, c := range made.Columns {
		fields = append(fields, c.Parts...)
	}
	for _, head := range []string{"most frequent new word %", "distinct new words", "repeated word %"} {
		for k := range 6 {
			want = append(want, fmt.Sprint(head, " ", k+1))
		}
	}
	if d := cmp.Diff(want, fields); d != "" {
		t.Errorf("fields of CSV (-want +got):\n%s", d)
	}
	for i, want := range []string{"10.0 to 20.0", "10.0 to 98.0", "10.0 to 20.0", "10.0 / 20.0"} {
		if got := made.Rows[i].Cells[made.Column(newWordKey)].Text; i != 2 && got != want {
			t.Errorf("row %d has %q, want %q", i, got, want)
		}
	}
	if d := cmp.Diff([]string{"10", "10", "10", "10", "98", "10"}, made.Rows[1].Cells[made.Column(newWordKey)].Parts); d != "" {
		t.Error(d)
	}
	if notes := strings.Join(made.Notes, "\n"); !strings.Contains(notes, `manners SMLM (seed 2): "great" 98.0 % from rude to plain.`) {
		t.Errorf("notes:\n%s", notes)
	}
}

// TestWorstMean checks the table "main" for a data set with more than two styles. The table shows
// the metric Mean in the worst direction, averaged over seeds. It also shows how frequent the most
// frequent new word is, as a range over the directions. For each direction, the seed with the
// largest share counts.
func TestWorstMean(t *testing.T) {
	records := threeStyles()
	made := Build("main", records[:3], About{})
	if got, want := made.Rows[0].Cells[made.Column(WorstMean)].Text, "24.0 ± 1.4"; got != want {
		t.Errorf("the worst Mean is %q, want %q", got, want)
	}
	if got, want := made.Rows[0].Cells[made.Column(newWordKey)].Text, "10.0 to 98.0"; got != want {
		t.Errorf("the shares are %q, want %q", got, want)
	}
	if d := cmp.Diff(threeStyles(), records, cmp.AllowUnexported(Record{})); d != "" {
		t.Errorf("the table changed a record: %s", d)
	}
	if main := Build("main", records[3:], About{}); main.Column(WorstMean) >= 0 {
		t.Errorf("columns for two styles: %s", heads(main))
	}
}

// TestScoreOfThreeStyles checks that the table of one system's scores has one column per direction
// and one for all directions.
func TestScoreOfThreeStyles(t *testing.T) {
	made := Score(ofThreeStyles(40, 45, .2))
	var got []string
	for j, c := range made.Columns {
		got = append(got, table.Flat(c.Head)+": "+made.Rows[0].Cells[j].Text+", "+made.Rows[1].Cells[j].Text)
	}
	want := []string{
		"Metric: outputs, TST%↑", "plain to lofty: 100, 45.0", "plain to rude: 101, 46.0", "lofty to plain: 102, 47.0",
		"lofty to rude: 103, 48.0", "rude to plain: 104, 49.0", "rude to lofty: 105, 50.0", "all: 615, 50.0",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
