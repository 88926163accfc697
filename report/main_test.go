package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mainRows are a system of two seeds and two decodings, a published one, and people.
// The first three are in the paper: package paper has the values.
func mainRows() []ResultRow {
	row := func(system, decoding string, seed uint64, tst, mean float64) ResultRow {
		return ResultRow{
			Dataset: "amazon", System: system, Seed: seed,
			Axes:    []Axis{{Key: "lambda_eps", Value: "0.5"}, {Key: "decoding", Value: decoding}},
			Metrics: scores(tst, 30, 60, .9, mean, .1*float64(seed), .1, 100, 100, 0, 0),
		}
	}
	published := func(system string, unranked bool) ResultRow {
		return ResultRow{
			Dataset: "amazon", System: system, Published: true, Unranked: unranked,
			Metrics: scores(58.2, 34.15, 68.3, .93, 73, .1, .1, 100, 100, 0, 0),
		}
	}
	return []ResultRow{
		row("SMLM", "copied", 1, 60, 70), row("SMLM", "copied", 2, 64, 72),
		row("SMLM", "guided", 1, 80, 75), row("SMLM", "guided", 2, 80, 77),
		published("DirR", false), published("human references", true),
	}
}

// By hand: 60 and 64 have mean 62 and deviation 2 sqrt 2 = 2.83. The paper's values stand once a
// system, below a line and unranked; a setting in which all rows agree has no column. Of the
// commonest new word's share the seeds' largest is shown.
func TestMain(t *testing.T) {
	table := Main(mainRows(), true, About{})
	if got, want := heads(table), "System,TST%,r-BLEU,s-BLEU,Nat.,Mean,commonest new word"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	want := []string{
		"SMLM (copied)|62.0 ± 2.8|30.0 ± 0.0|60.0 ± 0.0|0.900 ± 0.000|71.00 ± 1.41|.20 / .10",
		"SMLM (guided)|80.0 ± 0.0|30.0 ± 0.0|60.0 ± 0.0|0.900 ± 0.000|76.00 ± 1.41|.20 / .10",
		"DirR|58.2|34.1|68.3|0.930|73.00|.10 / .10",
		"human references|58.2|34.1|68.3|0.930|73.00|.10 / .10",
		"SMLM, as printed|66.5|31.8|69.2|0.9|75.23|",
		"DirR, as printed|58.2|30.1†|60.6†|0.91|69.93†|",
	}
	got := lines(table)
	if len(got) != len(want) {
		t.Fatalf("rows %q", got)
	}
	for i := range want {
		if i != 4 && got[i] != want[i] { // the fifth is the paper's, see below
			t.Errorf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
	if !strings.HasPrefix(got[4], "SMLM, as printed|") || !table.Rows[4].Rule || table.Rows[5].Rule {
		t.Errorf("the paper's rows: %q", got[4:])
	}
	for i, r := range table.Rows {
		for j, c := range r.Cells {
			if i >= 3 && c.Mark != Plain {
				t.Errorf("row %d, column %d: a value of people or of the paper is ranked", i, j)
			}
		}
	}
	legend := strings.Join(table.Legend, " ")
	for _, want := range []string{"over 2 seeds", "dev outputs", "As printed: in the paper", "†: differs"} {
		if !strings.Contains(legend, want) {
			t.Errorf("the legend lacks %q: %s", want, legend)
		}
	}
	var b strings.Builder
	if err := table.Write(&b, "latex"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`\toprule`, `\textbf{80.0}{\scriptsize$\,\pm\,$0.0}`, `\underline{62.0}{\scriptsize$\,\pm\,$2.8}`,
		`58.2\phantom{{\scriptsize$\,\pm\,$2.8}}`, `\caption[Main results`, `\label{tab:main}`,
		`30.1\phantom{{\scriptsize$\,\pm\,$0.0}}\rlap{$^\dagger$}`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("LaTeX lacks %s:\n%s", want, b.String())
		}
	}
	for _, not := range []string{"parbox", "whitespace", "version:1", "tab:amazon"} {
		if strings.Contains(b.String(), not) {
			t.Errorf("LaTeX has %s", not)
		}
	}
	// Where rows differ in a setting it has a column.
	rows := mainRows()
	rows[2].Axes[0].Value, rows[3].Axes[0].Value = "1", "1"
	if got := heads(Main(rows, false, About{})); !strings.HasPrefix(got, "System,lambda_eps,TST%") {
		t.Errorf("columns %s", got)
	}
}

// Words that the source has not, by hand; those that it has elsewhere count as moved.
func TestReplaced(t *testing.T) {
	for _, c := range []struct {
		source, output string
		want           string // x: put there
	}{
		{"the food was cold .", "the food was great .", "...x."},
		{"the food was cold .", "the food was cold .", "....."},
		{"a b c", "b c d", "..x"},
		{"a", "", ""},
		{"", "a b", "xx"},
		{"a b", "b a", ".x"},
		{"best", "best best best", ".xx"},
	} {
		var got strings.Builder
		for _, put := range Replaced(strings.Fields(c.source), strings.Fields(c.output)) {
			got.WriteByte(map[bool]byte{true: 'x', false: '.'}[put])
		}
		if got.String() != c.want {
			t.Errorf("%q, %q: %s, want %s", c.source, c.output, got.String(), c.want)
		}
	}
}

// A p that no resample was as extreme as is printed as a bound, rounded up, in every format; what
// Holm makes of it too. 1/1001 = .000999, times 3 is .002997.
func TestLeastP(t *testing.T) {
	row := func(b string, bootstrap, randomisation float64) SignificanceRow {
		r := compare(bootstrap, randomisation)
		r.B, r.Resamples = b, 1000
		return r
	}
	least := 1. / 1001
	table := Significance([]SignificanceRow{row("x", least, least), row("y", least, .012), row("z", .5, .4)}, About{})
	want := []string{
		"x|TST%|60.0|55.0|+5.0|[+2.0, +8.0]|≤ 0.001|≤ 0.001|≤ 0.003|different",
		"y|TST%|60.0|55.0|+5.0|[+2.0, +8.0]|≤ 0.001|0.012|0.024|different",
		"z|TST%|60.0|55.0|+5.0|[+2.0, +8.0]|0.500|0.400|0.500|not different",
	}
	if d := cmp.Diff(want, lines(table)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if table.Legend[0] != "A: one." || slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Head == "A" }) {
		t.Errorf("the one system that all are compared with: %q, %s", table.Legend, heads(table))
	}
	for format, want := range map[string]string{
		"latex": `$\leq$ 0.001`, "markdown": "| ≤ 0.001 |", "html": ">≤ 0.001<", "text": "≤ 0.001", "csv": ",0.001,yes,",
	} {
		var b strings.Builder
		if err := table.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %q (%v):\n%s", format, want, err, b.String())
		}
	}
}
