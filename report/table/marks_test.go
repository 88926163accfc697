package table

import (
	"fmt"
	"strings"
	"testing"
)

// TestRank checks that Rank marks the best of the competing values, compared as printed. Nothing is
// marked if all values are equal, nor is 0 if more is better.
func TestRank(t *testing.T) {
	for _, c := range []struct {
		values, marks string // in marks, b is the best
		least         bool
	}{
		{"70.1 88.9 87.5", "-b-", false},
		{"70.1 88.9 87.5", "b--", true},
		{"70.1 88.9", "-b", false},
		{"70.1 70.1 70.1", "---", false},
		{"9.0 0.0 0.0", "b--", false},
		{"9.0 0.0 3.0", "b--", false},
		{"9.0 0.0 3.0", "-b-", true},
		{"0.0 0.0 –", "---", false},
		{"88.9 – 88.9 70.1 60.0", "b-b--", false},
		{"5.0 5.0 5.0 4.0 3.0", "bbb--", false},
		{"107,384 99,000 1.5", "b--", false},
		{"60.8±0.4 60.7±0.1 60.6±0.1", "b--", false},
	} {
		table := &Table{Columns: []Column{{Head: "TST%"}}}
		for v := range strings.FieldsSeq(c.values) {
			text := strings.ReplaceAll(v, "±", " ± ")
			table.Rows = append(table.Rows, Row{Dataset: "market", Cells: []Cell{{Text: text}}})
		}
		// The last row does not compete.
		table.Rows = append(table.Rows, Row{Dataset: "market", Cells: []Cell{{Text: "1000"}}})
		table.Rank(0, c.least, func(row int) bool { return row < len(table.Rows)-1 })
		got := ""
		for _, r := range table.Rows[:len(table.Rows)-1] {
			got += map[bool]string{false: "-", true: "b"}[r.Cells[0].Best]
		}
		if got != c.marks || table.Rows[len(table.Rows)-1].Cells[0].Best {
			t.Errorf("%s (least %v): %s, want %s", c.values, c.least, got, c.marks)
		}
	}
}

// TestMarksAreExplained checks that the note explains the marks.
func TestMarksAreExplained(t *testing.T) {
	table := &Table{Columns: []Column{{}}, Unmarked: "People are not ranked."}
	for i := range 2 {
		table.Rows = append(table.Rows, Row{Dataset: fmt.Sprint("data", i), Cells: []Cell{{Text: "1"}}})
	}
	table.Rows[0].Cells[0].Best = true
	if got, want := table.marksMean(), "Bold marks the best number of each data set, whether or not the difference is significant. People are not ranked."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	table.Rows[1].Dataset = "data0"
	if got, want := table.marksMean(), "Bold marks the best number, whether or not the difference is significant. People are not ranked."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
