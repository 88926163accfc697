package table

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// PaperRow is the word of rows that hold the paper's values; they are joined to ours.
const PaperRow = "paper"

// Marked says whether a value of t is marked as best or second.
func (t *Table) Marked() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Mark != Plain })
	})
}

// joined says whether a row belongs to the one above it.
func (t *Table) joined() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Joined })
}

// said is all that is said of the table, with what its marks mean where they are shown.
func (t *Table) said(marks ...string) []string {
	return slices.Concat(t.Legend, marks, t.Under(), t.Signatures)
}

// Under is what stands under a table between its legend and its signatures.
func (t *Table) Under() []string { return slices.Concat(t.Defines, t.Settings.Lines, t.Notes, t.Hints) }

// notes are the notes for a format that shows marks, underlined ones or not, with what they mean
// where t has any.
func (t *Table) notes(underlined bool) []string {
	if !t.Marked() {
		return t.said()
	}
	return t.said(t.marksMean(underlined))
}

// marksMean says what the marks of t mean.
func (t *Table) marksMean(underlined bool) string {
	some := func(m Mark) bool {
		return slices.ContainsFunc(t.Rows, func(r Row) bool {
			return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Mark == m })
		})
	}
	note := "Best values "
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Dataset != t.Rows[0].Dataset }) {
		note += "of each " + cmp.Or(t.Within, "data set") + " "
	}
	note += "in bold"
	if underlined && some(Second) {
		note += ", second best underlined"
	}
	if note += "."; t.Unmarked != "" {
		note += " " + t.Unmarked
	}
	if t.joined() {
		note += " The rows \"" + PaperRow + "\" are not ranked."
	}
	return note
}

// Rank marks the best and the second-best value of a column among the rows of each data set that
// compete; the greatest is best, or the least. Numbers compare as printed, so that what looks equal
// is marked alike. A column needs two different values for a mark, and three for a second best. Two
// kinds of value have no mark: a 0 where the greatest is best, and one that many rows share.
func (t *Table) Rank(column int, least bool, competes func(row int) bool) {
	for start := 0; start < len(t.Rows); {
		end, values := start, map[int]float64{} // by row
		for ; end < len(t.Rows) && t.Rows[end].Dataset == t.Rows[start].Dataset; end++ {
			v, err := strconv.ParseFloat(leading(t.Rows[end].Cells[column].Text), 64)
			if err == nil && competes(end) {
				values[end] = v
			}
		}
		t.mark(column, least, values)
		start = end
	}
}

// How many rows may share a marked value: a mark on many says nothing.
const (
	fewAlike  = 2
	mostAlike = 0.25 // of those that are ranked
)

// mark is Rank of one data set.
func (t *Table) mark(column int, least bool, values map[int]float64) {
	distinct := slices.Collect(maps.Values(values))
	slices.SortFunc(distinct, func(a, b float64) int {
		if least {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	})
	if distinct = slices.Compact(distinct); len(distinct) < 2 {
		return
	}
	alike := map[float64]int{} // rows that share a value
	for _, v := range values {
		alike[v]++
	}
	marks := func(v float64) bool {
		return (least || v != 0) && alike[v] <= max(fewAlike, int(mostAlike*float64(len(values))))
	}
	for k, m := range []Mark{Best, Second} {
		if k+1 == len(distinct) || !marks(distinct[k]) {
			return
		}
		for i, v := range values {
			if v == distinct[k] {
				t.Rows[i].Cells[column].Mark = m
			}
		}
	}
}

// leading is the number that a text begins with, without what is said of it: "60.8 ± 0.4", "60.8
// [58.9, 62.7]", "107,384".
func leading(text string) string {
	number, _, _ := strings.Cut(text, " ")
	return strings.ReplaceAll(number, ",", "")
}

// stressed is a text of a cell, or "" where it is merged with the one above, escaped word by word,
// with open and end around each run of the words that are set apart.
func (c *Cell) stressed(text string, escape func(string) string, open, end string) string {
	if text == "" || !slices.Contains(c.Stress, true) {
		return escape(text)
	}
	words := strings.Split(text, " ")
	is := func(i int) bool { return i >= 0 && i < len(words) && i < len(c.Stress) && c.Stress[i] }
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if is(i) && !is(i-1) {
			b.WriteString(open)
		}
		b.WriteString(escape(w))
		if is(i) && !is(i+1) {
			b.WriteString(end)
		}
	}
	return b.String()
}
