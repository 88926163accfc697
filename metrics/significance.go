package metrics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Compare compares systems a and b in every metric that both have and that Intervals resamples, in
// the order of allMetrics. Each system may have been trained several times, with one random seed
// each. a and b hold the records of at least one seed; the numbers of seeds may differ. All records
// must be of the same test set in the same order. Values are computed from the outputs of all seeds
// together. All outputs for one source are resampled together, because they are not independent.
//
// The test is a two-sided paired bootstrap (Koehn 2004). Sentences are drawn with replacement
// within each direction, the same for both systems. N, the number of resamples, is at least 1. Let
// d be the difference on the whole test set, and d* the difference in a resample. Then
//
//	p = (1 + number of d* with |d* - mean(d*)| >= |d|) / (N + 1)
//
// sacrebleu uses |d*| - mean(|d*|) instead, which counts one tail and gives about half of this p
// if p is small. Equal systems have p = 1 (sacrebleu gives 1/(N+1), because it counts only
// values above |d|). The interval from Low to High inverts this test: it is d ± the 95th
// percentile of |d* - mean(d*)|, so it contains 0 if p is above 0.05. The percentiles of d*
// would not: d* is skewed for a metric such as perplexity.
//
// If a direction has 1 to 4 sentences, there is no bootstrap (see Intervals): p is 1, and Low and
// High are NaN.
//
// Values with different signatures must not be compared. The caller must check the signatures,
// because the records do not contain them. Errors are userr.BadInput.
func Compare(a, b [][][]Sentence, resamples int) ([]Comparison, error) {
	return NewBaseline(a, resamples).Compare(b)
}

// Baseline is a system with which other systems are compared. Its bootstrap resamples are computed
// once for all comparisons. A Baseline is safe for concurrent use.
type Baseline struct {
	Resamples int // number of resamples of each test

	records [][][]Sentence

	mu    sync.Mutex
	drawn []Values // the baseline's values in every resample; nil until used
}

// NewBaseline returns a baseline with the records of system a. See Compare for the arguments.
func NewBaseline(a [][][]Sentence, resamples int) *Baseline {
	return &Baseline{Resamples: resamples, records: a}
}

// bootstrap returns the baseline's values in every resample.
func (base *Baseline) bootstrap(l *contributions) []Values {
	base.mu.Lock()
	defer base.mu.Unlock()
	if base.drawn == nil {
		base.drawn = bootstrap(base.Resamples, l)
	}
	return base.drawn
}

// Compare does the same as the function Compare, with the baseline as system a.
func (base *Baseline) Compare(b [][][]Sentence) ([]Comparison, error) {
	a, resamples := base.records, base.Resamples
	if resamples < 1 {
		return nil, userr.New(userr.BadInput, "a significance test needs at least 1 resample, not %d; 1000 is "+
			"usual", resamples)
	}
	all := slices.Concat(a, b)
	for _, other := range all[1:] {
		if err := sameTestSet(all[0], other); err != nil {
			return nil, err
		}
	}
	systems := contributionsOf(all...)
	la, lb := sumSystems(systems[:len(a)]), sumSystems(systems[len(a):])
	resampled := la.tested()
	wholeA, wholeB := overall(resampled, la.totals()), overall(resampled, lb.totals())
	var drawn [][]Values
	if !la.tooFew() {
		drawn = [][]Values{base.bootstrap(la), bootstrap(resamples, lb)}
	}
	var compared []Comparison
	for _, m := range resampled {
		va, hasA := wholeA[m.Key]
		vb, hasB := wholeB[m.Key]
		if !hasA || !hasB {
			continue
		}
		c := Comparison{
			Metric: m.Key, A: va, B: vb, Difference: va - vb, Low: math.NaN(), High: math.NaN(),
			PBootstrap: 1,
		}
		if drawn != nil {
			c.test(differences(valuesOf(m.Key, drawn[0]), valuesOf(m.Key, drawn[1])))
		}
		compared = append(compared, c)
	}
	return compared, nil
}

// differences returns a - b, item by item.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// test computes the p-value and the interval from the differences in the resamples. The observed
// difference counts as one of them. A small tolerance allows for rounding, because sums of the same
// numbers in another order differ in their last digits.
func (c *Comparison) test(resampled []float64) {
	centre, threshold, extreme := average(resampled), math.Abs(c.Difference)*(1-1e-9)-1e-12, 1
	deviations := lists.Map(resampled, func(d float64) float64 { return math.Abs(d - centre) })
	for _, d := range deviations {
		if d >= threshold {
			extreme++
		}
	}
	c.PBootstrap = float64(extreme) / float64(len(resampled)+1)
	slices.Sort(deviations)
	half := quantile(deviations, 0.95)
	c.Low, c.High = c.Difference-half, c.Difference+half
}

