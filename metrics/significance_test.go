package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// recordedSignificance is the content of testdata/parity/significance.json.
type recordedSignificance struct {
	Texts struct {
		Sources []string
		Systems map[string][]string
		Pairs   []struct {
			A, B  string
			BLEUA float64 `json:"bleu_a"`
			BLEUB float64 `json:"bleu_b"`
			PBS   float64 `json:"p_bs"`
		}
	}
	Figures struct {
		Right    [2]string
		Natural  [2][]float64
		PT       float64 `json:"p_t"`
		Interval [2]float64
	}
}

func significance(t *testing.T) (s recordedSignificance) {
	t.Helper()
	readParity(t, "significance.json", &s)
	return s
}

// monteCarlo returns the tolerance for comparing two Monte Carlo estimates of the p-value p, each
// from n draws. It is four standard deviations of their difference, plus 2/n.
func monteCarlo(p float64, n int) float64 {
	return 4*math.Sqrt(2*p*(1-p)/float64(n)) + 2/float64(n)
}

// oneDirection returns the records of a system that has sentences in one direction only.
func oneDirection(sources, outputs []string) [][]Sentence {
	in := Input{From: "x", To: "y", Source: testkit.Split(sources...), Output: testkit.Split(outputs...)}
	return [][]Sentence{in.records(Instruments{}), nil}
}

// compareOne calls Compare with systems of one seed.
func compareOne(a, b [][]Sentence, resamples int) ([]Comparison, error) {
	return Compare([][][]Sentence{a}, [][][]Sentence{b}, resamples)
}

func comparison(t *testing.T, all []Comparison, metric string) Comparison {
	t.Helper()
	for _, c := range all {
		if c.Metric == metric {
			return c
		}
	}
	t.Fatalf("no comparison of %s in %v", metric, all)
	return Comparison{}
}

// sacrebleuBootstrap returns the p-value of the paired bootstrap by sacrebleu's formula, from our
// resamples. Compare explains the formula.
func sacrebleuBootstrap(resampled []float64, seen float64) float64 {
	absolute := make([]float64, len(resampled))
	for i, d := range resampled {
		absolute[i] = math.Abs(d)
	}
	centre, count := average(absolute), 1
	for _, d := range absolute {
		if d-centre > math.Abs(seen) {
			count++
		}
	}
	return float64(count) / float64(len(resampled)+1)
}

// TestCompareAgainstSacrebleu checks Compare against results of sacrebleu's PairedTest, which
// testdata/parity/significance.py recorded. For a system that is compared with itself, sacrebleu
// gives p = 1/10001, but Compare must give p = 1.
func TestCompareAgainstSacrebleu(t *testing.T) {
	const samples = 4000 // sacrebleu uses 10000
	r := significance(t).Texts
	worstBLEU := 0.0
	for _, pair := range r.Pairs {
		a, b := oneDirection(r.Sources, r.Systems[pair.A]), oneDirection(r.Sources, r.Systems[pair.B])
		all, err := compareOne(a, b, samples)
		if err != nil {
			t.Fatal(err)
		}
		c := comparison(t, all, "s_bleu")
		worstBLEU = max(worstBLEU, math.Abs(c.A-pair.BLEUA), math.Abs(c.B-pair.BLEUB))
		if pair.A == pair.B {
			if c.PBootstrap != 1 || c.Low != 0 || c.High != 0 {
				t.Errorf("a system beside itself: %+v", c)
			}
			continue
		}
		drawn := func(records [][]Sentence) []float64 {
			return valuesOf("s_bleu", bootstrap(samples, contributionsOf(records)[0]))
		}
		theirs := sacrebleuBootstrap(differences(drawn(a), drawn(b)), c.Difference)
		t.Logf("%s - %s: %.2f [%.2f, %.2f]; bootstrap %.4f, by sacrebleu's formula %.4f, sacrebleu %.4f",
			pair.A, pair.B, c.Difference, c.Low, c.High, c.PBootstrap, theirs, pair.PBS)
		if d := math.Abs(theirs - pair.PBS); d > monteCarlo(pair.PBS, samples) {
			t.Errorf(
				"%s - %s: by sacrebleu's formula the bootstrap has p = %.4f, sacrebleu %.4f", pair.A, pair.B, theirs,
				pair.PBS,
			)
		}
		if (c.PBootstrap < .05) != (pair.PBS < .05) {
			t.Errorf("%s - %s: another conclusion than sacrebleu's: %+v", pair.A, pair.B, c)
		}
	}
	if worstBLEU > 1e-6 {
		t.Errorf("BLEU deviates by %.1e", worstBLEU)
	}
}

