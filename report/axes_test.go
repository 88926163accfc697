package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/report/table"
)

func TestDiffering(t *testing.T) {
	for _, c := range []struct {
		name string
		axes [][]Axis
		want string
	}{
		{"nothing", nil, ""},
		{"equal", [][]Axis{{{Key: "dim", Value: "8"}}, {{Key: "dim", Value: "8"}}}, ""},
		{"values", [][]Axis{swept("dim", "8", "ff", "9"), swept("dim", "8", "ff", "10")}, "ff"},
		{"missing in the first", [][]Axis{nil, {{Key: "dim", Value: "8"}}}, "dim"},
		{"missing in the last", [][]Axis{{{Key: "dim", Value: "8"}}, nil}, "dim"},
		{
			"has a column",
			[][]Axis{swept("lambda_con", "8", "divlstm.own", "1"), swept("lambda_con", "9", "divlstm.own", "2")},
			"",
		},
		{"two", [][]Axis{swept("b", "1", "a", "1"), swept("a", "2", "b", "2")}, "b a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(Differing(c.axes, "lambda_con", "own"), " "); got != c.want {
				t.Errorf("%q differ, want %q", got, c.want)
			}
		})
	}
}

// Switches are words a person writes, and words stand to the left.
func TestResultsAxes(t *testing.T) {
	axes := func(copied, variant string) []Axis {
		return swept("lambda_con", "10", "source_token", copied, "variant", variant)
	}
	m := scores(2, 2, 2, 0.2, 2, 0, 0, 0, 0, 0, 0)
	made := Results([]ResultRow{
		{Dataset: "market", System: "SMLM", Axes: axes("true", "first"), Metrics: m},
		{Dataset: "market", System: "SMLM", Axes: axes("false", "batch conicity"), Metrics: m},
		{Dataset: "market", System: "Tag", Published: true, Metrics: m},
	}, About{})
	if got := heads(made); !strings.HasPrefix(got, "System,lambda_con,source_token,variant,TST%") {
		t.Errorf("columns %s", got)
	}
	var got []string
	for _, r := range made.Rows {
		got = append(got, r.Cells[1].Text+";"+r.Cells[2].Text+";"+r.Cells[3].Text)
	}
	if d := cmp.Diff([]string{"10;yes;first", "10;no;batch conicity", ";;"}, got); d != "" {
		t.Error(d)
	}
	if made.Columns[1].Align != table.Right || made.Columns[2].Align != table.Left ||
		made.Columns[3].Align != table.Left {
		t.Errorf("alignments %v", made.Columns[1:4])
	}
	if got := axesText(axes("false", "x")); got != "lambda_con 10, source_token no, variant x" {
		t.Errorf("in a line: %q", got)
	}
}

// swept are axes, each a key and its value.
func swept(words ...string) (axes []Axis) {
	for i := 0; i < len(words); i += 2 {
		axes = append(axes, Axis{Key: words[i], Value: words[i+1]})
	}
	return axes
}
