package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// ofThreeStyles are invented scores of the six directions between three styles; in one of them a
// word is nearly everywhere.
func ofThreeStyles(mean, share float64) *metrics.Scores {
	styles := corpus.Styles{"plain", "lofty", "rude"}
	s := &metrics.Scores{Metrics: metrics.Values{"tst": 50, "s_bleu": 40, "naturalness": .5, "mean": mean}}
	for k, d := range styles.Directions() {
		s.Directions = append(s.Directions, metrics.Direction{
			From: styles[d.From], To: styles[d.To], N: 100 + k, Metrics: metrics.Values{"tst": float64(45 + 2*k)},
			Collapse: metrics.Collapse{
				MostFrequentNewWord: "great", MostFrequentNewWordShare: .1, NewWords: 50, DistinctNewWords: 10 + k,
			},
		})
	}
	s.Directions[4].MostFrequentNewWordShare = share
	return s
}

// csvFields are the heads of a table's columns in CSV.
func csvFields(t *Table) (heads []string) {
	for _, c := range t.Columns {
		heads = append(heads, c.Parts...)
	}
	return heads
}

// TestTablesOfThreeStyles: of six directions a cell has the least and the greatest number, a note
// the worst, and CSV each; those of a data set of two styles are in the first two fields.
func TestTablesOfThreeStyles(t *testing.T) {
	rows := []ResultRow{
		{Dataset: "manners", System: "SMLM", Seed: 1, Metrics: ofThreeStyles(40, .2)},
		{Dataset: "manners", System: "SMLM", Seed: 2, Metrics: ofThreeStyles(41, .98)},
		{Dataset: "market", System: "SMLM", Seed: 1, Metrics: studyMetrics(1)},
	}
	results := Results(rows, About{})
	var want []string
	for _, head := range []string{"most frequent new word %", "distinct new words", "repeated word %"} {
		for k := range 6 {
			want = append(want, fmt.Sprint(head, " ", k+1))
		}
	}
	if d := cmp.Diff(want, csvFields(results)); d != "" {
		t.Error(d)
	}
	cell := func(t *Table, row int) string { return t.Rows[row].Cells[t.Column(newWordKey)].Text }
	if got := cell(results, 1); got != "10.0 to 98.0" {
		t.Errorf("the shares %q", got)
	}
	if got := cell(results, 2); strings.Count(got, besideEachOther) != 1 {
		t.Errorf("of two styles the shares %q", got)
	}
	if d := cmp.Diff([]string{"10.0", "10.0", "10.0", "10.0", "98.0", "10.0"}, results.Rows[1].Cells[results.Column(newWordKey)].Parts); d != "" {
		t.Error(d)
	}
	said := strings.Join(results.Notes, "\n")
	if !strings.Contains(said, `"great" 98.0 % from rude to plain.`) {
		t.Errorf("the notes are %s", said)
	}

	// Of several seeds the largest share, and the seeds keep their own.
	if got := cell(Main(rows, false, About{}), 0); got != "10.0 to 98.0" {
		t.Errorf("over seeds the shares %q", got)
	}
	if d := cmp.Diff(ofThreeStyles(40, .2), rows[0].Metrics); d != "" {
		t.Errorf("the table changed a row: %s", d)
	}
}

