package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// printedDatasets are the paper's data sets.
var printedDatasets = []string{"yelp", "amazon", "imdb", "snli"}

// TestPaperCounts checks that paper.toml has as many rows and cells for each table as the paper,
// summed over data sets.
func TestPaperCounts(t *testing.T) {
	got := map[string][2]int{}
	for _, table := range Values().Tables {
		n := got[table.Table]
		got[table.Table] = [2]int{n[0] + len(table.Rows), n[1] + len(table.Rows)*len(table.Columns)}
	}
	want := map[string][2]int{
		"results": {31, 146}, "content": {10, 60}, "attribution": {24, 48}, "classifier": {8, 8}, "divlstm": {4, 8},
		"datasets": {8, 24}, "human": {2, 10},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows and cells (-want +got):\n%s", d)
	}
	for _, set := range printedDatasets {
		if c, ok := Values().Curve(set + "-small"); !ok || c.Dataset != set || len(c.LambdaEps) != 6 {
			t.Errorf("curve of %s: %+v", set, c)
		}
	}
	if _, ok := Values().Curve("market"); ok {
		t.Error("market has a curve of the paper")
	}
}

// meanOf returns the printed Mean of a row, the Mean that the row's other columns give, and how far
// the two may differ by rounding: TST% and s-BLEU are rounded by up to .05, naturalness times 100
// by up to .5, and Mean by up to half a unit of its last digit.
func meanOf(t *printedTable, r *printedRow) (printed, computed, rounding float64) {
	at := func(column string) float64 { return r.Values[slices.Index(t.Columns, column)] }
	printed = at("mean")
	_, fraction, _ := strings.Cut(strconv.FormatFloat(printed, 'f', -1, 64), ".")
	return printed, (at("tst") + at("s_bleu") + 100*at("naturalness")) / 3, (.05+.05+.5)/3 + 0.5*math.Pow10(-len(fraction))
}

// TestPaperMeans checks that each printed Mean equals (TST% + s-BLEU + 100 Nat.) / 3 of its row,
// except for rounding. No reason in paper.toml may claim that a Mean contradicts the other columns
// of its row.
func TestPaperMeans(t *testing.T) {
	checked := 0
	for i := range Values().Tables {
		table := &Values().Tables[i]
		if table.Table != "results" {
			continue
		}
		for k := range table.Rows {
			row := &table.Rows[k]
			printed, computed, rounding := meanOf(table, row)
			_, reasons, _ := Values().Value("results", table.Dataset, row.Name, "mean")
			if math.Abs(printed-computed) > rounding {
				t.Errorf("%s %s: printed %v, computed %.3f", table.Dataset, row.Name, printed, computed)
			}
			for _, r := range reasons {
				if strings.Contains(r, "Its own columns") {
					t.Errorf("%s %s is marked with %q", table.Dataset, row.Name, r)
				}
			}
			checked++
		}
	}
	if checked != 31 {
		t.Errorf("%d Means checked, want 31", checked)
	}
}

// TestPaperMeansOfPublishedOutputs checks the reasons why printed Means are doubtful. Each reason
// must contain the Mean that follows from the s-BLEU of the published outputs
// (../shared/notes/published-outputs.md).
func TestPaperMeansOfPublishedOutputs(t *testing.T) {
	for _, c := range []struct {
		system                 string
		tst, published, nat100 float64
	}{{"DirR", 58.2, 68.31, 91}, {"Stable", 57.2, 44.95, 83}} {
		_, reasons, ok := Values().Value("results", "amazon", c.system, "mean")
		if want := fmt.Sprintf("%.2f.", (c.tst+c.published+c.nat100)/3); !ok || len(reasons) != 1 ||
			!strings.HasSuffix(reasons[0], want) {
			t.Errorf("%s: %q, want one reason that ends in %s", c.system, reasons, want)
		}
	}
}

// TestPaperValue checks that values are found under the names that our tables use for rows and data
// sets.
func TestPaperValue(t *testing.T) {
	for _, c := range []struct {
		table, dataset, row, column string
		want                        float64
		reasons                     int
	}{
		{"results", "yelp", "DandR", "tst", 88, 0},
		{"results", "Yelp-small", "d&r", "s_bleu", 36.8, 0},
		{"results", "amazon", "DR", "s_bleu", 56.6, 0},
		{"results", "amazon", "DirR", "s_bleu", 60.6, 1},
		{"results", "snli", "SMLM-FT (copied)", "mean", 85.53, 0},
		{"results", "yelp", "StyleEmbedding", "tst", 8.59, 0},
		{"content", "imdb", "DirR", "meteor", .472, 1},
		{"content", "amazon", "Tag", "rouge_l", .835, 1},
		{"attribution", "snli", "explainable_attention", "char_s_bleu", 85.14, 1},
		{"attribution", "snli", "none", "char_s_bleu", 100, 2},
		{"classifier", "imdb", "FastText", "test_accuracy", 99.35, 1},
		{"divlstm", "amazon", "Diversity-LSTM", "conicity", .03, 1},
		{"human", "snli", "C to E", "both_bad", 35, 0},
	} {
		v, reasons, ok := Values().Value(c.table, c.dataset, c.row, c.column)
		if !ok || v != c.want || len(reasons) != c.reasons {
			t.Errorf(
				"%s of %s, %s %s: %v (%v), reasons %q; want %v and %d reasons",
				c.table,
				c.dataset,
				c.row,
				c.column,
				v,
				ok,
				reasons,
				c.want,
				c.reasons,
			)
		}
	}
	for _, c := range [][4]string{
		{"results", "market", "SMLM", "tst"},
		{"results", "imdb", "SMLM", "r_bleu"},
		{"results", "yelp", "SMLM-X", "tst"},
	} {
		if v, _, ok := Values().Value(c[0], c[1], c[2], c[3]); ok {
			t.Errorf("%v: %v, want none", c, v)
		}
	}
}