// recordsOf returns the records of a system with outputs in one direction. Each output has two
// numbers: "right", which is 1 if the output has the target style and else 0, and its naturalness.
// The parameter right has one digit per output, such as "0110".
func recordsOf(right string, natural []float64) [][]Sentence {
	var all []Sentence
	for i := range right {
		is := float64(right[i] - '0')
		all = append(
			all, Sentence{Line: i + 1, Numbers: map[string][]float64{"right": {is}, "naturalness": {natural[i]}}},
		)
	}
	return [][]Sentence{all, nil}
}

// normalP returns the two-sided p-value of a difference of z standard errors, if differences are
// normally distributed.
func normalP(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// TestCompareMeans checks metrics that are means over outputs. The bootstrap must agree with the
// normal approximation for TST%, and with the t test and scipy's percentile bootstrap for
// naturalness.
func TestCompareMeans(t *testing.T) {
	const samples = 10000
	f := significance(t).Figures
	a, b := recordsOf(f.Right[0], f.Natural[0]), recordsOf(f.Right[1], f.Natural[1])
	all, err := compareOne(a, b, samples)
	if err != nil {
		t.Fatal(err)
	}
	n := float64(len(f.Right[0]))
	var squares float64 // mean of the squared differences
	var diff float64
	for i := range f.Right[0] {
		d := float64(f.Right[0][i]) - float64(f.Right[1][i])
		diff += d / n
		squares += d * d / n
	}
	tst, nat := comparison(t, all, "tst"), comparison(t, all, "naturalness")
	for _, c := range []struct {
		what            string
		got, want, near float64
	}{
		{"bootstrap, TST: normal approximation", tst.PBootstrap, normalP(diff / math.Sqrt((squares-diff*diff)/n)), .03},
		{"bootstrap, naturalness: t test", nat.PBootstrap, f.PT, .01},
		{"low of the difference of TST", tst.Low, 100 * (diff - 1.96*math.Sqrt((squares-diff*diff)/n)), .6},
		{"high of the difference of TST", tst.High, 100 * (diff + 1.96*math.Sqrt((squares-diff*diff)/n)), .6},
		{
			"low of naturalness: scipy's percentile bootstrap", Intervals(a, samples)["naturalness"].Low,
			f.Interval[0], .002,
		},
		{"high of naturalness", Intervals(a, samples)["naturalness"].High, f.Interval[1], .002},
	} {
		t.Logf("%s: %.4f, %.4f expected", c.what, c.got, c.want)
		if !(math.Abs(c.got-c.want) <= c.near) {
			t.Errorf("%s: %.4f, want %.4f within %.4f", c.what, c.got, c.want, c.near)
		}
	}
}

// TestIntervalsDrawWithinDirections checks that sentences are resampled within each direction. All
// outputs of one direction are right, and all of the other are wrong, so every resample has the
// same TST%.
func TestIntervalsDrawWithinDirections(t *testing.T) {
	up, down := recordsOf(
		strings.Repeat("1", 40), make([]float64, 40),
	), recordsOf(strings.Repeat("0", 60), make([]float64, 60))
	got := Intervals([][]Sentence{up[0], down[0]}, 200)
	if want := (Interval{40, 40, 40}); got["tst"] != want {
		t.Errorf("TST %+v, want %+v", got["tst"], want)
	}
	if _, known := got["perplexity"]; known {
		t.Error("a perplexity that no sentence has")
	}
}

func TestIntervalsOfEveryMetric(t *testing.T) {
	run := testRun(1, .2, .8)
	all := Intervals(run, 100)
	if len(all) != len(contributionsOf(run)[0].tested()) {
		t.Errorf("%d intervals: %v", len(all), all)
	}
	for key, i := range all {
		if !(i.Low < i.Value && i.Value < i.High) {
			t.Errorf("%s: %+v; do the outputs of testRun differ in what it measures?", key, i)
		}
	}
	for key, i := range Intervals(run, 100) {
		if i != all[key] {
			t.Errorf("%s: %+v, and a second time %+v", key, all[key], i)
		}
	}
	if empty := Intervals([][]Sentence{nil, nil}, 10); len(empty) != 0 {
		t.Errorf("intervals of nothing: %v", empty)
	}
}

// TestTooFewSentences checks that there are no intervals if a direction has only 1 to 4 sentences.
// Two systems are then not called different, however large their difference is.
func TestTooFewSentences(t *testing.T) {
	better, worse := recordsOf("111111", make([]float64, 6)), recordsOf("000000", make([]float64, 6))
	for _, c := range []struct {
		n, m int // numbers of sentences in the two directions
		few  bool
	}{{1, 1, true}, {1, 0, true}, {4, 6, true}, {6, 4, true}, {5, 5, false}, {5, 0, false}, {0, 5, false}} {
		a, b := [][]Sentence{better[0][:c.n], better[0][:c.m]}, [][]Sentence{worse[0][:c.n], worse[0][:c.m]}
		if got := Intervals(a, 100); (len(got) == 0) != c.few {
			t.Errorf("%d and %d sentences: intervals %v", c.n, c.m, got)
		}
		all, err := compareOne(a, b, 1000)
		if err != nil {
			t.Fatal(err)
		}
		tst := comparison(t, all, "tst")
		if few := tst.PBootstrap == 1 && math.IsNaN(tst.Low) && math.IsNaN(tst.High); few != c.few ||
			tst.Difference != 100 {
			t.Errorf("%d and %d sentences: %+v", c.n, c.m, tst)
		}
		if c.few && tst.P() < .05 {
			t.Errorf("%d and %d sentences are called different", c.n, c.m)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	sources := []string{"a b c", "d e"}
	a := oneDirection(sources, sources)
	_, err := compareOne(a, [][]Sentence{a[0][:1], nil}, 10)
	testkit.WantError(t, err, userr.BadInput, "one system has 2 outputs in direction 1 and the other has 1; compare "+
		"systems on the same test set")
	_, err = compareOne(a, oneDirection([]string{"a b c", "d e f"}, sources), 10)
	testkit.WantError(
		t, err, userr.BadInput,
		"sentence 2 of direction 1 has 2 words in one system's sources and 3 in the other's",
	)
	_, err = compareOne(a, a, 0)
	testkit.WantError(t, err, userr.BadInput, "needs at least 1 resample, not 0")
}

// TestOverSeedsOfEqualSystems checks how often the test calls equal systems different at the
// level 0.05, if the seeds differ much more than the sentences. Two seeds that happen to agree
// look like seeds without any variance, so the rate is too high. The legend of the table
// "significance" says so.
func TestOverSeedsOfEqualSystems(t *testing.T) {
	const studies, seedDeviation = 20_000, 8
	rng := rand.New(rand.NewPCG(1, 2))
	for seeds, want := range map[int][2]float64{2: {.11, .14}, 3: {.065, .09}, 5: {.045, .065}} {
		different := 0
		for range studies {
			sentences, differences, mean := rng.NormFloat64(), make([]float64, seeds), 0.0
			for k := range differences {
				differences[k] = sentences + seedDeviation*rng.NormFloat64()
				mean += differences[k] / float64(seeds)
			}
			c := Comparison{Difference: mean, Low: mean - 1.96, High: mean + 1.96}
			bootstrap := math.Erfc(math.Abs(mean) / math.Sqrt2)
			if c.OverSeeds(differences, nil); max(c.PSeeds, bootstrap) < .05 {
				different++
			}
		}
		if rate := float64(different) / studies; rate < want[0] || rate > want[1] {
			t.Errorf("%d seeds: %v of equal systems are called different", seeds, rate)
		}
	}
}

// TestIntervalAgreesWithTest checks that the interval of a difference contains 0 if p is above
// 0.05, and only then, also for differences as skewed as those of perplexity. The percentiles of
// these resamples exclude 0 at any p.
func TestIntervalAgreesWithTest(t *testing.T) {
	skewed := make([]float64, 999)
	for i := range skewed {
		skewed[i] = math.Exp(4*float64(i)/998) - 1
	}
	for _, observed := range []float64{5, 20, 29, 31, 33, 40} {
		c := Comparison{Difference: observed}
		c.test(skewed)
		if contains := c.Low <= 0 && 0 <= c.High; contains != (c.PBootstrap > .05) {
			t.Errorf("p is %v, and the interval %v to %v", c.PBootstrap, c.Low, c.High)
		}
	}
}

func TestPercentiles(t *testing.T) {
	// numpy.percentile([0, 1, ..., 10], [2.5, 97.5]) = 0.25, 9.75.
	low, high := percentiles([]float64{10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5})
	if math.Abs(low-.25) > 1e-12 || math.Abs(high-9.75) > 1e-12 {
		t.Errorf("%v, %v", low, high)
	}
	if low, high := percentiles([]float64{3}); low != 3 || high != 3 {
		t.Errorf("of one value: %v, %v", low, high)
	}
}

// TestComparisonJSON checks that the JSON of a comparison without an interval omits "low" and
// "high", because JSON cannot contain NaN. Reading this JSON gives NaN again.
func TestComparisonJSON(t *testing.T) {
	for _, c := range []struct {
		in   Comparison
		want string
	}{
		{
			Comparison{Metric: "tst", Low: math.NaN(), High: math.NaN(), PBootstrap: 1},
			`{"metric":"tst","a":0,"b":0,"difference":0,"p_bootstrap":1}`,
		},
		{
			Comparison{
				Metric: "tst", A: 2, B: 1, Difference: 1, Low: -1, High: 3, PBootstrap: 0.5,
			},
			`{"metric":"tst","a":2,"b":1,"difference":1,"p_bootstrap":0.5,"low":-1,"high":3}`,
		},
	} {
		got, err := json.Marshal(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %v, want %s", got, err, c.want)
		}
		var back Comparison
		if err := json.Unmarshal(got, &back); err != nil || fmt.Sprint(back) != fmt.Sprint(c.in) {
			t.Errorf("%s is read as %v, %v, want %v", got, back, err, c.in)
		}
	}
}

// TestOverSeeds checks the t test over sentences and seeds. In the first case, the standard error
// over sentences is 1, and the three seeds of each system have a standard deviation of 2. So t is
// 10 / sqrt(1 + 2 * 4 / 3), with 7.5625 degrees of freedom. Its p and quantiles were computed by
// numerical integration. In the second case, the seeds do not differ, so p is that of the normal
// distribution. Without an interval there is no test.
func TestOverSeeds(t *testing.T) {
	for _, c := range []struct {
		a, b       []float64
		difference float64
		p, error   float64
		detectable float64 // in standard errors
	}{
		{[]float64{60, 62, 64}, []float64{50, 52, 54}, 10, .00095763, math.Sqrt(8. / 3), 3.22120},
		{[]float64{60, 60}, []float64{50}, 1.959964, .05, 0, 2.80159},
	} {
		of := Comparison{Difference: c.difference, Low: c.difference - 1.96, High: c.difference + 1.96}
		of.OverSeeds(c.a, c.b)
		if math.Abs(of.PSeeds-c.p) > 1e-5 || math.Abs(of.SeedError-c.error) > 1e-12 || of.P() != of.PSeeds {
			t.Errorf("%v and %v: p %v, error %v", c.a, c.b, of.PSeeds, of.SeedError)
		}
		if got, want := of.Detectable(), c.detectable*math.Hypot(1, c.error); math.Abs(got-want) > 1e-4 {
			t.Errorf("detectable %v, want %v", got, want)
		}
	}
	// A p that is too small for a float64 still counts as tested.
	clear := Comparison{Difference: 90, Low: 89, High: 91}
	if clear.OverSeeds([]float64{90, 90}, nil); clear.PSeeds <= 0 {
		t.Errorf("a very clear difference: p %v", clear.PSeeds)
	}
	few := Comparison{Low: math.NaN(), High: math.NaN()}
	if few.OverSeeds([]float64{1, 2}, []float64{3}); few.PSeeds != 0 {
		t.Errorf("without an interval: p %v", few.PSeeds)
	}
}

// TestCompareSeedsTwice checks that several seeds with the same outputs give the same values,
// intervals and p-values as a single seed.
func TestCompareSeedsTwice(t *testing.T) {
	a, b := testRun(1, .2, .8), testRun(2, .3, .7)
	want, err := compareOne(a, b, 200)
	if err != nil {
		t.Fatal(err)
	}
	for what, seeds := range map[string][2][][][]Sentence{
		"two and two":   {{a, a}, {b, b}},
		"three and one": {{a, a, a}, {b}},
		"one and two":   {{a}, {b, b}},
		"three and two": {{a, a, a}, {b, b}},
	} {
		got, err := Compare(seeds[0], seeds[1], 200)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d metrics, want %d", what, len(got), len(want))
		}
		for i, w := range want {
			g := got[i]
			for _, pair := range [][2]float64{
				{g.A, w.A},
				{g.B, w.B},
				{g.Difference, w.Difference},
				{g.Low, w.Low},
				{g.High, w.High},
				{g.PBootstrap, w.PBootstrap},
			} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-9*(1+math.Abs(pair[1]))) {
					t.Errorf("%s, %s: %+v, want %+v", what, w.Metric, g, w)
					break
				}
			}
		}
	}
}

