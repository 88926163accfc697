package guided

import (
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// ContentKept says how much of the content of a source its output has, from 0 to 1. It is the
// square of the F1 of their words, each weighted by its content (docs/guided.md). If no word of
// source and output has content, ContentKept is 1.
func (w *Writer) ContentKept(source, output []int64, d corpus.Direction) float64 {
	kept, all := 0.0, 0.0
	left := slices.Clone(output)
	for _, id := range source {
		c := w.content(id, d)
		all += c
		if k := slices.Index(left, id); k >= 0 {
			kept += c
			left = slices.Delete(left, k, k+1)
		}
	}
	for _, id := range output {
		all += w.content(id, d)
	}
	if all == 0 {
		return 1
	}
	f1 := 2 * kept / all
	return f1 * f1
}

// FluencyKept says how fluent an output with n odd trigrams is, from 0 to 1.
func FluencyKept(n int) float64 { return math.Exp(-0.3 * float64(n)) }

// Odd returns the number of odd trigrams of an output: those that neither its source nor the
// training text has.
func (w *Writer) Odd(source, output []int64) int { return w.odd(trigramSet(source), output) }

// The method odd does the same as Odd, given the set of the source's trigrams.
func (w *Writer) odd(known map[trigram]bool, output []int64) (n int) {
	for _, t := range trigrams(output) {
		if !known[t] && !w.Fluency.Has(t) {
			n++
		}
	}
	return n
}

// trigram holds the ids of three words in a row.
type trigram [3]int64

// trigrams returns the trigrams of a sentence. The tokens <bos> and <eos> around the sentence count
// too.
func trigrams(ids []int64) []trigram {
	all := slices.Concat([]int64{corpus.BosID}, ids, []int64{corpus.EosID})
	out := make([]trigram, max(0, len(all)-2))
	for k := range out {
		out[k] = trigram(all[k : k+3])
	}
	return out
}

func trigramSet(ids []int64) map[trigram]bool {
	set := map[trigram]bool{}
	for _, t := range trigrams(ids) {
		set[t] = true
	}
	return set
}
