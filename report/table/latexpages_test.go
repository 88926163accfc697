package table

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the size of a table, each of its cells stands on one page of it, labels beside every run
// of columns; rows that belong together share a page.
func TestLatexFloatsKeepEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels, figures := rapid.IntRange(0, 3).Draw(t, "labels"), rapid.IntRange(1, 40).Draw(t, "figures")
		table := &Table{Name: "x", Labels: labels}
		for j := range labels + figures {
			table.Columns = append(table.Columns, Column{Head: fmt.Sprint("head", j)})
		}
		for i := range rapid.IntRange(0, 200).Draw(t, "rows") {
			r := Row{Joined: i > 0 && i%3 != 0}
			for j := range table.Columns {
				r.Cells = append(r.Cells, Cell{Text: fmt.Sprintf("cell-%d-%d", i, j)})
			}
			table.Rows = append(table.Rows, r)
		}
		floats, _ := table.latexFloats()
		seen := map[string]int{}
		for _, f := range floats {
			for _, b := range f.blocks {
				if len(b.Rows) > 0 && b.Rows[0].Joined {
					t.Fatal("a page begins in the middle of a group")
				}
				for _, r := range b.Rows {
					for _, c := range r.Cells {
						seen[c.Text]++
					}
				}
			}
		}
		for i, r := range table.Rows {
			for j, c := range r.Cells {
				if n := seen[c.Text]; n == 0 || n > 1 && j >= labels {
					t.Fatalf("cell %d of row %d stands %d times", j, i, n)
				}
			}
		}
	})
}

// A table a little too wide shrinks upright; a wide one lies on its side; a very wide one is cut
// into runs of columns.
func TestLatexShapes(t *testing.T) {
	wide := func(figures int) *Table {
		table := &Table{Name: "wide", Title: "Wide.", Columns: []Column{{Head: "System"}}, Labels: 1}
		row := Row{Cells: []Cell{{Text: "SMLM"}}}
		for range figures {
			table.Columns, row.Cells = append(
				table.Columns, Column{Head: "column", Align: Right},
			), append(row.Cells, Cell{Text: "123.4"})
		}
		table.Rows = []Row{row}
		return table
	}
	for _, c := range []struct {
		figures   int
		landscape bool
		blocks    int
	}{{5, false, 1}, {17, false, 1}, {22, true, 1}, {60, true, 2}} {
		floats, landscape := wide(c.figures).latexFloats()
		blocks := 0
		for _, f := range floats {
			blocks += len(f.blocks)
		}
		if landscape != c.landscape || blocks != c.blocks {
			t.Errorf(
				"%d figures: landscape %v, %d blocks; want %v, %d",
				c.figures,
				landscape,
				blocks,
				c.landscape,
				c.blocks,
			)
		}
	}
	var b strings.Builder
	if err := wide(22).Write(&b, "latex"); err != nil || !strings.Contains(b.String(), `\rotatebox{90}`) {
		t.Errorf("%v: the fragment does not turn the table:\n%s", err, b.String())
	}
	b.Reset()
	if err := wide(22).Write(&b, "latex-document"); err != nil || !strings.Contains(b.String(), `\begin{landscape}`) {
		t.Errorf("%v: the document does not turn the page:\n%s", err, b.String())
	}
}

// A long word breaks behind its separators, and anywhere only in long runs without one.
func TestLatexLongWords(t *testing.T) {
	const here = `\allowbreak{}`
	for in, want := range map[string]string{
		"tok:whitespace|case:as-is": "tok:" + here + `whitespace\textbar{}` + here + "case:" + here + "as-" + here +
			"is",
		"short|word":              `short\textbar{}word`,
		"averyverylongfoldername": "averyver" + here + "ylongfol" + here + "dername",
	} {
		if got := LaTeXText(in); got != want {
			t.Errorf("LaTeXText(%q) = %q, want %q", in, got, want)
		}
	}
}

// A part of the columns of which a joined row has nothing is without that row.
func TestColumnPart(t *testing.T) {
	table := &Table{Columns: make([]Column, 4), Labels: 2, Rows: []Row{
		{Cells: []Cell{{Text: "SMLM"}, {Text: "ours"}, {Text: "65.0"}, {Text: ".20"}}},
		{Cells: []Cell{{Text: "SMLM"}, {Text: "paper"}, {Text: "63.9"}, {}}, Joined: true},
	}}
	if n := len(table.columnPart(2, 3).Rows); n != 2 {
		t.Errorf("a part that both rows fill has %d of them", n)
	}
	part := table.columnPart(3, 4)
	if len(part.Rows) != 1 || len(part.Columns) != 3 || part.Rows[0].Cells[2].Text != ".20" {
		t.Errorf("a part that one row fills: %+v", part)
	}
}

func TestUnknownFormat(t *testing.T) {
	err := (&Table{}).Write(&bytes.Buffer{}, "xlsx")
	if err == nil || !strings.Contains(err.Error(), "latex-document") {
		t.Errorf("got %v, want an error that lists the formats", err)
	}
}

// A long label hangs beside rows that repeat it, where they have room for all its lines; else it
// makes its row as high as itself.
func TestLatexLabelHangs(t *testing.T) {
	for rows, hangs := range map[int]bool{1: false, 2: false, 3: true, 6: true} {
		long := &Table{Name: "long", Labels: 1, Columns: []Column{{Head: "B", Merge: true, Width: 4.75}, {Head: "metric"}}}
		label := "SMLM (lambda_con 1.5, lambda_eps 0.5, decoding copied, seed 1)" // of three lines
		for i := range rows {
			long.Rows = append(long.Rows, Row{Cells: []Cell{{Text: label}, {Text: "TST%"}}, Rule: i == 0})
		}
		long.Rows = append(long.Rows, Row{Cells: []Cell{{Text: "SMLM"}, {Text: "TST%"}}, Rule: true})
		var b strings.Builder
		long.latexTabular(&b)
		if got := strings.Contains(b.String(), `\smash{\parbox[t]{\hsize}{\raggedright SMLM (lambda`); got != hangs {
			t.Errorf("%d rows: hangs %v", rows, got)
		}
		first := latexRow
		if !hangs {
			first = 3 * latexRow
		}
		if got := long.rowHeight(0); got != first+latexRule {
			t.Errorf("%d rows: the first is %v high, not %v", rows, got, first+latexRule)
		}
	}
}
