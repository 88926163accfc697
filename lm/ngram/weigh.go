package ngram

import (
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// discounts are D of the package comment, the last for all greater counts.
type discounts [4]float64

// of returns the discount of a count.
func (d *discounts) of(count uint32) float64 { return d[min(count, 3)] }

// estimate returns the discounts by the counts of n-grams of one length.
func estimate(counts []uint32) discounts {
	var of [5]float64 // how many n-grams have a count
	for _, c := range counts {
		if c < uint32(len(of)) {
			of[c]++
		}
	}
	y := of[1] / (of[1] + 2*of[2])
	var d discounts
	for k := 1; k < len(d); k++ {
		d[k] = float64(k) - float64(k+1)*y*of[k+1]/of[k]
		if of[k+1] == 0 || !(d[k] > 0 && d[k] <= float64(k)) { // or not a number
			return discounts{0, 0.5, 1, 1.5}
		}
	}
	return d
}

// weigh makes probabilities of the counts, those of short n-grams first.
func (m *Model) weigh() {
	words := &m.levels[0]
	classes := float64(m.vocab - corpus.NumSpecial + 2)
	counts := make([]uint32, m.vocab) // of the words that can come next
	for w := range counts {
		if predicted(uint32(w)) {
			counts[w] = words.count[w]
		}
	}
	p, _ := interpolate(counts, estimate(counts), func(int) float64 { return 1 / classes })
	for k := range m.levels {
		l := &m.levels[k]
		l.logp = logs(p)
		if k+1 == m.Order() {
			return
		}
		next := &m.levels[k+1]
		l.backoff = make([]float32, len(l.count))
		d, longer := estimate(next.count), make([]float64, len(next.word))
		for i := range l.count {
			from, to := l.first[i], l.first[i+1]
			if from == to {
				continue
			}
			suffix := next.suffix[from:to]
			some, gamma := interpolate(next.count[from:to], d, func(c int) float64 { return p[suffix[c]] })
			copy(longer[from:to], some)
			l.backoff[i] = float32(math.Log(gamma))
		}
		p = longer
	}
}

// interpolate returns the probabilities of the words that follow one context by their counts, and
// gamma of it; below is their probability after the shorter context. Without counts it is that.
func interpolate(counts []uint32, d discounts, below func(int) float64) (p []float64, gamma float64) {
	sum, kept := 0.0, 0.0
	for _, c := range counts {
		sum += float64(c)
		kept += d.of(c)
	}
	gamma = 1
	if sum > 0 {
		gamma = kept / sum
	}
	p = make([]float64, len(counts))
	for i, c := range counts {
		p[i] = gamma * below(i)
		if c > 0 {
			p[i] += (float64(c) - d.of(c)) / sum
		}
	}
	return p, gamma
}

func logs(p []float64) []float32 {
	out := make([]float32, len(p))
	for i := range p {
		out[i] = float32(math.Log(p[i]))
	}
	return out
}
