package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"pgregory.net/rapid"
)

// TestTextFitsTheScreen checks that no line of a table is wider than a screen, whatever the size of
// the table, and that each number is printed once.
func TestTextFitsTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.IntRange(1, 30).Draw(t, "numbers")
		table := &Table{
			Title: strings.Repeat("a title of some words ", rapid.IntRange(1, 8).Draw(t, "title")), Labels: 2,
			Columns: []Column{{Head: "Data set", Merge: true}, {Head: "System"}},
		}
		for j := range numbers {
			table.Columns = append(table.Columns, Column{Head: fmt.Sprint("head", j), Align: Right})
		}
		for i := range rapid.IntRange(1, 5).Draw(t, "rows") {
			system := strings.Repeat("word ", rapid.IntRange(0, 20).Draw(t, "system")) + fmt.Sprint("s", i)
			r := Row{Cells: []Cell{{Text: "market"}, {Text: system}}}
			for j := range numbers {
				r.Cells = append(r.Cells, Cell{Text: fmt.Sprintf("%d.%d ± 0.1", i, j)})
			}
			table.Rows = append(table.Rows, r)
		}
		var b strings.Builder
		if err := table.Write(&b, "text"); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if text.StringWidth(line) > ScreenWidth {
				t.Fatalf("%d columns: %s", text.StringWidth(line), line)
			}
		}
		for i, r := range table.Rows {
			for j, c := range r.Cells[2:] {
				if n := strings.Count(b.String(), " "+c.Text); n != 1 {
					t.Fatalf("number %d of row %d stands %d times:\n%s", j, i, n, &b)
				}
			}
		}
	})
}

// TestScreen checks that Screen leaves out minor columns if the screen is too narrow for all
// columns, and that it prints the title and the legend, but no other text about the table.
func TestScreen(t *testing.T) {
	made := func(numbers int) *Table {
		table := &Table{
			Title: "Results.", Labels: 1, Columns: []Column{{Head: "System"}}, Legend: []string{"The legend."},
			Defines: []string{"A definition."}, Notes: []string{"A note."}, Hints: []string{"A hint."},
			Settings: []string{"A setting."}, Signatures: []string{"A signature."},
		}
		row := Row{Cells: []Cell{{Text: "SMLM"}}}
		for j := range numbers {
			table.Columns = append(table.Columns, Column{Head: fmt.Sprint("number", j), Align: Right, Minor: j%3 == 1})
			row.Cells = append(row.Cells, Cell{Text: "1.0"})
		}
		table.Rows = []Row{row}
		return table
	}
	for numbers, want := range map[int]string{
		3:  "Results. System number0 number1 number2 SMLM 1.0 1.0 1.0 The legend.",
		10: "Results. System number0 number2 number3 number5 number6 number8 number9 SMLM" + strings.Repeat(" 1.0", 7) + " The legend.",
	} {
		var b strings.Builder
		if err := made(numbers).Screen(&b); err != nil {
			t.Fatal(err)
		}
		words := slices.DeleteFunc(strings.Fields(b.String()), func(w string) bool {
			return strings.ContainsAny(w, "│─")
		})
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%d numbers: %s, want %s", numbers, got, want)
		}
	}
}

// TestRunningText checks text that all rows of a group share, such as a source sentence. In CSV,
// each row of the group has a field with this text. In LaTeX, the text is a row above the group,
// and no page ends within the group.
func TestRunningText(t *testing.T) {
	made := func(groups int) *Table {
		table := &Table{
			Name: "running", Title: "Sentences.", Labels: 2,
			Columns: []Column{
				{Head: "Direction", Merge: true, Width: 2},
				{Head: "System", Width: 3},
				{Head: "Sentence", Width: 11, Parts: []string{"Source", "Output"}},
			},
		}
		for direction := range 2 {
			for g := range groups {
				source := fmt.Sprintf("source %d of %d", g, direction)
				name := fmt.Sprint("direction ", direction)
				table.Rows = append(table.Rows,
					Row{Rule: g == 0, Shared: true, Cells: []Cell{{Text: name}, {Text: "source"}, {Text: source}}},
					Row{Joined: true, Cells: []Cell{
						{Text: name}, {Text: "SMLM"}, {Text: "an output", Parts: []string{source, "an output"}},
					}})
			}
		}
		return table
	}
	var b strings.Builder
	if err := made(1).Write(&b, "csv"); err != nil {
		t.Fatal(err)
	}
	if want := "Direction,System,Source,Output\ndirection 0,SMLM,source 0 of 0,an output\n" +
		"direction 1,SMLM,source 0 of 1,an output\n"; b.String() != want {
		t.Errorf("CSV:\n%s", &b)
	}
	b.Reset()
	if err := made(3).Write(&b, "latex"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), " \\\\*\n & SMLM & an output"); n != 6 || !strings.Contains(b.String(), "{longtable}") {
		t.Errorf("a page may end within %d of 6 sentences:\n%s", 6-n, &b)
	}
}
