package table

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestHTMLSharedLabels checks that a label in a Merge column is a single cell that spans all rows
// with this label. If there is only one such row, the cell has no rowspan.
func TestHTMLSharedLabels(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "Data set", Merge: true}, {Head: "B", Merge: true}, {Head: "metric"}}}
	for _, r := range []string{"yelp,Tag,TST%", "yelp,Tag,PPL", "yelp,DirR,TST%", "snli,DirR,TST%"} {
		var row Row
		for text := range strings.SplitSeq(r, ",") {
			row.Cells = append(row.Cells, Cell{Text: text})
		}
		table.Rows = append(table.Rows, row)
	}
	var out strings.Builder
	if err := table.Write(&out, "html"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<tr><td class="shared" rowspan="3">yelp</td><td class="shared" rowspan="2">Tag</td><th scope="row" class="name">TST%</th></tr>`,
		`<tr><th scope="row" class="name">PPL</th></tr>`,
		`<tr><td class="shared">DirR</td><th scope="row" class="name">TST%</th></tr>`,
		`<tr><td class="shared">snli</td><td class="shared">DirR</td><th scope="row" class="name">TST%</th></tr>`,
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("no row %s in\n%s", want, out.String())
		}
	}
}

var cellTag = regexp.MustCompile(`<t[dh][^>]*?(?: rowspan="(\d+)")?>`)

// TestHTMLSpansFillTheTable checks that the cells, some of which cover several rows, fill all rows
// and columns, whichever labels repeat.
func TestHTMLSpansFillTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &Table{
			Columns: []Column{{Head: "a", Merge: true}, {Head: "b", Merge: rapid.Bool().Draw(t, "merge")}, {Head: "c"}},
			Labels:  2,
		}
		label := rapid.SampledFrom([]string{"x", "y"})
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			table.Rows = append(table.Rows, Row{
				Cells:  []Cell{{Text: label.Draw(t, "a")}, {Text: label.Draw(t, "b")}, {Text: "1"}},
				Joined: rapid.Bool().Draw(t, "joined"),
			})
		}
		var out strings.Builder
		if err := table.Write(&out, "html"); err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(out.String(), "<tbody>")
		filled := 0
		for _, cell := range cellTag.FindAllStringSubmatch(body, -1) {
			n, err := strconv.Atoi("0" + cell[1])
			if err != nil {
				t.Fatal(err)
			}
			filled += max(n, 1)
		}
		if want := len(table.Rows) * len(table.Columns); filled != want {
			t.Fatalf("%d cells of %d are filled:\n%s", filled, want, body)
		}
	})
}
