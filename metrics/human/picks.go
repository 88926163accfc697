package human

import "math"

// Picks says how often a number points to the output that readers find better: of every two outputs
// of a sentence that differ by a point or more, in the mean of the readers who rated both, the
// share in which the better one has the larger number. Equal numbers count half, so that a number
// that knows nothing has 50 %.
type Picks struct {
	Total PairShare   // by the sum of the scores
	Each  []PairShare // by what each of Scales says alone
}

// PairShare is a share of so many pairs.
type PairShare struct {
	Share
	Pairs int
}

// Picks compares what value says of outputs, more being better, with what readers say. Outputs that
// value does not know are left out.
func (r Readings) Picks(value func(system string, s Sentence) (float64, bool)) Picks {
	scores := []func(*Rating) int{(*Rating).total}
	for _, s := range Scales {
		scores = append(scores, func(one *Rating) int { return *s.of(one) })
	}
	sentences := r.bySentence(r.Systems()...)
	out := Picks{Each: make([]PairShare, len(Scales))}
	for k, score := range scores {
		found := make([]picked, len(sentences))
		pairs := 0
		for i, ratings := range sentences {
			found[i] = pickedIn(ratings, score, value)
			pairs += int(found[i].pairs)
		}
		if share := (PairShare{shareOfPairs(found), pairs}); k == 0 {
			out.Total = share
		} else {
			out.Each[k-1] = share
		}
	}
	return out
}

// picked counts the pairs of outputs of a sentence, and those in which a number points to the
// better one.
type picked struct{ pairs, right float64 }

// pickedIn counts them in the ratings of one sentence.
func pickedIn(
	ratings []*Rating, score func(*Rating) int, value func(system string, s Sentence) (float64, bool),
) (out picked) {
	type output struct {
		by    scoresBy
		value float64
	}
	of := map[string]*output{}
	var names []string
	for _, one := range ratings {
		if of[one.System] == nil {
			v, known := value(one.System, one.Key())
			if !known || math.IsNaN(v) {
				continue
			}
			of[one.System] = &output{by: scoresBy{}, value: v}
			names = append(names, one.System)
		}
		of[one.System].by[one.Reader] = score(one)
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			x, y := of[a], of[b]
			more, readers := x.by.above(y.by)
			if readers == 0 || max(more, -more) < readers {
				continue
			}
			out.pairs++
			switch {
			case x.value == y.value:
				out.right += .5
			case x.value > y.value == (more > 0):
				out.right++
			}
		}
	}
	return out
}

// shareOfPairs is the share of pairs that are right.
func shareOfPairs(sentences []picked) Share {
	sum := func(next func() int) float64 {
		var all picked
		for range sentences {
			p := sentences[next()]
			all.pairs, all.right = all.pairs+p.pairs, all.right+p.right
		}
		return 100 * all.right / all.pairs
	}
	i := -1
	each := func() int { i++; return i }
	return resampled(sum(each), len(sentences), sum)
}