// sameTestSet rejects records that cannot have the same sources.
func sameTestSet(a, b [][]Sentence) error {
	if len(a) != len(b) {
		return userr.New(userr.BadInput, "one system has outputs in %s and the other in %s; compare systems "+
			"on the same test set", wording.Count(len(a), "direction"), wording.Count(len(b), "direction"))
	}
	for d := range a {
		if len(a[d]) != len(b[d]) {
			return userr.New(userr.BadInput, "one system has %s in direction %d and the other has %d; "+
				"compare systems on the same test set", wording.Count(len(a[d]), "output"), d+1, len(b[d]))
		}
		for i := range a[d] {
			if x, y := a[d][i].sourceWords(), b[d][i].sourceWords(); x != y {
				return userr.New(userr.BadInput, "sentence %d of direction %d has %s in one system's "+
					"sources and %d in the other's; compare systems on the same test set",
					i+1, d+1, wording.Count(x, "word"), y)
			}
		}
	}
	return nil
}

// Comparison is the result of comparing two systems in one metric, on the same sentences.
type Comparison struct {
	Metric     string  `json:"metric"` // metric key
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"` // A - B
	// Low and High bound the 95 % interval of the difference: see Compare. With too few sentences
	// they are NaN and not in the JSON.
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	PBootstrap float64 `json:"p_bootstrap"` // p of the two-sided paired bootstrap (Koehn 2004)

	// OverSeeds sets these fields. PSeeds is the p-value over sentences and seeds. SeedError is the
	// standard error of the difference over seeds. Freedom is the degrees of freedom of the t test.
	PSeeds    float64 `json:"p_seeds,omitempty"`
	SeedError float64 `json:"seed_error,omitempty"`
	Freedom   float64 `json:"freedom,omitempty"`
}

// OverSeeds adds a two-sided t test that also counts chance in training. a and b hold the metric of
// each system, one value per seed. If both systems have the same seeds, a holds the difference for
// each seed and b is empty. A single value adds no variance, because it comes from a system without
// chance in training, such as published outputs.
//
// The variance of the difference is a sum: the variance over sentences, from the bootstrap
// interval, plus the variance of the means over seeds. The degrees of freedom are computed as by
// Welch (1947), with infinitely many for the bootstrap. If there is no bootstrap interval, there is
// no test.
func (c *Comparison) OverSeeds(a, b []float64) {
	variance, lost := c.sentenceError()*c.sentenceError(), 0.0
	seeds := 0.0
	for _, values := range [][]float64{a, b} {
		if n := float64(len(values)); n > 1 {
			mean, squares := average(values), 0.0
			for _, v := range values {
				squares += (v - mean) * (v - mean)
			}
			of := squares / (n - 1) / n
			seeds, lost = seeds+of, lost+of*of/(n-1)
		}
	}
	if variance += seeds; variance > 0 { // false for NaN
		c.Freedom = min(maxFreedom, variance*variance/lost)
		t := c.Difference * c.Difference / variance
		p := mathext.RegIncBeta(c.Freedom/2, 0.5, c.Freedom/(c.Freedom+t))
		c.SeedError, c.PSeeds = math.Sqrt(seeds), max(p, math.SmallestNonzeroFloat64) // 0 means no test
	}
}

// maxFreedom is so large that the t test gives the same results as a test with the normal
// distribution.
const maxFreedom = 1e6

// sentenceError returns the standard error of the difference over sentences, from the interval.
func (c *Comparison) sentenceError() float64 { return (c.High - c.Low) / (2 * 1.96) }

// Detectable returns the smallest true difference that a two-sided test at the level 0.05, without
// Holm's correction, finds with a probability of about 80 %. The result is the standard error times
// the sum of the test distribution's quantiles for 0.975 and 0.8: 2.8 standard errors with many
// degrees of freedom, 14 with one. Without an interval, the result is NaN.
func (c *Comparison) Detectable() float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: cmp.Or(c.Freedom, maxFreedom)}
	return (t.Quantile(0.975) + t.Quantile(0.8)) * math.Hypot(c.sentenceError(), c.SeedError)
}

// MarshalJSON omits the interval if Low or High is NaN.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type plain Comparison
	object := struct {
		plain
		Low  *float64 `json:"low,omitempty"`
		High *float64 `json:"high,omitempty"`
	}{plain: plain(c)}
	if !math.IsNaN(c.Low) && !math.IsNaN(c.High) {
		object.Low, object.High = &c.Low, &c.High
	}
	return json.Marshal(object)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Comparison) UnmarshalJSON(text []byte) error {
	type plain Comparison
	c.Low, c.High = math.NaN(), math.NaN()
	return json.Unmarshal(text, (*plain)(c))
}

// P returns the larger p of the tests.
func (c *Comparison) P() float64 { return max(c.PBootstrap, c.PSeeds) }

