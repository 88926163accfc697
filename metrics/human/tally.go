package human

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Share is a percentage with its 95 % interval, from the percentile bootstrap. A resample draws
// sentences with all their ratings, because the ratings of a sentence depend on each other. With
// fewer than minSentences sentences, there is no interval, and both ends are NaN.
type Share struct{ Value, Low, High float64 }

const (
	resamples    = 1000
	minSentences = 5
)

// Shares is a summary of the ratings of a system's outputs, in percent.
type Shares struct {
	System    string
	Sentences int
	Scores    [3]Share // share of ratings with the score 2, in the order of Scales
	Flawless  Share    // share of ratings with three scores of 2
	Best      Share    // share of votes for the best output of a sentence
}

// Shares returns the shares of every system. The system with the highest share of flawless ratings
// comes first.
func (r Ratings) Shares() (out []Shares) {
	for _, system := range r.Systems() {
		sentences := r.bySentence(system)
		s := Shares{System: system, Sentences: len(sentences)}
		for k := range Scales {
			s.Scores[k] = share(sentences, func(rating *Rating) float64 { return oneIf(rating.Scores[k] == 2) })
		}
		s.Flawless = share(sentences, func(rating *Rating) float64 { return oneIf(rating.total() == 2*len(Scales)) })
		s.Best = share(sentences, func(rating *Rating) float64 { return rating.Best })
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Shares) int { return cmp.Compare(b.Flawless.Value, a.Flawless.Value) })
	return out
}

// oneIf returns 1 if the condition holds, else 0.
func oneIf(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// bySentence returns the ratings of a system, grouped by sentence.
func (r Ratings) bySentence(system string) (out [][]*Rating) {
	index := map[Sentence]int{}
	for i := range r {
		rating := &r[i]
		if rating.System != system {
			continue
		}
		k, known := index[rating.Sentence]
		if !known {
			k = len(out)
			index[rating.Sentence] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], rating)
	}
	return out
}

// share returns the mean of a value, in percent, with its interval. The mean is taken over the
// ratings of each sentence, and then over the sentences.
func share(sentences [][]*Rating, value func(*Rating) float64) Share {
	n := len(sentences)
	means := make([]float64, n)
	sum := 0.0
	for i, ratings := range sentences {
		for _, rating := range ratings {
			means[i] += value(rating) / float64(len(ratings))
		}
		sum += means[i]
	}
	s := Share{Value: 100 * sum / float64(n), Low: math.NaN(), High: math.NaN()}
	if n < minSentences {
		return s
	}
	rng := rand.New(rand.NewPCG(1, 0))
	drawn := make([]float64, resamples)
	for i := range drawn {
		sum := 0.0
		for range n {
			sum += means[rng.IntN(n)]
		}
		drawn[i] = 100 * sum / float64(n)
	}
	slices.Sort(drawn)
	s.Low, s.High = drawn[resamples*25/1000], drawn[resamples*975/1000-1]
	return s
}

// Verdicts is the result of comparing two systems in one direction, as in the paper's human
// evaluation: for each verdict, the number of sentences for which more than half of the readers
// gave this verdict.
type Verdicts struct {
	Direction                           string
	ABetter, BBetter, BothGood, BothBad int
	NoAgreement                         int // sentences for which no verdict has more than half of the readers' votes
}

// Sentences returns the number of compared sentences.
func (v *Verdicts) Sentences() int {
	return v.ABetter + v.BBetter + v.BothGood + v.BothBad + v.NoAgreement
}

// Verdicts returns, for each direction, the comparison of systems a and b by the outputs that
// readers mark as best. A reader who marks both outputs finds both good, and a reader who marks
// neither finds both bad. The ratings must be of these two systems only.
func (r Ratings) Verdicts(a, b string) (out []Verdicts) {
	for _, direction := range r.Directions() {
		v := Verdicts{Direction: direction}
		ratings := r.In(direction)
		votes := map[Sentence]map[string]*[2]bool{} // sentence -> reader -> whether a and b are marked as best
		for i := range ratings {
			rating := &ratings[i]
			if votes[rating.Sentence] == nil {
				votes[rating.Sentence] = map[string]*[2]bool{}
			}
			vote := votes[rating.Sentence][rating.Reader]
			if vote == nil {
				vote = &[2]bool{}
				votes[rating.Sentence][rating.Reader] = vote
			}
			vote[slices.Index([]string{a, b}, rating.System)] = rating.Best > 0
		}
		for _, byReader := range votes {
			v.decide(byReader)
		}
		out = append(out, v)
	}
	return out
}

