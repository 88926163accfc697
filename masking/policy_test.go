package masking

import (
	"math/rand/v2"
	"slices"
	"testing"

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

// TestSurplusIsMonotone: a larger lambda masks a subset; at 0 or less at least one word is masked, for one has the mean or more.
func TestSurplusIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := scores(t)
		small := rapid.Float64Range(-1, 3).Draw(t, "lambda")
		large := small + rapid.Float64Range(0, 3).Draw(t, "more")
		less, more := Surplus(a, large), Surplus(a, small)
		for i := range a {
			if less[i] && !more[i] {
				t.Fatalf("word %d of %v is masked at %v but not at %v", i, a, large, small)
			}
		}
		if count(Surplus(a, 0)) == 0 {
			t.Fatalf("nothing of %v is masked at 0", a)
		}
		if n := float64(len(a)); count(Surplus(a, n)) != 0 {
			t.Fatalf("something of %v is masked at %v: a score above 1", a, n)
		}
		k := slices.Index(a, slices.Max(a))
		for i, on := range more {
			if on && !more[k] {
				t.Fatalf("word %d is masked but the highest score, %d, is not", i, k)
			}
		}
	})
}

// TestSurplusOfUniform: at 0 uniform scores mask everything (the paper), however 1/n is rounded; above 0 nothing.
func TestSurplusOfUniform(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		a := make([]float32, n)
		for i := range a {
			a[i] = 1 / float32(n)
		}
		if got := count(Surplus(a, 0)); got != n {
			t.Errorf("%d of %d words masked at 0", got, n)
		}
		if got := count(Surplus(a, .01)); got != 0 {
			t.Errorf("%d of %d words masked at 0.01", got, n)
		}
	}
}

func TestSurplusCases(t *testing.T) {
	for _, c := range []struct {
		scores []float32
		lambda float64
		want   []bool
	}{
		{nil, .15, []bool{}},
		{[]float32{1}, 0, []bool{true}},                           // one word has all the attention
		{[]float32{1}, .15, []bool{false}},                        // and can have no surplus
		{[]float32{.5, .3, .2}, .15, []bool{true, false, false}},  // threshold 0.3833
		{[]float32{.5, .25, .25}, .5, []bool{true, false, false}}, // threshold 0.5: reached counts
		{[]float32{.4, .4, .1, .1}, .3, []bool{true, true, false, false}},
	} {
		if got := Surplus(c.scores, c.lambda); !slices.Equal(got, c.want) {
			t.Errorf("Surplus(%v, %v) = %v, want %v", c.scores, c.lambda, got, c.want)
		}
	}
}

func TestShuffledKeepsTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mask := rapid.SliceOf(rapid.Bool()).Draw(t, "mask")
		seed := rapid.Uint64().Draw(t, "seed")
		given := slices.Clone(mask)
		got := Shuffled(mask, rand.New(rand.NewPCG(seed, 0)))
		if len(got) != len(mask) || count(got) != count(mask) {
			t.Fatalf("%v became %v", mask, got)
		}
		if !slices.Equal(mask, given) {
			t.Fatal("the mask given was changed")
		}
		if !slices.Equal(got, Shuffled(mask, rand.New(rand.NewPCG(seed, 0)))) {
			t.Fatal("another result for the same seed")
		}
	})
	// Every place is as likely: 1 of 4 words, 8000 draws, 2000 each, standard deviation 39.
	rng := rand.New(rand.NewPCG(1, 1))
	var at [4]int
	for range 8000 {
		at[slices.Index(Shuffled([]bool{true, false, false, false}, rng), true)]++
	}
	for i, n := range at {
		if n < 1800 || n > 2200 {
			t.Errorf("place %d is drawn %d times of 8000", i, n)
		}
	}
}

func TestCount(t *testing.T) {
	got := Count([][]bool{{true, true}, {false}, {true, false, false}, {}})
	if want := (Counts{Sentences: 4, Words: 6, Masked: 3, All: 1, None: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got.Share() != .5 || (Counts{}).Share() != 0 {
		t.Errorf("shares %v and %v", got.Share(), (Counts{}).Share())
	}
}
