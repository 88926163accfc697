package ngram

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// BenchmarkWindow does the look-ups of a search for the best word. It tries 50 words at one
// position of a sentence and then goes on to another sentence. It tries common words more often, as
// a model does.
func BenchmarkWindow(b *testing.B) {
	text, _ := yelpText(b)
	m, rng := yelpModel(), rand.New(rand.NewPCG(1, 2))
	words := slices.Concat(text[corpus.Test]...)
	type query struct {
		ids []int64
		k   int
		try [50]int64
	}
	queries := make([]query, 4000)
	for i := range queries {
		q := &queries[i]
		q.ids = slices.Clone(text[corpus.Dev][rng.IntN(len(text[corpus.Dev]))])
		q.k = rng.IntN(len(q.ids))
		for j := range q.try {
			q.try[j] = words[rng.IntN(len(words))]
		}
	}
	sum, n := 0.0, 0
	for b.Loop() {
		q := &queries[n/50%len(queries)]
		q.ids[q.k] = q.try[n%50]
		sum += m.Window(q.ids, q.k)
		n++
	}
	if sum >= 0 {
		b.Error("no probabilities")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "windows/s")
}
