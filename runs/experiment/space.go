// Package space draws the points of a search and lays out its rungs. Points come from the seed
// alone: the same on every machine, and independent of what has run.
package experiment

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
)

// How says what values are drawn from.
type distribution string

// The ways to draw a value.
const (
	logUniform  distribution = "log"     // log x is uniform in [log Low, log High]
	uniform     distribution = "uniform" // in [Low, High]
	wholeNumber distribution = "int"     // whole numbers from Low to High, all as likely
	oneOf       distribution = "choice"  // one of N values, all as likely
)

// Range is what the values of one key are drawn from.
type searchRange struct {
	Key       string // such as "smlm.lr": with the seed it gives the key's random numbers
	How       distribution
	Low, High float64 // not of Choice
	Whole     bool    // the key takes whole numbers alone
	N         int     // of Choice
}

// ErrFew is the error of Draw where a space has fewer points than are wanted.
var errFewPoints = errors.New("the space has too few points")

// Draw draws n points that differ (Bergstra and Bengio 2012): a value for each range, of a choice
// the number of it from 0. Values have 3 significant digits. The first points of a longer list are
// those of a shorter one.
func drawPoints(ranges []searchRange, n int, seed uint64) ([][]float64, error) {
	sources := make([]*rand.Rand, len(ranges))
	for i, r := range ranges {
		h := fnv.New64a()
		_, _ = h.Write([]byte(r.Key))
		sources[i] = rand.New(rand.NewPCG(seed, h.Sum64()))
	}
	var points [][]float64
	seen := map[string]bool{}
	for tries := 0; len(points) < n; tries++ {
		if tries > 1000+20*n { // of n equally likely points one is missed so often once in e^20
			return nil, fmt.Errorf("%w: %d were found", errFewPoints, len(points))
		}
		point := make([]float64, len(ranges))
		for i := range ranges {
			point[i] = ranges[i].draw(sources[i])
		}
		if key := fmt.Sprint(point); !seen[key] {
			seen[key], tries = true, 0
			points = append(points, point)
		}
	}
	return points, nil
}

// draw draws one value, rounded but never out of the range.
func (r *searchRange) draw(source *rand.Rand) float64 {
	var x float64
	switch r.How {
	case oneOf:
		return float64(source.IntN(r.N))
	case wholeNumber:
		x = r.Low + float64(source.Uint64N(uint64(r.High-r.Low)+1))
	case logUniform:
		x = math.Exp(math.Log(r.Low) + source.Float64()*(math.Log(r.High)-math.Log(r.Low)))
	default:
		x = r.Low + source.Float64()*(r.High-r.Low)
	}
	if r.Whole {
		x = math.Round(x)
	}
	return min(max(rounded(x), r.Low), r.High)
}

// rounded has 3 significant digits: enough to choose by, few enough to quote, and the same where
// another machine's logarithm differs in its last bit.
func rounded(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	if err != nil {
		return x
	}
	return short
}
