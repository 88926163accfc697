package human

import "math"

// Picks says how often a number points to the output that readers find better: of every two outputs
// of a sentence that readers do not find equal, the share in which the better one has the larger
// number. Equal numbers count half, so that a number that knows nothing has 50 %.
type Picks struct {
	Pairs int // of outputs with another sum of the scores
	Total Share
	Each  []Share // by what each of Scales says alone
}

// Picks compares what value says of outputs, more being better, with what readers say. Outputs that
// value does not know, and those with equal scores, are left out.
func (r Readings) Picks(value func(system string, s Sentence) (float64, bool)) Picks {
	scores := []func(*Rating) int{(*Rating).total}
	for _, s := range Scales {
		scores = append(scores, func(one *Rating) int { return *s.of(one) })
	}
	sentences := r.bySentence(r.Systems()...)
	out := Picks{Each: make([]Share, len(Scales))}
	for k, score := range scores {
		found := make([]picked, len(sentences))
		pairs := 0
		for i, ratings := range sentences {
			found[i] = pickedIn(ratings, score, value)
			pairs += int(found[i].pairs)
		}
		if share := shareOfPairs(found); k == 0 {
			out.Pairs, out.Total = pairs, share
		} else {
			out.Each[k-1] = share
		}
	}
	return out
}

// picked counts the pairs of outputs of a sentence, and those in which a number points to the
// better one.
type picked struct{ pairs, right float64 }

// pickedIn counts them in the ratings of one sentence, by the sum of all readers' scores.
func pickedIn(
	ratings []*Rating, score func(*Rating) int, value func(system string, s Sentence) (float64, bool),
) (out picked) {
	type output struct {
		score int
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
			of[one.System] = &output{value: v}
			names = append(names, one.System)
		}
		of[one.System].score += score(one)
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			x, y := of[a], of[b]
			if x.score == y.score {
				continue
			}
			out.pairs++
			switch {
			case x.value == y.value:
				out.right += .5
			case x.value > y.value == (x.score > y.score):
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
