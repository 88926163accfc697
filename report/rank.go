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

// rankByDataset marks n columns from first on. of[i] is what row i shows.
func rankByDataset(rows []Row, of []ResultRow, first, n int) {
	for start := 0; start < len(rows); {
		end := start
		for end < len(rows) && of[end].Dataset == of[start].Dataset {
			end++
		}
		for j := range n {
			rank(competing(rows[start:end], of[start:end]), first+j)
		}
		start = end
	}
}

// competing returns the table rows that compete. They share their cells with the table.
func competing(rows []Row, of []ResultRow) []Row {
	var out []Row
	for i, r := range rows {
		if !of[i].Unranked {
			out = append(out, r)
		}
	}
	return out
}
