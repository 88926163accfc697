package human

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Ranks says how far a number puts systems in the order in which readers put them: Kendall's tau-b
// (Kendall 1945), 1 where both orders are the same, -1 where one is the other reversed. The order
// of readers is that of SystemShares, and both sides are of the sentences that were read.
type Ranks struct {
	Systems                          int
	Whole, Content, Fluent, Flawless Share // tau with its interval
}

// leastSystems is the fewest systems that have an order to speak of.
const leastSystems = 3

// Ranks compares numbers of systems, by their names and more being better, with what readers say.
// values returns what is known of a system's outputs for some sentences together, which may come
// several times. Sentences are resampled with all ratings and outputs, as for a Share. A number
// that fewer than 3 systems have is left out, and one that puts them in no order, or readers do.
func (r Readings) Ranks(values func(system string, of []Sentence) map[string]float64) map[string]Ranks {
	systems, sentences := r.Systems(), distinct(r, func(one *Rating) Sentence { return one.Key() })
	said := make([]map[Sentence]readerShares, len(systems))
	for k, system := range systems {
		said[k] = map[Sentence]readerShares{}
		for _, ratings := range r.bySentence(system) {
			said[k][ratings[0].Key()] = sharesIn(ratings)
		}
	}
	// taus compares the orders by the sentences at some places.
	taus := func(places func() int) (map[string]readerShares, map[string]int) {
		var numbers []map[string]float64
		var shares []readerShares
		drawn := make([]int, len(sentences))
		for i := range drawn {
			drawn[i] = places()
		}
		for k, system := range systems {
			var chosen []Sentence
			var sum readerShares
			for _, i := range drawn {
				if s, rated := said[k][sentences[i]]; rated {
					chosen = append(chosen, sentences[i])
					for c := range sum {
						sum[c] += s[c]
					}
				}
			}
			if len(chosen) == 0 {
				continue
			}
			for c := range sum {
				sum[c] /= float64(len(chosen))
			}
			numbers, shares = append(numbers, values(system, chosen)), append(shares, sum)
		}
		return tausOf(numbers, shares)
	}
	place := -1
	whole, known := taus(func() int { place++; return place })
	maps.DeleteFunc(whole, func(key string, tau readerShares) bool {
		return known[key] < leastSystems || !slices.ContainsFunc(tau[:], func(v float64) bool { return !math.IsNaN(v) })
	})
	drawn := map[string][len(readerShares{})][]float64{}
	if len(sentences) >= leastSentences && len(whole) > 0 {
		rng := rand.New(rand.NewPCG(readingSeed, 0))
		for range readingResamples {
			some, systems := taus(func() int { return rng.IntN(len(sentences)) })
			for key, tau := range some {
				if systems[key] < known[key] {
					continue // a system has no sentence in this draw
				}
				of := drawn[key]
				for c, v := range tau {
					if !math.IsNaN(v) {
						of[c] = append(of[c], v)
					}
				}
				drawn[key] = of
			}
		}
	}
	out := map[string]Ranks{}
	for key, tau := range whole {
		of := drawn[key]
		one := Ranks{Systems: known[key]}
		for c, share := range []*Share{&one.Whole, &one.Content, &one.Fluent, &one.Flawless} {
			*share = withInterval(tau[c], of[c])
		}
		out[key] = one
	}
	return out
}

// tausOf returns tau of each number and each share of systems, and how many have the number.
func tausOf(numbers []map[string]float64, shares []readerShares) (of map[string]readerShares, known map[string]int) {
	of, known = map[string]readerShares{}, map[string]int{}
	for _, some := range numbers {
		for key := range some {
			known[key]++
		}
	}
	for key := range known {
		var x []float64
		var y [len(readerShares{})][]float64
		for k, some := range numbers {
			if v, has := some[key]; has {
				x = append(x, v)
				for c := range y {
					y[c] = append(y[c], shares[k][c])
				}
			}
		}
		var tau readerShares
		for c := range tau {
			tau[c] = kendall(x, y[c])
		}
		of[key] = tau
	}
	return of, known
}

// readerShares are the shares, 0-1, of ratings that are 2 for each of Scales, and for all of them;
// or what is computed of each.
type readerShares [4]float64

func sharesIn(ratings []*Rating) (out readerShares) {
	for _, one := range ratings {
		for k, s := range Scales {
			out[k] += truth(*s.of(one) == 2) / float64(len(ratings))
		}
		out[len(Scales)] += truth(one.Flawless()) / float64(len(ratings))
	}
	return out
}

// kendall returns Kendall's tau-b of paired values, NaN where all values of a side are equal:
//
//	tau = (P - Q) / sqrt((P + Q + X) (P + Q + Y))
//
// P and Q count the pairs that both sides put in the same and in the opposite order, X those that
// only x has equal, Y those that only y has equal.
func kendall(x, y []float64) float64 {
	var same, opposite, onlyX, onlyY float64
	for i := range x {
		for j := range i {
			switch a, b := order(x[i], x[j]), order(y[i], y[j]); {
			case a == 0 && b == 0:
			case a == 0:
				onlyX++
			case b == 0:
				onlyY++
			case a == b:
				same++
			default:
				opposite++
			}
		}
	}
	return (same - opposite) / math.Sqrt((same+opposite+onlyX)*(same+opposite+onlyY))
}

// order compares two numbers. Sums of the same terms in another order may differ in their last
// digits, and are equal.
func order(a, b float64) int {
	const digits = 1e-12
	switch d := a - b; {
	case math.Abs(d) <= digits*max(math.Abs(a), math.Abs(b)):
		return 0
	case d > 0:
		return 1
	}
	return -1
}