// TestPaperHumanSums checks that the five columns of the human evaluation sum to the number of
// items.
func TestPaperHumanSums(t *testing.T) {
	for _, table := range Values().Tables {
		if table.Table != "human" {
			continue
		}
		for _, r := range table.Rows {
			sum := 0.0
			for _, v := range r.Values {
				sum += v
			}
			if sum != r.Settings["items"] {
				t.Errorf("%s: %v of %v", r.Name, sum, r.Settings["items"])
			}
		}
	}
}

// TestPaperNamesOfOutputs checks that each system whose published outputs are in the folder
// "shared" has a row in the paper's results.
func TestPaperNamesOfOutputs(t *testing.T) {
	dir := testkit.Shared(t, "outputs")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.0.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no outputs in %s (%v)", dir, err)
	}
	for _, f := range files {
		set, system := filepath.Base(filepath.Dir(f)), strings.TrimSuffix(filepath.Base(f), ".0.txt")
		if _, _, ok := Values().Value("results", set, system, "tst"); !ok {
			t.Errorf("%s of %s is not in the paper's results", system, set)
		}
	}
}

// TestPaperFile checks that every key of paper.toml is known, that each row and curve is complete,
// that no table and no name of a row stands twice, and that each note and reason is about cells
// that exist.
func TestPaperFile(t *testing.T) {
	var p Printed
	md, err := toml.Decode(paperTOML, &p)
	if unknown := md.Undecoded(); err != nil || len(unknown) > 0 {
		t.Fatalf("unknown keys %v, %v", unknown, err)
	}
	tables := map[string]bool{}
	for _, table := range p.Tables {
		name := table.Table + " of " + table.Dataset
		if tables[name] || !slices.Contains(printedDatasets, table.Dataset) || len(table.Rows) == 0 ||
			titles[table.Table] == "" {
			t.Errorf("%s stands twice, has no rows, or its table or data set is unknown", name)
		}
		tables[name] = true
		names := map[string]bool{}
		for _, r := range table.Rows {
			if len(r.Values) != len(table.Columns) {
				t.Errorf("%s: row %s has %d values for %d columns", name, r.Name, len(r.Values), len(table.Columns))
			}
			for _, row := range append([]string{r.Name}, r.Also...) {
				if names[rowName(row)] {
					t.Errorf("%s: the name %q stands twice", name, row)
				}
				names[rowName(row)] = true
			}
		}
	}
	for _, c := range p.Curves {
		if n := len(c.LambdaEps); n == 0 || len(c.SBLEU) != n || len(c.Accuracy) != n {
			t.Errorf("the curve of %s has %d, %d and %d values", c.Dataset, n, len(c.SBLEU), len(c.Accuracy))
		}
	}
	for _, n := range p.Notes {
		if titles[n.Table] == "" {
			t.Errorf("a note on the unknown table %q", n.Table)
		}
	}
	for _, reason := range p.Reasons {
		for _, column := range reason.Columns {
			if !slices.ContainsFunc(p.Tables, func(table printedTable) bool {
				covered := func(r printedRow) bool { return reason.covers(&table, &r, column) }
				return slices.Contains(table.Columns, column) && slices.ContainsFunc(table.Rows, covered)
			}) {
				t.Errorf("a reason for no cell of column %q: %s", column, reason.Reason)
			}
		}
	}
}

// TestPaperReasonsAreSentences checks that each reason is one sentence, and that each note consists
// of sentences.
func TestPaperReasonsAreSentences(t *testing.T) {
	text, err := os.ReadFile("paper.toml")
	if err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	for _, r := range Values().Reasons {
		if !strings.HasSuffix(r.Reason, ".") || strings.Contains(strings.TrimSuffix(r.Reason, "."), ". ") {
			t.Errorf("not one sentence: %q", r.Reason)
		}
	}
	for _, n := range Values().Notes {
		if !strings.HasSuffix(n.Note, ".") {
			t.Errorf("not a sentence: %q", n.Note)
		}
	}
}
