package report

import (
	"sort"
	"strconv"
	"strings"
)

// rank marks the best and the second-best value of column col among rows, comparing the numbers as printed, so that what looks
// equal is marked alike. Higher is better. Fewer than two different values leave nothing to mark.
func rank(rows []Row, col int) {
	values := map[int]float64{}
	var distinct []float64
	seen := map[float64]bool{}
	for i, r := range rows {
		v, err := strconv.ParseFloat(leading(r.Cells[col].Text), 64)
		if err != nil {
			continue
		}
		values[i] = v
		if !seen[v] {
			seen[v] = true
			distinct = append(distinct, v)
		}
	}
	if len(distinct) < 2 {
		return
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(distinct)))
	for i, v := range values {
		switch v {
		case distinct[0]:
			rows[i].Cells[col].Mark = Best
		case distinct[1]:
			rows[i].Cells[col].Mark = Second
		}
	}
}

// leading is the number that a text begins with, without what is said of it: "60.8 ± 0.4", "60.8 [58.9, 62.7]", "107,384".
func leading(text string) string {
	number, _, _ := strings.Cut(text, " ")
	return strings.ReplaceAll(number, ",", "")
}

// rankByDataset marks n columns from first on, among the rows of a data set that compete.
func rankByDataset(rows []Row, first, n int, competes func(row int) bool) {
	for start := 0; start < len(rows); {
		end := start
		var group []Row // they share their cells with the table
		for ; end < len(rows) && rows[end].dataset == rows[start].dataset; end++ {
			if competes(end) {
				group = append(group, rows[end])
			}
		}
		for j := range n {
			rank(group, first+j)
		}
		start = end
	}
}
