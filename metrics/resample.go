package metrics

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Streams of one seed, so that resampling and swapping do not draw the same numbers.
const (
	bootstrapStream = 0x626f6f74737472
	shuffleStream   = 0x73687566666c65
)

// Intervals returns, by key in Metrics' JSON, the figures of both directions with 95 % percentile
// bootstrap intervals (Efron and Tibshirani 1993, section 13.3): as many sentences as each
// direction has are drawn from it with replacement, and the figure is computed again of their sums,
// so many times as resamples says, at least 1. The interval runs from the 2.5th to the 97.5th
// percentile. Equal records, numbers and seeds give equal intervals.
//
// Resampled are TST, BLEU-4, METEOR, ROUGE-L, CIDEr, the embedding metrics, naturalness, Mean and
// perplexity, where every sentence has them. CIDEr keeps the weights of the whole test set.
// Self-BLEU, distinct-n and the collapse columns have no interval: a sentence drawn twice would
// repeat itself. Where a direction has sentences but fewer than 5, the result is nil: resamples of
// so few are nearly all alike, of one sentence exactly, and what they do not spread over would pass
// for certainty.
func Intervals(records [2][]Sentence, resamples int, seed uint64) map[string]Interval {
	if resamples < 1 {
		panic(fmt.Sprintf("metrics.Intervals: %d resamples", resamples))
	}
	l := ledgersOf(records)[0]
	if l.tooFew() {
		return nil
	}
	intervals := map[string]Interval{}
	drawn := bootstrap(resamples, seed, l)
	for key, value := range overall(tested(), l.totals()) {
		low, high := percentiles(valuesOf(key, drawn))
		intervals[key] = Interval{Value: value, Low: low, High: high}
	}
	return intervals
}

// Interval is a figure with its 95 % bootstrap interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// tested are the metrics that are resampled.
func tested() []*Metric {
	return slices.DeleteFunc(All(), func(m *Metric) bool { return !m.tested })
}

// leastResampled is the least number of sentences of a direction of which resamples say something:
// of 5 there are 126 different ones.
const leastResampled = 5

// tooFew says whether a direction that has sentences has fewer than leastResampled.
func (l *ledger) tooFew() bool {
	return slices.ContainsFunc(l.rows[:], func(rows []row) bool { return len(rows) > 0 && len(rows) < leastResampled })
}

// bootstrap returns the figures of a ledger in every resample. Of ledgers with as many rows the
// same ones are drawn.
func bootstrap(resamples int, seed uint64, l *ledger) []Values {
	rng, metrics := rand.New(rand.NewPCG(seed, bootstrapStream)), tested()
	all := make([]Values, resamples)
	for k := range all {
		var sums [2]totals
		for d, rows := range l.rows {
			sums[d] = l.empty(d)
			for range rows {
				sums[d].add(rows[rng.IntN(len(rows))])
			}
		}
		all[k] = overall(metrics, sums)
	}
	return all
}

// valuesOf picks one metric, which all have.
func valuesOf(key string, all []Values) []float64 {
	values := make([]float64, len(all))
	for i := range all {
		values[i] = all[i][key]
	}
	return values
}

// percentiles returns the 2.5th and the 97.5th, interpolated between neighbours (numpy's default).
// It sorts values.
func percentiles(values []float64) (low, high float64) {
	slices.Sort(values)
	at := func(share float64) float64 {
		position := share * float64(len(values)-1)
		i := min(int(position), max(0, len(values)-2))
		next := min(i+1, len(values)-1)
		return values[i] + (position-float64(i))*(values[next]-values[i])
	}
	return at(0.025), at(0.975)
}

// average returns the arithmetic mean, 0 of nothing.
func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// Resampling of the tables: the seed, and least number of resamples.
const (
	ResampleSeed = 1
	Resamples    = 1000
)
