package figure

import "slices"

// XY is a point of which both coordinates are the better the larger.
type XY struct{ X, Y float64 }

// Pareto returns the indices of the points that no other point dominates, that is, equals or
// exceeds in both coordinates and exceeds in one: by rising X, equal points in the order given.
func Pareto(points []XY) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { // from the right; of one X, the highest first
		a, b := points[i], points[j]
		switch {
		case a.X != b.X && a.X > b.X, a.X == b.X && a.Y > b.Y:
			return -1
		case a == b:
			return j - i // the front is turned round in the end
		}
		return 1
	})
	var front []int
	for _, i := range order {
		if len(front) == 0 || points[i].Y > points[front[len(front)-1]].Y || points[i] == points[front[len(front)-1]] {
			front = append(front, i)
		}
	}
	slices.Reverse(front)
	return front
}

// frontOf returns the points on the front, by rising s-BLEU: systems that have not collapsed.
func frontOf(points []TradeOffPoint) []int {
	var xy []XY
	var ranked []int
	for i, q := range points {
		if !q.Collapsed && !q.People {
			xy, ranked = append(xy, XY{q.SBLEU.Mean, q.TST.Mean}), append(ranked, i)
		}
	}
	front := Pareto(xy)
	for i, at := range front {
		front[i] = ranked[at]
	}
	return front
}