// TestDirectionsOfThreeStyles: a row a direction and system, ranked there; and a matrix from style
// to style. Main has the Mean of the worst direction.
func TestDirectionsOfThreeStyles(t *testing.T) {
	of := func(first float64) *metrics.Scores {
		s := ofThreeStyles(40, .2)
		for k := range s.Directions {
			v := s.Directions[k].Metrics
			v["tst"], v["s_bleu"], v["mean"] = first+float64(k), 60, 70-first-float64(k)
		}
		return s
	}
	rows := []ResultRow{
		{Dataset: "manners", System: "SMLM", Seed: 1, Metrics: of(40)},
		{Dataset: "manners", System: "SMLM", Seed: 2, Metrics: of(42)},
		{Dataset: "manners", System: "Other", Published: true, Metrics: of(50)},
	}
	text := func(made *Table, row int) (cells []string) {
		for _, c := range made.Rows[row].Cells {
			cells = append(cells, strings.TrimSpace(c.Text))
		}
		return cells
	}
	made := Directions(rows, About{})
	if d := cmp.Diff([]string{"Direction", "System", "TST%", "s-BLEU", "Mean", "most\nfrequent\nnew word %"},
		lists.Map(made.Columns, func(c table.Column) string { return c.Head })); d != "" || len(made.Rows) != 12 {
		t.Errorf("%d rows, columns %s", len(made.Rows), d)
	}
	if d := cmp.Diff([]string{"plain to rude", "SMLM", "42.0 ± 1.4", "60.0 ± 0.0", "28.0 ± 1.4", "10.0"}, text(made, 2)); d != "" {
		t.Error(d)
	}
	// Mean and deviation are two fields in CSV, and every format can write the table.
	if d := cmp.Diff([]string{"42", "1.4142135623730951"}, made.Rows[2].Cells[made.Column("tst")].Parts); d != "" {
		t.Error(d)
	}
	for _, format := range table.Formats {
		if err := made.Write(&strings.Builder{}, format); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	if tst := made.Column("tst"); made.Rows[3].Cells[tst].Mark != table.Best || made.Rows[2].Cells[tst].Mark != table.Plain {
		t.Error("the systems are not ranked within a direction")
	}
	var b strings.Builder
	if err := made.Write(&b, "latex"); err != nil || !strings.Contains(b.String(), "Best values of each direction in bold") {
		t.Errorf("(%v) LaTeX does not say what is ranked together:\n%s", err, b.String())
	}
	one := Matrix(rows[:1], About{})
	if d := cmp.Diff([]string{"Each cell shows TST% / s-BLEU."}, one.Legend); d != "" {
		t.Errorf("of one seed and all directions: %s", d)
	}
	less := of(40)
	less.Directions = less.Directions[1:]
	made = Matrix([]ResultRow{rows[0], {Dataset: "manners", System: "Other", Published: true, Metrics: less}}, About{})
	if d := cmp.Diff([]string{"Each cell shows TST% / s-BLEU; –: not asked for."}, made.Legend); d != "" {
		t.Errorf("without a direction: %s", d)
	}
	made = Matrix(rows, About{})
	if d := cmp.Diff([]string{"Each cell shows TST% / s-BLEU, the mean over seeds."}, made.Legend); d != "" {
		t.Error(d)
	}
	for row, want := range [][]string{
		{"SMLM", "plain", "", "41.0 / 60.0", "42.0 / 60.0"},
		{"SMLM", "lofty", "43.0 / 60.0", "", "44.0 / 60.0"},
		{"SMLM", "rude", "45.0 / 60.0", "46.0 / 60.0", ""},
		{"Other", "plain", "", "50.0 / 60.0", "51.0 / 60.0"},
	} {
		if d := cmp.Diff(want, text(made, row)); d != "" {
			t.Errorf("row %d: %s", row+1, d)
		}
	}
	main := Main(rows, false, About{})
	worst := slices.IndexFunc(main.Columns, func(c table.Column) bool { return c.Head == "worst\nMean" })
	if got := text(main, 0); worst < 0 || got[worst] != "24.0" { // seeds 25 and 23
		t.Errorf("the worst Mean is in column %d of %q", worst, got)
	}
}

// TestScoreOfThreeStyles: a column a direction, and one for all.
func TestScoreOfThreeStyles(t *testing.T) {
	made := Score(ofThreeStyles(40, .2))
	var got []string
	for j, c := range made.Columns {
		got = append(got, strings.ReplaceAll(c.Head, "\n", " ")+": "+made.Rows[0].Cells[j].Text+", "+made.Rows[1].Cells[j].Text)
	}
	want := []string{
		"Metric: outputs, TST%", "plain to lofty: 100, 45.0", "plain to rude: 101, 47.0", "lofty to plain: 102, 49.0",
		"lofty to rude: 103, 51.0", "rude to plain: 104, 53.0", "rude to lofty: 105, 55.0", "all: 615, 50.0",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