// SignificanceLevel is the level for p-values corrected by Holm.
const SignificanceLevel = 0.05

// Holm returns the larger p of each comparison, corrected for all m comparisons by Holm's method
// (1979): the k-th smallest p is multiplied by m - k + 1 and limited to 1. If the result is smaller
// than the previous corrected p, it is raised to that value. A NaN counts as 1.
func Holm(all []Comparison) []float64 {
	p, order := make([]float64, len(all)), make([]int, len(all))
	for i, c := range all {
		p[i], order[i] = c.P(), i
		if math.IsNaN(p[i]) {
			p[i] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected, lowerBound := slices.Clone(p), 0.0
	for k, i := range order {
		lowerBound = max(lowerBound, min(1, float64(len(all)-k)*p[i]))
		corrected[i] = lowerBound
	}
	return corrected
}

// The random numbers of the bootstrap.
const (
	resampleSeed    = 1
	bootstrapStream = 0x626f6f74737472
)

// Intervals returns the overall values, by metric key, with 95 % percentile bootstrap intervals
// (Efron and Tibshirani 1993, section 13.3). resamples, at least 1, is the number of resamples.
// Within each direction, a resample draws as many sentences as the direction has, with replacement.
// The values of a resample are computed from the sums over the drawn sentences. Intervals run from
// the 2.5th to the 97.5th percentile. Equal records and resamples give equal intervals.
//
// The resampled metrics are TST% (also unseen), BLEU-4, METEOR, ROUGE-L, CIDEr, the
// embedding metrics, BERTScore, cosine, naturalness, Mean, perplexity and given scores, if every
// sentence has them. CIDEr keeps the weights of the whole test set. Distinct-n and the
// fields of Collapse have no interval, because a sentence that is drawn twice would count as a
// repetition. If a direction has 1 to 4 sentences, the result is nil, because resamples of so few
// sentences are nearly all alike, and the interval would be too narrow.
func Intervals(records [][]Sentence, resamples int) map[string]Interval {
	if resamples < 1 {
		panic(fmt.Sprintf("metrics.Intervals: %d resamples", resamples))
	}
	l := contributionsOf(records)[0]
	if l.tooFew() {
		return nil
	}
	intervals := map[string]Interval{}
	drawn := bootstrap(resamples, l)
	for key, value := range overall(l.tested(), l.totals()) {
		low, high := percentiles(valuesOf(key, drawn))
		intervals[key] = Interval{Value: value, Low: low, High: high}
	}
	return intervals
}

// Interval is a value with its 95 % bootstrap interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// The method tested returns the metrics that are resampled.
func (l *contributions) tested() []*Metric {
	all := slices.Concat(allMetrics(), givenMetrics(l.layout))
	return slices.DeleteFunc(all, func(m *Metric) bool { return !m.tested })
}

// minResampled is the smallest number of sentences for which a direction is resampled. Five
// sentences have 126 different resamples.
const minResampled = 5

// tooFew reports whether any direction has at least one sentence, but fewer than minResampled.
func (l *contributions) tooFew() bool {
	return slices.ContainsFunc(l.rows, func(rows []row) bool { return len(rows) > 0 && len(rows) < minResampled })
}

// bootstrap returns a system's values in every resample. Systems with the same numbers of rows get
// the same resamples.
func bootstrap(resamples int, l *contributions) []Values {
	rng, metrics := rand.New(rand.NewPCG(resampleSeed, bootstrapStream)), l.tested()
	all := make([]Values, resamples)
	for k := range all {
		sums := make([]totals, len(l.rows))
		for d, rows := range l.rows {
			sums[d] = l.empty(d)
			for range rows {
				sums[d].add(rows[rng.IntN(len(rows))])
			}
		}
		all[k] = overall(metrics, sums)
	}
	return all
}

// valuesOf returns the values of one metric, one per element of the slice all. Every element must
// have the metric.
func valuesOf(key string, all []Values) []float64 {
	values := make([]float64, len(all))
	for i := range all {
		values[i] = all[i][key]
	}
	return values
}

// percentiles sorts values and returns the 2.5th and 97.5th percentiles.
func percentiles(values []float64) (low, high float64) {
	slices.Sort(values)
	return quantile(values, 0.025), quantile(values, 0.975)
}

// quantile returns a quantile of sorted values, interpolated like numpy's default.
func quantile(sorted []float64, share float64) float64 {
	position := share * float64(len(sorted)-1)
	i := min(int(position), max(0, len(sorted)-2))
	next := min(i+1, len(sorted)-1)
	return sorted[i] + (position-float64(i))*(sorted[next]-sorted[i])
}

// average returns the arithmetic mean, or 0 for no values.
func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// Resamples is the minimum number of resamples, for intervals and tests in tables.
const Resamples = 1000