// TestCompareSeedsMeans checks that, with several seeds, the mean over outputs is taken over the
// outputs of all seeds. It also checks that Compare refuses systems with different test sets.
func TestCompareSeedsMeans(t *testing.T) {
	one, two := recordsOf("11110", []float64{.1, .2, .3, .4, .5}), recordsOf("10000", []float64{.5, .5, .5, .5, .5})
	other := recordsOf("00000", make([]float64, 5))
	got, err := Compare([][][]Sentence{one, two}, [][][]Sentence{other}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if tst, nat := comparison(t, got, "tst"), comparison(t, got, "naturalness"); tst.A != 50 || math.Abs(nat.A-.4) > 1e-12 {
		t.Errorf("TST%% %v, want 50; naturalness %v, want .4", tst.A, nat.A)
	}
	if _, err := Compare([][][]Sentence{one}, [][][]Sentence{recordsOf("1", []float64{1})}, 10); err == nil {
		t.Error("another test set is taken")
	}
}

// TestBaseline checks that one baseline can be compared with several systems, of one seed or two.
// Each comparison must give the same results as Compare.
func TestBaseline(t *testing.T) {
	a, b, c := testRun(1, .2, .8), testRun(2, .2, .8), testRun(3, .2, .8)
	base := NewBaseline([][][]Sentence{a}, 20)
	for _, rival := range [][][][]Sentence{{b}, {b, c}, {c}} {
		got, err := base.Compare(rival)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Compare([][][]Sentence{a}, rival, 20)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
			t.Errorf("of %d metrics: %s", len(got), diff)
		}
	}
}
