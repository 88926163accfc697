package report

import (
	"sort"
	"strconv"
)

// rank marks the best and the second-best value of column col among rows, comparing the numbers as printed, so that what looks
// equal is marked alike. Higher is better. Fewer than two different values leave nothing to mark.
func rank(rows []Row, col int) {
	values := map[int]float64{}
	var distinct []float64
	seen := map[float64]bool{}
	for i, r := range rows {
		v, err := strconv.ParseFloat(r.Cells[col].Text, 64)
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
