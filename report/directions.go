package report

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// inDirections makes columns of the two directions beside each other two fields in CSV: "repeat 1", "repeat 2".
func inDirections(columns []Column) []Column {
	out := make([]Column, len(columns))
	for i, c := range columns {
		out[i] = c.split("1", "2")
	}
	return out
}

// directionCells are collapseCells with the two numbers of each apart.
func directionCells(r *metrics.Scores) []Cell {
	a, b := &r.Directions[0], &r.Directions[1]
	cells := collapseCells(r)
	cells[0].Parts = []string{share(a.CommonestNewWordShare), share(b.CommonestNewWordShare)}
	cells[1].Parts = []string{fmt.Sprint(a.DistinctNewWords), fmt.Sprint(b.DistinctNewWords)}
	cells[2].Parts = []string{share(a.RepeatShare), share(b.RepeatShare)}
	return cells
}
