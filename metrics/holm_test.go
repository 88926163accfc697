package metrics

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// TestHolm compares Holm with values computed by hand and with a result of R: p.adjust(c(0.01,
// 0.02, 0.03, 0.04), "holm") returns 0.04, 0.06, 0.06 and 0.06.
func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{.01, .02, .03, .04}, []float64{.04, .06, .06, .06}},
		{[]float64{.04, .01, .03, .02}, []float64{.06, .04, .06, .06}},
		{[]float64{.03}, []float64{.03}},
		{[]float64{.9, .001}, []float64{.9, .002}},
		{[]float64{.6, .7}, []float64{1, 1}},
		{[]float64{math.NaN(), .01}, []float64{1, .02}},
		{nil, nil},
	} {
		var rows []Comparison
		for _, p := range c.p {
			rows = append(rows, Comparison{PBootstrap: p, PSeeds: p / 2}) // Holm takes the larger of the two
		}
		got := Holm(rows)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("holm(%v) = %v, want %v", c.p, got, c.want)
				break
			}
		}
	}
}

// TestHolmProperties checks that Holm never lowers a p-value, never returns more than 1, and keeps
// the order of the p-values.
func TestHolmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		var rows []Comparison
		for _, v := range p {
			rows = append(rows, Comparison{PBootstrap: v})
		}
		got := Holm(rows)
		order := make([]int, len(p))
		for i := range order {
			order[i] = i
			if got[i] < p[i] || got[i] > 1 {
				t.Fatalf("%v became %v", p[i], got[i])
			}
		}
		sort.SliceStable(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
		for k := 1; k < len(order); k++ {
			if got[order[k]] < got[order[k-1]] {
				t.Fatalf("%v became %v", p, got)
			}
		}
	})
}

// withRight marks the given number of outputs of each direction as having the target style, and the
// others as not having it. The seed determines which outputs are marked.
func withRight(records [][]Sentence, seed uint64, right int) [][]Sentence {
	rng := rand.New(rand.NewPCG(seed, 3))
	for d := range records {
		for rank, i := range rng.Perm(len(records[d])) {
			records[d][i].Numbers["right"] = []float64{0}
			if rank < right {
				records[d][i].Numbers["right"] = []float64{1}
			}
		}
	}
	return records
}

// TestDifferentByNoise and TestDifferentByFivePoints check the significance tests on 500 + 500
// outputs, the size of the Yelp and Amazon test sets. Differences by noise must not be significant,
// and differences of five points must be.
func TestDifferentByNoise(t *testing.T) {
	// The records a and b simulate two seeds of one system. With the first seed, 80 % of the
	// outputs have the target style, and with the second 81 %. Both replace 20 % of the words.
	a, b := withRight(testRun(1, .2, .8), 1, 400), withRight(testRun(2, .2, .8), 2, 405)
	all, err := compareOne(a, b, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{"tst", "s_bleu", "r_bleu", "mean"} {
		c := comparison(t, all, metric)
		t.Logf("%+v", c)
		if c.P() < .05 || !(c.Low < 0 && 0 < c.High) || c.Difference == 0 {
			t.Errorf("runs that differ by noise: %+v", c)
		}
	}
}

func TestDifferentByFivePoints(t *testing.T) {
	for seed := range uint64(3) {
		// System a reaches the target style in 80 % of its outputs, and system b in 85 %. System a
		// replaces 20 % of the words, and system b 17.4 %. This makes a difference of about 5
		// points of BLEU.
		a, b := withRight(testRun(10+seed, .2, .8), 10+seed, 400), withRight(testRun(20+seed, .174, .85), 20+seed, 425)
		all, err := compareOne(a, b, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{"tst", "s_bleu"} {
			c := comparison(t, all, metric)
			t.Logf("%+v", c)
			if math.Abs(c.Difference+5) > 2 || c.P() >= .05 || c.High > 0 {
				t.Errorf("runs that differ by 5 points: %+v", c)
			}
		}
	}
}

// TestFalsePositives compares 200 pairs of systems that differ only by chance. At alpha = .05,
// about 5 % of the pairs should be called different. The standard deviation of this share is .015,
// and the test allows .01 to .09.
func TestFalsePositives(t *testing.T) {
	const pairs, alpha = 200, .05
	wrong := map[string]int{}
	for k := range uint64(pairs) {
		a, b := sizedRun(40, 1000+2*k, .2, .7), sizedRun(40, 1001+2*k, .2, .7)
		all, err := compareOne(a, b, 150)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.P() < alpha {
				wrong[c.Metric]++
			}
		}
	}
	for _, metric := range []string{
		"tst", "s_bleu", "r_bleu", "rouge_l", "cider", "naturalness", "mean", "perplexity",
	} {
		r := float64(wrong[metric]) / pairs
		t.Logf("%s: %.3f called different", metric, r)
		if r < .01 || r > .09 {
			t.Errorf(
				"%s: %.3f of %d pairs that differ by chance alone are called different at %.2f", metric, r, pairs,
				alpha,
			)
		}
	}
}
