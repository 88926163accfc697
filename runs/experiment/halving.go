package experiment

import "math"

// Rung is one round of a search: so many points are trained with so much of the budget.
type Rung struct {
	Points int
	Budget int // 0: there is no budget
}

// Halving lays out successive halving (Karnin et al. 2013; Jamieson and Talwalkar 2016), with eta
// as Li et al. 2018 have it: of the points of a rung the best 1/eta, rounded down, go on to the
// next, with eta times the budget. The last rung has the budget high, the first the least that is
// low or more.
func halvingRungs(points, eta, low, high int) []Rung {
	last := 0
	for power := eta; low*power <= high; power *= eta {
		last++
	}
	rungs := make([]Rung, last+1)
	for i := range rungs {
		share := math.Pow(float64(eta), float64(last-i))
		rungs[i] = Rung{Points: max(1, points), Budget: int(math.Round(float64(high) / share))}
		points /= eta
	}
	return rungs
}
