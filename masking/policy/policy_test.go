package policy

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// scores draws the attention of one sentence: positive numbers that sum to 1.
func scores(t *rapid.T) []float32 {
	raw := rapid.SliceOfN(rapid.Float64Range(1e-4, 1), 1, 40).Draw(t, "scores")
	sum := 0.0
	for _, x := range raw {
		sum += x
	}
	out := make([]float32, len(raw))
	for i, x := range raw {
		out[i] = float32(x / sum)
	}
	return out
}

func count(mask []bool) int { return Count([][]bool{mask}).Masked }

// policies draws one policy of each name.
func policies(t *rapid.T) []Policy {
	all := []Policy{
		{Name: Surplus, LambdaEps: recipe.OrAuto(rapid.Float64Range(-1, 3).Draw(t, "lambda"))},
		{Name: TopShare, TopShare: rapid.Float64Range(0, 1).Draw(t, "share")},
	}
	for _, name := range Surplus.Choices() {
		if !slices.ContainsFunc(all, func(p Policy) bool { return string(p.Name) == name }) {
			t.Fatalf("policies draws no %s: what holds of every policy is to be tried with it", name)
		}
	}
	return all
}

// TestMaskedScoreHighest checks for every policy that no unmasked word has a higher score than a
// masked word.
func TestMaskedScoreHighest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := scores(t)
		for _, p := range policies(t) {
			mask := p.Mask(a)
			if len(mask) != len(a) {
				t.Fatalf("%+v: %d entries for %d words", p, len(mask), len(a))
			}
			for i := range a {
				for j := range a {
					if mask[i] && !mask[j] && a[j] > a[i]*(1+tieTolerance) {
						t.Fatalf("%+v masks word %d of %v but not %d", p, i, a, j)
					}
				}
			}
		}
	})
}

// TestNever checks that no policy masks a word with the score Never.
func TestNever(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := scores(t)
		never := rapid.IntRange(0, len(a)-1).Draw(t, "never")
		a[never] = Never
		for _, p := range policies(t) {
			mask := p.Mask(a)
			if mask[never] {
				t.Fatalf("%+v masks word %d of %v", p, never, a)
			}
		}
	})
}

// TestSurplusIsMonotone checks that every word that Surplus masks with a larger lambda is also
// masked with a smaller one. With lambda 0, it must mask at least one word, because some score is
// at least the mean. With a threshold above 1, it must mask no word.
func TestSurplusIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := scores(t)
		small := rapid.Float64Range(-1, 3).Draw(t, "lambda")
		large := small + rapid.Float64Range(0, 3).Draw(t, "more")
		p := Policy{Name: Surplus, LambdaEps: recipe.OrAuto(small)}
		q := Policy{Name: Surplus, LambdaEps: recipe.OrAuto(large)}
		subset(t, q, p, a)
		if count(Policy{Name: Surplus}.Mask(a)) == 0 {
			t.Fatalf("nothing of %v is masked at 0", a)
		}
		q.LambdaEps = recipe.OrAuto(len(a))
		if count(q.Mask(a)) != 0 {
			t.Fatalf("something of %v is masked at %v: a score above 1", a, q.LambdaEps)
		}
	})
}

// subset fails the test if the first policy masks a word that the second policy does not mask.
func subset(t *rapid.T, less, more Policy, a []float32) {
	x, y := less.Mask(a), more.Mask(a)
	for i := range a {
		if x[i] && !y[i] {
			t.Fatalf("word %d of %v is masked by %+v but not by %+v", i, a, less, more)
		}
	}
}

// TestTopMasksSoMany checks that TopShare masks the given share of the words, rounded up.
func TestTopMasksSoMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := scores(t)
		n := len(a)
		percent := rapid.IntRange(0, 100).Draw(t, "percent")
		p := Policy{Name: TopShare, TopShare: float64(percent) / 100}
		if got, want := count(p.Mask(a)), (percent*n+99)/100; got != want {
			t.Fatalf("%d of %d words masked, %d%% are %d", got, n, percent, want)
		}
	})
}

// TestRoundingDecidesNoMask checks that the last bits of the scores do not decide which words are
// masked. Scores that differ only by rounding count as equal, and the earlier words are masked
// first.
func TestRoundingDecidesNoMask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 30).Draw(t, "levels")
		scores := func() (out []float32) {
			for _, l := range levels {
				out = append(out, float32(l)/100*(1+1e-7*float32(rapid.IntRange(-20, 20).Draw(t, "noise"))))
			}
			return out
		}
		a, b := scores(), scores()
		for _, p := range policies(t) {
			if p.Name == Surplus {
				continue // scores are compared with a threshold, so the last bits may decide
			}
			if one, other := p.Mask(a), p.Mask(b); !slices.Equal(one, other) {
				t.Fatalf("%+v: %v of %v, %v of %v", p, one, a, other, b)
			}
		}
	})
}

