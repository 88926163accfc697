package smlm

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// drawMasks returns n sentences' masks, a third of the words masked and at least one of each.
func drawMasks(n int) [][]bool {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([][]bool, n)
	for i := range out {
		out[i] = make([]bool, 4+rng.IntN(8))
		for k := range out[i] {
			out[i][k] = rng.IntN(3) == 0
		}
		out[i][rng.IntN(len(out[i]))] = true
	}
	return out
}

func count(masks [][]bool, at func(i, k int) bool) (n int) {
	for i, mask := range masks {
		for k := range mask {
			if at(i, k) {
				n++
			}
		}
	}
	return n
}

// TestVariedOff: the zero value leaves masks alone.
func TestVariedOff(t *testing.T) {
	masks := drawMasks(20)
	if got := varied(masks, VariedMasks{}, 1, 3); !reflect.DeepEqual(got, masks) {
		t.Error("masks changed")
	}
}

// TestReveal: no new mask appears, each sentence keeps one, an untouched share is as it was, and
// what was given is not written to.
func TestReveal(t *testing.T) {
	masks := drawMasks(4000)
	before := drawMasks(4000)
	got := varied(masks, VariedMasks{Reveal: .5}, 1, 0)
	if !reflect.DeepEqual(masks, before) {
		t.Fatal("the masks given were written to")
	}
	if n := count(got, func(i, k int) bool { return got[i][k] && !masks[i][k] }); n > 0 {
		t.Errorf("%d words are masked that were not", n)
	}
	// Of n masks from 1 to n stay, each number as likely: (n+1)/2 of them on average.
	var want, variance float64
	for i, mask := range masks {
		if !slices.Contains(got[i], true) {
			t.Errorf("sentence %d has no mask", i)
		}
		n := float64(count(masks[i:i+1], func(_, k int) bool { return mask[k] }))
		want += n/2 + (n+1)/4
		variance += n * n / 4
	}
	total := float64(count(got, func(i, k int) bool { return got[i][k] }))
	if off := math.Abs(total - want); off > 5*math.Sqrt(variance) {
		t.Errorf("%v words stay masked, about %v should", total, want)
	}
}

// TestRandomMasks: all that was masked is, and of the other words about the share asked for.
func TestRandomMasks(t *testing.T) {
	masks := drawMasks(4000)
	got := varied(masks, VariedMasks{RandomMasks: .1}, 1, 0)
	if n := count(got, func(i, k int) bool { return masks[i][k] && !got[i][k] }); n > 0 {
		t.Errorf("%d masked words are shown", n)
	}
	others := float64(count(masks, func(i, k int) bool { return !masks[i][k] }))
	more := float64(count(got, func(i, k int) bool { return got[i][k] && !masks[i][k] }))
	if math.Abs(more-others/10) > 5*math.Sqrt(others*.09) {
		t.Errorf("%v of %v other words are masked", more, others)
	}
}

// TestVariedDraws: an epoch draws the same again, another one or another seed something else.
func TestVariedDraws(t *testing.T) {
	masks, v := drawMasks(200), VariedMasks{Reveal: .5, RandomMasks: .1}
	first := varied(masks, v, 1, 0)
	if !reflect.DeepEqual(varied(masks, v, 1, 0), first) {
		t.Error("the same epoch is drawn otherwise")
	}
	if reflect.DeepEqual(varied(masks, v, 1, 1), first) || reflect.DeepEqual(varied(masks, v, 2, 0), first) {
		t.Error("another epoch or seed draws the same")
	}
}

// TestTrainVaried: what an epoch masks is what it learns from. Of a sentence of which every word
// but one is always shown, only that word can be learned.
func TestTrainVaried(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{10, 11, 12}}, Styles: []int{0},
		Masks: [][]bool{{true, false, false}},
	}
	r := nn.Recipe{Training: recipe.Training{Epochs: 40, LR: .01, Beta1: .9, Beta2: .999, BatchTokens: 8}, Seed: 2}
	all := corpus.Encoded{IDs: d.IDs, Styles: d.Styles, Masks: [][]bool{{true, true, true}}}
	loss := func(v VariedMasks) (l float64) {
		parity.OnTorch(t, func() error {
			torch.Seed(3)
			m := fresh()
			defer m.Params.Free()
			o := Objective{Loss: recipe.Masked}
			if _, err := m.Train(context.Background(), d, d, o, v, r); err != nil {
				return err
			}
			got, err := m.Evaluate(context.Background(), all, o)
			l = got.Loss
			return err
		})
		return l
	}
	if plain, more := loss(VariedMasks{}), loss(VariedMasks{RandomMasks: .7}); more > plain/2 {
		t.Errorf("loss of three masks %v without and %v with random ones", plain, more)
	}
}

// TestTrainWithoutMasks: where nothing is masked there is nothing to refill, nor for a judge to
// judge, which is said with what to do about it.
func TestTrainWithoutMasks(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{10, 11, 12}}, Styles: []int{0}, Masks: [][]bool{{false, false, false}}}
	parity.OnTorch(t, func() error {
		m := fresh()
		defer m.Params.Free()
		r := nn.Recipe{Training: recipe.Training{Epochs: 1, LR: .01, BatchTokens: 8}}
		_, err := m.Train(context.Background(), d, d, Objective{Loss: recipe.Masked}, VariedMasks{}, r)
		_, judged := m.FinetuneJudged(context.Background(), nil, d, d, FinetuneLoss{}, r)
		for _, err := range []error{err, judged} {
			if err == nil || !strings.Contains(err.Error(), "lower masking.lambda_eps") {
				t.Errorf("error %v", err)
			}
		}
		return nil
	})
}
