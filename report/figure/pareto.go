package figure

import (
	"cmp"
	"slices"
)

// xy is a point of which both coordinates are the better the larger.
type xy struct{ x, y float64 }

// pareto returns the indices of the points that no other point dominates, that is, equals or
// exceeds in both coordinates and exceeds in one: by rising X, equal points in the order given.
func pareto(points []xy) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { // from the right; of one X, the highest first
		a, b := points[i], points[j]
		return cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(b.y, a.y), j-i) // the front is turned round in the end
	})
	var front []int
	for _, i := range order {
		if len(front) == 0 || points[i].y > points[front[len(front)-1]].y || points[i] == points[front[len(front)-1]] {
			front = append(front, i)
		}
	}
	slices.Reverse(front)
	return front
}

// frontOf returns the points on the front, by rising s-BLEU: systems that have not collapsed.
func frontOf(points []TradeOffPoint) []int {
	var of []xy
	var ranked []int
	for i, q := range points {
		if !q.Collapsed && !q.People {
			of, ranked = append(of, xy{q.SBLEU.Mean, q.TST.Mean}), append(ranked, i)
		}
	}
	front := pareto(of)
	for i, at := range front {
		front[i] = ranked[at]
	}
	return front
}
