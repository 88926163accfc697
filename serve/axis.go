package serve

import (
	"math"
	"strconv"
	"strings"
)

// axis is one side of a plot: from values to places in the picture.
type axis struct {
	low, high float64 // values
	from, to  float64 // their places
}

// newAxis spans values, with a little room around them; from and to are places in the picture.
func newAxis(values []float64, from, to float64) axis {
	a := axis{math.Inf(1), math.Inf(-1), from, to}
	for _, v := range values {
		a.low, a.high = min(a.low, v), max(a.high, v)
	}
	if a.low > a.high { // of no values
		a.low, a.high = 0, 1
	}
	room := (a.high - a.low) * .06
	if room == 0 {
		room = max(math.Abs(a.low)*.05, 1e-3)
	}
	a.low, a.high = a.low-room, a.high+room
	return a
}

func (a axis) at(v float64) float64 {
	return math.Round(10*(a.from+(v-a.low)/(a.high-a.low)*(a.to-a.from))) / 10
}

// tick is a mark of an axis.
type tick struct {
	At   float64
	Text string
}

// ticks are at most n or so round values: 1, 2 or 5 times a power of ten apart.
func (a axis) ticks(n int) (out []tick) {
	rough := (a.high - a.low) / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= rough {
			step = m * power
			break
		}
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	for k := math.Ceil(a.low / step); k*step <= a.high; k++ {
		text := strconv.FormatFloat(k*step+0, 'f', decimals, 64)
		out = append(out, tick{a.at(k * step), strings.Replace(text, "-", "−", 1)})
	}
	return out
}
