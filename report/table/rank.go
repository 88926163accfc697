package table

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Rank marks the best and the second-best value of a column among the rows of each data set that
// compete; the greatest is best, or the least. Numbers compare as printed, so that what looks equal
// is marked alike. Fewer than two different values leave nothing to mark.
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
	for i, v := range values {
		switch v {
		case distinct[0]:
			t.Rows[i].Cells[column].Mark = Best
		case distinct[1]:
			t.Rows[i].Cells[column].Mark = Second
		}
	}
}

// leading is the number that a text begins with, without what is said of it: "60.8 ± 0.4", "60.8
// [58.9, 62.7]", "107,384".
func leading(text string) string {
	number, _, _ := strings.Cut(text, " ")
	return strings.ReplaceAll(number, ",", "")
}
