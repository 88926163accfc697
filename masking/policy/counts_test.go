package policy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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
