package human

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Share is a share of ratings with its 95 % interval, in percent. Its sentences are resampled with
// all their ratings, as readers of one sentence are no independent evidence: the 2.5th and the
// 97.5th percentile of readingResamples draws. Of fewer than 5 sentences there is no interval, and
// both ends are NaN.
type Share struct{ Value, Low, High float64 }

const (
	readingResamples = 1000
	readingSeed      = 1
	leastSentences   = 5
)

// SystemShares is what readers say of a system's outputs.
type SystemShares struct {
	System    string
	Sentences int
	// Whole, Content and Fluent are the shares of ratings with 2 for style, content and fluency;
	// Flawless has 2 for each.
	Whole, Content, Fluent, Flawless Share
	// Best is the share of the readers' votes for the best output of a sentence, in percent.
	Best Share
}

// Shares returns what readers say of every system, the one with the most flawless outputs first.
func (r Readings) Shares() (out []SystemShares) {
	for _, system := range r.Systems() {
		all := r.bySentence(system)
		share := func(of func(*Rating) float64) Share { return shareOf(all, of) }
		two := func(k int) Share {
			return share(func(one *Rating) float64 { return truth(*Scales[k].of(one) == 2) })
		}
		out = append(out, SystemShares{
			System: system, Sentences: len(all), Whole: two(0), Content: two(1), Fluent: two(2),
			Flawless: share(func(one *Rating) float64 { return truth(one.Flawless()) }),
			Best:     share(func(one *Rating) float64 { return one.Best }),
		})
	}
	slices.SortStableFunc(out, func(a, b SystemShares) int { return cmp.Compare(b.Flawless.Value, a.Flawless.Value) })
	return out
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// shareOf returns the mean of a value over the sentences, each the mean of its ratings.
func shareOf(sentences [][]*Rating, of func(*Rating) float64) Share {
	means := make([]float64, len(sentences))
	for i, ratings := range sentences {
		for _, one := range ratings {
			means[i] += of(one) / float64(len(ratings))
		}
	}
	return resampled(100*mean(means), len(means), func(draw func() int) (sum float64) {
		for range means {
			sum += means[draw()]
		}
		return sum * (100 / float64(len(means)))
	})
}

// resampled returns a share of so many sentences with its interval; of computes the share of
// sentences that are drawn, NaN where they have none.
func resampled(value float64, sentences int, of func(draw func() int) float64) Share {
	if sentences < leastSentences || math.IsNaN(value) {
		return withInterval(value, nil)
	}
	rng, drawn := rand.New(rand.NewPCG(readingSeed, 0)), make([]float64, 0, readingResamples)
	for range readingResamples {
		if share := of(func() int { return rng.IntN(sentences) }); !math.IsNaN(share) {
			drawn = append(drawn, share)
		}
	}
	return withInterval(value, drawn)
}

// withInterval is a value with the interval of what was drawn, which it sorts; without one where
// nothing was.
func withInterval(value float64, drawn []float64) Share {
	s := Share{Value: value, Low: math.NaN(), High: math.NaN()}
	if len(drawn) > 0 && !math.IsNaN(value) {
		slices.Sort(drawn)
		s.Low, s.High = drawn[len(drawn)*25/1000], drawn[max(0, len(drawn)*975/1000-1)]
	}
	return s
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// SignTest compares two systems by the sentences that both have: in how many the scores of A's
// output, by all readers who rated both, add up to more than those of B's, in how many to less, and
// p of the exact sign test (Dixon and Mood 1946), two-sided: 2 times the binomial share of at most
// min(More, Less) of More + Less, 1 at most.
type SignTest struct {
	A, B       string
	More, Less int
	P          float64
}

// SignTests compares every two systems that somebody rated of the same sentence, in the order of
// Shares.
func (r Readings) SignTests() (out []SignTest) {
	totals := map[string]map[Sentence]scoresBy{}
	for i := range r {
		one := &r[i]
		if totals[one.System] == nil {
			totals[one.System] = map[Sentence]scoresBy{}
		}
		if totals[one.System][one.Key()] == nil {
			totals[one.System][one.Key()] = scoresBy{}
		}
		totals[one.System][one.Key()][one.Reader] = one.total()
	}
	shares := r.Shares()
	for i := range shares {
		for _, b := range shares[i+1:] {
			t := SignTest{A: shares[i].System, B: b.System}
			both := 0
			for s, scores := range totals[t.A] {
				more, readers := scores.above(totals[t.B][s])
				both += readers
				switch {
				case more > 0:
					t.More++
				case more < 0:
					t.Less++
				}
			}
			if both == 0 {
				continue
			}
			t.P = signP(t.More, t.Less)
			out = append(out, t)
		}
	}
	return out
}

// scoresBy are readers' scores of one output.
type scoresBy map[string]int

// above returns by how much these add up to more than those of another output, over the readers who
// rated both, and how many these are.
func (s scoresBy) above(other scoresBy) (more, readers int) {
	for reader, score := range s {
		if of, both := other[reader]; both {
			more, readers = more+score-of, readers+1
		}
	}
	return more, readers
}

// signP is p of an exact two-sided sign test.
func signP(more, less int) float64 {
	n, few := more+less, min(more, less)
	sum := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for k := 0; k <= few; k++ {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(all - a - b - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

// Alphas are Krippendorff's alpha of each of Scales, in their order, over all outputs; NaN where it
// is not defined.
func (r Readings) Alphas() []float64 {
	type output struct {
		Sentence
		system string
	}
	out := make([]float64, len(Scales))
	for k, s := range Scales {
		units := map[output][]int{}
		for i := range r {
			of := output{r[i].Key(), r[i].System}
			units[of] = append(units[of], *s.of(&r[i]))
		}
		out[k] = alpha(units)
	}
	return out
}

// alpha returns Krippendorff's alpha of ordinal values 0 to 2 (Krippendorff 2011, "Computing
// Krippendorff's Alpha-Reliability", section E): values are by unit, and units with fewer than two
// have no part in it.
//
//	alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck
//	d_ck = (sum of n_g, g from c to k, - (n_c + n_k)/2)^2
//
// o_ck counts the pairs of values c and k within a unit of m, each as 1/(m-1), n_c is the sum of
// o_ck over k, and n that of n_c. It is NaN where all values are equal or there is no pair.
func alpha[K comparable](units map[K][]int) float64 {
	const kinds = 3
	var o [kinds][kinds]float64
	var n [kinds]float64
	all := 0.0
	for _, values := range units {
		if len(values) < 2 {
			continue
		}
		for i, c := range values {
			for j, k := range values {
				if i != j {
					o[c][k] += 1 / float64(len(values)-1)
				}
			}
			n[c]++
			all++
		}
	}
	observed, expected := 0.0, 0.0
	for c := range kinds {
		for k := range kinds {
			d := -(n[c] + n[k]) / 2
			for g := min(c, k); g <= max(c, k); g++ {
				d += n[g]
			}
			observed += o[c][k] * d * d
			expected += n[c] * n[k] * d * d
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - (all-1)*observed/expected
}