// decide adds one sentence to the count of the verdict that more than half of the readers gave.
func (v *Verdicts) decide(votes map[string]*[2]bool) {
	counts := map[[2]bool]int{}
	for _, vote := range votes {
		counts[*vote]++
	}
	for verdict, count := range map[[2]bool]*int{
		{true, false}: &v.ABetter, {false, true}: &v.BBetter, {true, true}: &v.BothGood, {false, false}: &v.BothBad,
	} {
		if 2*counts[verdict] > len(votes) {
			*count++
			return
		}
	}
	v.NoAgreement++
}

// SignTest is the result of comparing two systems on the sentences for which both have outputs. P
// is the p-value of the exact two-sided sign test (Dixon and Mood 1946).
type SignTest struct {
	A, B string
	// Higher and Lower count the sentences for which A's output has a higher or a lower sum of
	// scores than B's. The sum is over the readers who rated both outputs.
	Higher, Lower int
	P             float64
}

// SignTests returns a sign test for each pair of systems. Two systems are compared only on
// sentences for which the same reader rated outputs of both systems. A pair without such a sentence
// is omitted. The systems are in the order of Shares.
func (r Ratings) SignTests() (out []SignTest) {
	type ratingKey struct {
		Sentence
		reader string
	}
	totals := map[string]map[ratingKey]int{} // by system
	for i := range r {
		rating := &r[i]
		if totals[rating.System] == nil {
			totals[rating.System] = map[ratingKey]int{}
		}
		totals[rating.System][ratingKey{rating.Sentence, rating.Reader}] = rating.total()
	}
	shares := r.Shares()
	for i, a := range shares {
		for _, b := range shares[i+1:] {
			differences := map[Sentence]int{}
			for key, total := range totals[a.System] {
				if other, both := totals[b.System][key]; both {
					differences[key.Sentence] += total - other
				}
			}
			if len(differences) == 0 {
				continue
			}
			t := SignTest{A: a.System, B: b.System}
			for _, d := range differences {
				switch {
				case d > 0:
					t.Higher++
				case d < 0:
					t.Lower++
				}
			}
			t.P = signP(t.Higher, t.Lower)
			out = append(out, t)
		}
	}
	return out
}

// signP returns the two-sided p-value. It is twice the probability of at most min(higher, lower)
// heads in higher + lower tosses of a fair coin, limited to 1.
func signP(higher, lower int) float64 {
	tosses := distuv.Binomial{N: float64(higher + lower), P: 0.5}
	return min(1, 2*tosses.CDF(float64(min(higher, lower))))
}

// Alphas returns the readers' agreement on each of Scales: Krippendorff's alpha over all outputs,
// NaN if it is undefined.
func (r Ratings) Alphas() (out [3]float64) {
	type output struct {
		Sentence
		system string
	}
	for k := range Scales {
		units := map[output][]int{}
		for i := range r {
			key := output{r[i].Sentence, r[i].System}
			units[key] = append(units[key], r[i].Scores[k])
		}
		out[k] = alpha(units)
	}
	return out
}

// alpha returns Krippendorff's alpha of ordinal values 0 to 2 (Krippendorff 2011, "Computing
// Krippendorff's Alpha-Reliability", section E). units holds the values of each unit; units with
// fewer than two values are ignored.
//
//	alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck
//	d_ck = ((sum of n_g over g from c to k) - (n_c + n_k)/2)^2
//
// o_ck counts the pairs of values c and k within a unit of m values, each weighted by 1/(m-1). n_c
// is the sum of o_ck over k, and n is the sum of n_c. alpha is NaN if all values are equal or there
// is no pair.
func alpha[K comparable](units map[K][]int) float64 {
	const kinds = 3
	var o [kinds][kinds]float64
	var n [kinds]float64
	total := 0.0
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
			total++
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
	return 1 - (total-1)*observed/expected
}
