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

// Intervals returns, by key in Metrics' JSON, the figures of both directions with 95 % percentile bootstrap intervals (Efron and Tibshirani 1993,
// section 13.3): as many sentences as each direction has are drawn from it with replacement, and the figure is computed again of
// their sums, so many times as resamples says, at least 1. The interval runs from the 2.5th to the 97.5th percentile. Equal records,
// numbers and seeds give equal intervals.
//
// Resampled are TST, BLEU-4, METEOR, ROUGE-L, CIDEr, the embedding metrics, naturalness, Mean and perplexity, where every sentence has them. CIDEr
// keeps the weights of the whole test set. Self-BLEU, distinct-n and the collapse columns have no interval: a sentence drawn twice would
// repeat itself. Where a direction has sentences but fewer than 5, the result is nil: resamples of so few are nearly all alike, of one
// sentence exactly, and what they do not spread over would pass for certainty.
func Intervals(records [2][]Sentence, resamples int, seed uint64) map[string]Interval {
	if resamples < 1 {
		panic(fmt.Sprintf("metrics.Intervals: %d resamples", resamples))
	}
	l := ledgerOf(records)
	if l.tooFew() {
		return nil
	}
	point := overall(l.totals())
	intervals := map[string]Interval{}
	drawn := bootstrap(resamples, seed, l)[0]
	for _, f := range figures {
		if value := *f.field(&point); f.resampled && value != nil {
			low, high := percentiles(valuesOf(f, drawn))
			intervals[f.key] = Interval{Value: *value, Low: low, High: high}
		}
	}
	return intervals
}

// leastResampled is the least number of sentences of a direction of which resamples say something: of 5 there are 126 different ones.
const leastResampled = 5

// tooFew says whether a direction that has sentences has fewer than leastResampled.
func (l *ledger) tooFew() bool {
	return slices.ContainsFunc(l.rows[:], func(rows []row) bool { return len(rows) > 0 && len(rows) < leastResampled })
}

// bootstrap returns, for each ledger, its figures in every resample. All ledgers have as many rows, and the same ones are drawn.
func bootstrap(resamples int, seed uint64, ledgers ...*ledger) [][]Metrics {
	rng := rand.New(rand.NewPCG(seed, bootstrapStream))
	all := make([][]Metrics, len(ledgers))
	sums := make([][2]totals, len(ledgers))
	for range resamples {
		for d, rows := range ledgers[0].rows {
			for k, l := range ledgers {
				sums[k][d] = totals{n: len(rows), known: l.known[d]}
			}
			for range rows {
				i := rng.IntN(len(rows))
				for k, l := range ledgers {
					sums[k][d].add(&l.rows[d][i])
				}
			}
		}
		for k := range ledgers {
			all[k] = append(all[k], overall(sums[k]))
		}
	}
	return all
}

// valuesOf picks one figure, which all have.
func valuesOf(f figure, all []Metrics) []float64 {
	values := make([]float64, len(all))
	for i := range all {
		values[i] = **f.field(&all[i])
	}
	return values
}

// percentiles returns the 2.5th and the 97.5th, interpolated between neighbours (numpy's default). It sorts values.
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
