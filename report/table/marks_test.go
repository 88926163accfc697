package table

import (
	"fmt"
	"strings"
	"testing"
)

// TestRank checks that Rank marks the best and the second-best of the competing values, compared as
// printed. The worst value is not marked, nor is 0 if more is better.
func TestRank(t *testing.T) {
	for _, c := range []struct {
		values, marks string // in marks, b is the best and s the second-best
		least         bool
	}{
		{"70.1 88.9 87.5", "-bs", false},
		{"70.1 88.9 87.5", "b-s", true},
		{"70.1 88.9", "-b", false},
		{"70.1 70.1 70.1", "---", false},
		{"9.0 0.0 0.0", "b--", false},
		{"9.0 0.0 3.0", "b-s", false},
		{"9.0 0.0 3.0", "-bs", true},
		{"0.0 0.0 –", "---", false},
		{"88.9 – 88.9 70.1 60.0", "b-bs-", false},
		{"5.0 5.0 5.0 4.0 3.0", "bbbs-", false},
		{"107,384 99,000 1.5", "bs-", false},
		{"60.8±0.4 60.7±0.1 60.6±0.1", "bs-", false},
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
			got += map[Mark]string{Plain: "-", Best: "b", Second: "s"}[r.Cells[0].Mark]
		}
		if got != c.marks || table.Rows[len(table.Rows)-1].Cells[0].Mark != Plain {
			t.Errorf("%s (least %v): %s, want %s", c.values, c.least, got, c.marks)
		}
	}
}

// TestMarksAreExplained checks that the note explains the kinds of marks that the table has, and no
// others.
func TestMarksAreExplained(t *testing.T) {
	table := &Table{Columns: []Column{{}}, Unmarked: "People are not ranked."}
	for i := range 2 {
		table.Rows = append(table.Rows, Row{Dataset: fmt.Sprint("data", i), Cells: []Cell{{Text: "1"}}})
	}
	table.Rows[0].Cells[0].Mark = Best
	if got, want := table.marksMean(true), "Bold marks the best number of each data set, whether or not the difference is significant. People are not ranked."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	table.Rows[1].Dataset, table.Rows[1].Cells[0].Mark = "data0", Second
	for underlined, want := range map[bool]string{
		true:  "Bold marks the best number, underlining the second best, whether or not the difference is significant. People are not ranked.",
		false: "Bold marks the best number, whether or not the difference is significant. People are not ranked.",
	} {
		if got := table.marksMean(underlined); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
