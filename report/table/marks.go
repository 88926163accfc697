package table

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// PaperRow is the label of rows with the paper's values. Such a row belongs to our row above it.
const PaperRow = "paper"

// Marked reports whether any value of t is marked as best.
func (t *Table) Marked() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Best })
	})
}

// The method joined reports whether any row of t belongs to the row above it (Row.Joined).
func (t *Table) joined() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Joined })
}

// The method said returns all text about the table. marks has sentences that explain marked values.
// They come after the legend.
func (t *Table) said(marks ...string) []string {
	return slices.Concat(t.legend(), marks, t.Under(), t.Signatures)
}

// legend returns the legend. If a cell has several numbers, the legend includes the field Order,
// which explains such cells.
func (t *Table) legend() []string {
	if slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells[t.Labels:], func(c Cell) bool { return strings.Contains(c.Text, " / ") })
	}) {
		return slices.Concat(t.Legend, t.Order)
	}
	return slices.Clone(t.Legend)
}

// Under returns the text about the table that comes between the legend and the signatures.
func (t *Table) Under() []string { return slices.Concat(t.Defines, t.Settings, t.Notes, t.Hints) }

// notes returns all text about the table for a format that marks the best values. If t has marks,
// the text explains them.
func (t *Table) notes() []string {
	if !t.Marked() {
		return t.said()
	}
	return t.said(t.marksMean())
}

// marksMean returns sentences that explain the marks of t.
func (t *Table) marksMean() string {
	note := "Bold marks the best number"
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Dataset != t.Rows[0].Dataset }) {
		note += " of each data set"
	}
	note += ", whether or not the difference is significant."
	if t.Unmarked != "" {
		note += " " + t.Unmarked
	}
	if t.joined() {
		note += " The rows \"" + PaperRow + "\" are not ranked."
	}
	return note
}

// Rank marks the best value of a column for each data set. Only rows for which competes returns
// true take part. The best value is the greatest or, if least is set, the smallest. Numbers are
// compared as printed, so that equal numbers get equal marks. If all values are equal, none is
// marked. If the greatest value is the best, 0 is not marked.
func (t *Table) Rank(column int, least bool, competes func(row int) bool) {
	for start := 0; start < len(t.Rows); {
		end, values := start, map[int]float64{} // values maps the index of a row to the row's number
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

// mark marks the best values of one data set for Rank. The parameter values maps the index of each
// competing row to the row's number.
func (t *Table) mark(column int, least bool, values map[int]float64) {
	sorted := slices.Sorted(maps.Values(values))
	if len(sorted) == 0 || sorted[0] == sorted[len(sorted)-1] {
		return
	}
	best := sorted[len(sorted)-1]
	if least {
		best = sorted[0]
	} else if best == 0 {
		return
	}
	for i, v := range values {
		if v == best {
			t.Rows[i].Cells[column].Best = true
		}
	}
}

// leading returns the number at the beginning of a text such as "60.8 ± 0.4", "60.8 [58.9, 62.7]"
// or "107,384", without commas.
func leading(text string) string {
	number, _, _ := strings.Cut(text, " ")
	return strings.ReplaceAll(number, ",", "")
}

// The method stressed escapes a cell's text word by word. It puts the strings open and end around
// each group of adjacent words that are stressed, which means in bold or the like. text is "" if
// the cell is merged with the cell above.
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
