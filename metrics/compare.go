package metrics

import (
	"math"
	"math/rand/v2"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Compare sets system a beside b in every metric that both have and that Intervals resamples, in the order of Metrics. The records
// are of the same test set in the same order. Resamples is the number of resamples of the one test and of shuffles of the other, at least 1. With
// d the difference of the whole test set, d* that of a resample or shuffle, and N their number, both
//
//	p = (1 + number of d* that are as extreme as d) / (N + 1)
//
// two-sided. Paired bootstrap (Koehn 2004): the same sentences of both systems are drawn with replacement within each direction, and extreme
// is |d* - mean(d*)| >= |d|. sacrebleu takes |d*| - mean(|d*|), which counts one tail: about half of this p where p is small. Low and High
// are the 2.5th and the 97.5th percentile of these d*. Approximate randomisation (Noreen 1989; Riezler and Maxwell 2005):
// for each sentence the systems' outputs are exchanged with probability 1/2, and extreme is |d*| >= |d|. Equal systems
// have p = 1 in both (1/(N+1) in sacrebleu, which asks for more than |d|).
//
// Where a direction has sentences but fewer than 5, there is no bootstrap (see Intervals): p is 1, and Low and High are NaN. Approximate
// randomisation needs no such bound: of few sentences its p cannot be small.
//
// Figures whose signatures differ must not be compared; records do not know theirs, Report does. Errors are userr.BadInput.
func Compare(a, b [2][]Sentence, resamples int, seed uint64) ([]Comparison, error) {
	if resamples < 1 {
		return nil, userr.New(userr.BadInput, "a significance test needs at least 1 resample, it was asked for %d; 1000 is usual", resamples)
	}
	if err := sameTestSet(a, b); err != nil {
		return nil, err
	}
	la, lb := ledgerOf(a), ledgerOf(b)
	wholeA, wholeB := overall(la.totals()), overall(lb.totals())
	var drawn [][]Metrics
	if !la.tooFew() {
		drawn = bootstrap(resamples, seed, la, lb)
	}
	shuffledA, shuffledB := shuffle(resamples, seed, la, lb)
	var all []Comparison
	for _, f := range figures {
		va, vb := *f.field(&wholeA), *f.field(&wholeB)
		if !f.resampled || va == nil || vb == nil {
			continue
		}
		c := Comparison{Metric: f.key, A: *va, B: *vb, Difference: *va - *vb, Low: math.NaN(), High: math.NaN(), PBootstrap: 1}
		if drawn != nil {
			resampled := differences(valuesOf(f, drawn[0]), valuesOf(f, drawn[1]))
			c.PBootstrap = extreme(resampled, mean(resampled), c.Difference)
			c.Low, c.High = percentiles(resampled)
		}
		c.PRandomisation = extreme(differences(valuesOf(f, shuffledA), valuesOf(f, shuffledB)), 0, c.Difference)
		all = append(all, c)
	}
	return all, nil
}

// shuffle returns the figures of both ledgers after exchanging rows by chance, so many times.
func shuffle(times int, seed uint64, la, lb *ledger) (a, b []Metrics) {
	rng := rand.New(rand.NewPCG(seed, shuffleStream))
	var change [2][]row // what an exchange adds to a
	for d, rows := range la.rows {
		change[d] = make([]row, len(rows))
		for i := range rows {
			for c := range columns {
				change[d][i][c] = lb.rows[d][i][c] - rows[i][c]
			}
		}
	}
	wholeA, wholeB := la.totals(), lb.totals()
	for range times {
		sumA, sumB := wholeA, wholeB
		for d := range change {
			var moved row
			coins := uint64(0)
			for i := range change[d] {
				if i%64 == 0 {
					coins = rng.Uint64()
				}
				if coins>>(i%64)&1 == 1 {
					moved.add(&change[d][i])
				}
			}
			for c, v := range moved {
				sumA[d].row[c] += v
				sumB[d].row[c] -= v
			}
		}
		a, b = append(a, overall(sumA)), append(b, overall(sumB))
	}
	return a, b
}

// differences returns a - b, item by item.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// extreme returns the p-value: how often a difference is at least as far from the centre as the one seen is from 0, itself counted in. A
// hair less counts too: sums of the same numbers in another order differ in their last digits.
func extreme(differences []float64, centre, seen float64) float64 {
	least, count := math.Abs(seen)*(1-1e-9)-1e-12, 1
	for _, d := range differences {
		if math.Abs(d-centre) >= least {
			count++
		}
	}
	return float64(count) / float64(len(differences)+1)
}

// sameTestSet refuses records that cannot be of the same sources.
func sameTestSet(a, b [2][]Sentence) error {
	for d := range a {
		if len(a[d]) != len(b[d]) {
			return userr.New(userr.BadInput, "one system has %d outputs in direction %d and the other %d; compare systems on the same test set", len(a[d]), d+1, len(b[d]))
		}
		for i := range a[d] {
			if x, y := a[d][i].Source.ReferenceWords, b[d][i].Source.ReferenceWords; x != y {
				return userr.New(userr.BadInput, "sentence %d of direction %d has %d words in the sources of one system and %d in those of the other; compare systems on the same test set",
					i+1, d+1, x, y)
			}
		}
	}
	return nil
}