// TestMaskMovesWithItsWord checks that the same words are masked in any order of the words, if no
// two scores are equal.
func TestMaskMovesWithItsWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfNDistinct(rapid.Float32Range(0, 1), 1, 20, rapid.ID).Draw(t, "scores")
		order := rapid.Permutation(a).Draw(t, "order")
		for _, p := range policies(t) {
			there, here := p.Mask(a), p.Mask(order)
			for i, score := range order {
				if here[i] != there[slices.Index(a, score)] {
					t.Fatalf("%+v: score %v is masked at one place and not at another", p, score)
				}
			}
		}
	})
}

// TestSurplusOfUniform checks Surplus on n words that all have the score 1/n. At lambda 0 all words
// are masked, as in the paper, however 1/n is rounded. Above 0 no word is masked.
func TestSurplusOfUniform(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		a := make([]float32, n)
		for i := range a {
			a[i] = 1 / float32(n)
		}
		for _, c := range []struct {
			p    Policy
			want int
		}{
			{Policy{Name: Surplus}, n},
			{Policy{Name: Surplus, LambdaEps: .01}, 0},
			{Policy{Name: Surplus, LambdaEps: -.01}, n},
		} {
			if got := count(c.p.Mask(a)); got != c.want {
				t.Errorf("%+v: %d of %d words masked, want %d", c.p, got, n, c.want)
			}
		}
	}
}

func TestMaskCases(t *testing.T) {
	surplus := func(lambda float64) Policy { return Policy{Name: Surplus, LambdaEps: recipe.OrAuto(lambda)} }
	share := func(s float64) Policy { return Policy{Name: TopShare, TopShare: s} }
	for _, c := range []struct {
		scores []float32
		policy Policy
		want   []bool
	}{
		{nil, surplus(.15), []bool{}},
		{[]float32{1}, surplus(0), []bool{true}},                           // threshold 1: the score 1 reaches it
		{[]float32{1}, surplus(.15), []bool{false}},                        // threshold 1.15: the score 1 is below it
		{[]float32{.5, .3, .2}, surplus(.15), []bool{true, false, false}},  // threshold 0.3833
		{[]float32{.5, .25, .25}, surplus(.5), []bool{true, false, false}}, // threshold 0.5: 0.5 reaches it
		{[]float32{.4, .4, .1, .1}, surplus(.3), []bool{true, true, false, false}},
		{nil, share(.5), []bool{}},
		{[]float32{.2, .4, .2, .2}, share(.5), []bool{true, true, false, false}}, // the first .2 is masked, too
		{[]float32{.5, .5}, share(1), []bool{true, true}},
		{[]float32{.5, .5}, share(0), []bool{false, false}},
		{[]float32{.1, .2, .3, .4}, share(.15), []bool{false, false, false, true}}, // 4 * .15, rounded up to 1
		{[]float32{.1, .2, .3, .4}, share(.5), []bool{false, false, true, true}},
		{[]float32{1}, share(.15), []bool{true}},
		{[]float32{.9, .1}, Policy{Name: None}, []bool{false, false}},
		{nil, Policy{Name: None}, []bool{}},
	} {
		if got := c.policy.Mask(c.scores); !slices.Equal(got, c.want) {
			t.Errorf("%+v of %v: %v, want %v", c.policy, c.scores, got, c.want)
		}
	}
}

// TestUnknownPolicy checks that Mask accepts every known policy and panics on an unknown one. A
// panic is enough, because an experiment refuses unknown names earlier.
func TestUnknownPolicy(t *testing.T) {
	for _, name := range append(Surplus.Choices(), string(None)) {
		if mask := (Policy{Name: Name(name)}).Mask([]float32{.4, .6}); len(mask) != 2 {
			t.Errorf("%s: mask %v", name, mask)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a policy without a name masks")
		}
	}()
	Policy{}.Mask([]float32{1})
}

// TestRule checks that a rule names what decides: a threshold for the sentence, or a share.
func TestRule(t *testing.T) {
	for want, p := range map[string]Policy{
		"from 0.287 on": {Name: Surplus, LambdaEps: .15}, "top_share 0.5": {Name: TopShare, TopShare: .5},
	} {
		if got := p.Rule(4); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}
