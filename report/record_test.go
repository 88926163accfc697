package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

func TestDiffering(t *testing.T) {
	for _, c := range []struct {
		name string
		axes [][]Axis
		want string
	}{
		{"no records", nil, ""},
		{"equal", [][]Axis{swept("dim", "8"), swept("dim", "8")}, ""},
		{"values", [][]Axis{swept("dim", "8", "ff", "9"), swept("dim", "8", "ff", "10")}, "ff"},
		{"missing in the first", [][]Axis{nil, swept("dim", "8")}, "dim"},
		{"missing in the last", [][]Axis{swept("dim", "8"), nil}, "dim"},
		{"excluded", [][]Axis{swept("lambda_con", "8"), swept("lambda_con", "9")}, ""},
		{"two", [][]Axis{swept("b", "1", "a", "1"), swept("a", "2", "b", "2")}, "b a"},
	} {
		records := lists.Map(c.axes, func(axes []Axis) *Record { return &Record{Axes: axes} })
		if got := strings.Join(Differing(records, "lambda_con"), " "); got != c.want {
			t.Errorf("%s: %q differ, want %q", c.name, got, c.want)
		}
	}
}

// TestOver checks that the records of a group differ only on the given axis. The axis may be
// anywhere in a record's list of axes. Records of another table or another kind are in another
// group.
func TestOver(t *testing.T) {
	s := &metrics.Scores{}
	records := []*Record{
		system("market", "SMLM", s, Seed, "1", "lambda_eps", "0"), system("market", "SMLM", s, "lambda_eps", "0.5", Seed, "1"),
		system("market", "SMLM", s, "lambda_eps", "0", Seed, "2"), as(Published, system("market", "SMLM", s, "lambda_eps", "0")),
		record(FromSelection, nil, Dataset, "market", System, "SMLM", "lambda_eps", "0"),
	}
	var got [][]int
	for _, group := range Over(Seed, records) {
		got = append(got, lists.Map(group, func(r *Record) int { return slices.Index(records, r) }))
	}
	if d := cmp.Diff([][]int{{0, 2}, {1}, {3}, {4}}, got); d != "" {
		t.Errorf("groups (-want +got):\n%s", d)
	}
}

// TestSeedStats checks the mean and the standard deviation of eight numbers. Their squared
// differences from the mean sum to 32.
func TestSeedStats(t *testing.T) {
	if m, d := SeedStats([]float64{2, 4, 4, 4, 5, 5, 7, 9}); m != 5 || math.Abs(d-math.Sqrt(32./7)) > 1e-12 {
		t.Errorf("mean %v, deviation %v", m, d)
	}
	if m, d := SeedStats([]float64{3}); m != 3 || !math.IsNaN(d) {
		t.Errorf("one seed has mean %v and deviation %v", m, d)
	}
	if m, d := SeedStats(nil); !math.IsNaN(m) || !math.IsNaN(d) {
		t.Errorf("no seed has mean %v and deviation %v", m, d)
	}
}

// TestMeanOfUnknownValues checks that a value is averaged over the seeds that have it, and that a
// mean counts as partial if one of its records lacks outputs in some directions.
func TestMeanOfUnknownValues(t *testing.T) {
	one, two := system("market", "SMLM", &metrics.Scores{}, Seed, "1"), system("market", "SMLM", &metrics.Scores{}, Seed, "2")
	two.Values, two.Partial = metrics.Values{"tst": 50}, true
	mean := meanOver(Seed, []*Record{one, two})
	if len(mean) != 1 || !mean[0].Partial || mean[0].Values["tst"] != 50 || one.Partial || one.Values != nil {
		t.Errorf("mean %+v", mean)
	}
	made := Build("seeds", []*Record{one, two}, About{})
	if got := made.Rows[0].Cells[made.Column("tst")].Text; got != "50.0" {
		t.Errorf("the mean is printed as %q", got)
	}
}

// TestSettingColumns checks that booleans are printed as yes and no, and that columns of words are
// left-aligned.
func TestSettingColumns(t *testing.T) {
	m := scores(2, 2, 2, 0.2, 2, 0, 0, 0, 0, 0, 0)
	ours := func(token, variant string) *Record {
		return system("market", "SMLM", m, "lambda_con", "10", "source_token", token, "variant", variant)
	}
	records := []*Record{ours("true", "first"), ours("false", "batch conicity"), as(Published, system("market", "Tag", m))}
	made := Build("results", records, About{})
	if got := heads(made); !strings.HasPrefix(got, "System,lambda_con,source_token,variant,TST%") {
		t.Errorf("columns %s", got)
	}
	got := lists.Map(made.Rows, func(r Row) string { return strings.Join(texts(r)[1:4], ";") })
	if d := cmp.Diff([]string{"10;yes;first", "10;no;batch conicity", ";;"}, got); d != "" {
		t.Error(d)
	}
	for j, want := range []table.Align{table.Left, table.Right, table.Left, table.Left, table.Right} {
		if got := made.Columns[j].Align; got != want {
			t.Errorf("column %d has the alignment %v, want %v", j, got, want)
		}
	}
}
