package guided

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"pgregory.net/rapid"
)

// rounded is a filler, a guide and n-grams that find many words equally good, but for noise that
// depends on which sentences they see at a time and on how often they were asked, as the last bits
// of float32's sums do. With large steps the guide is saturated: words make its logit some tens, so
// that p is 1, or next to 1, of most sentences.
type rounded struct {
	steps   float64 // of a guide's logits
	amount  float64 // of the noise
	slots   int     // 0: it knows none
	batches *int
}

// off returns the noise of one number of a batch.
func (r rounded) off(batch [][]int64, of ...any) float64 {
	return r.amount * noise(*r.batches, len(batch), batch[0], of)
}

func (r rounded) Fills(_ context.Context, d corpus.Encoded, own bool) ([][][]Fill, error) {
	*r.batches++
	out := make([][][]Fill, len(d.IDs))
	for i := range d.IDs {
		for k, on := range d.Masks[i] {
			if !on {
				continue
			}
			var fills []Fill
			for w := int64(corpus.NumSpecial); w < vocab; w++ {
				f := Fill{ID: w, Asked: -1 - coarse(k, w, d.Asked[i]) + r.off(d.IDs, i, k, w)}
				if own {
					f.Own = -coarse(k, w, d.Styles[i]) + r.off(d.IDs, i, k, w, "own")
				}
				fills = append(fills, f)
			}
			slices.SortFunc(fills, func(a, b Fill) int { // the likeliest first, noise included
				if a.Asked > b.Asked {
					return -1
				}
				return 1
			})
			if r.slots > 0 {
				empty := Fill{ID: Empty, Asked: -.3 - coarse(k, "empty", d.Asked[i])/2 + r.off(d.IDs, i, k, "empty")}
				if own {
					empty.Own = -.3 - coarse(k, "empty", d.Styles[i])/2 + r.off(d.IDs, i, k, "empty own")
				}
				fills = append(fills, empty)
			}
			out[i] = append(out[i], fills)
		}
	}
	return out, nil
}

// coarse is 0, 1, 2 or 3.
func coarse(of ...any) float64 { return math.Floor(2*noise(of...) + 2) }

func (r rounded) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	*r.batches++
	out := make([][]float64, len(all))
	for i, ids := range all {
		logit := 0.0
		for _, id := range ids {
			if id != corpus.UnkID {
				logit += r.steps * (coarse("weight", id) - 1)
			}
		}
		logit += r.off(all, i)
		for _, x := range []float64{-logit, logit} { // the log of a sigmoid, to float32's last bit
			out[i] = append(out[i], float64(float32(min(x, 0)-math.Log1p(math.Exp(-math.Abs(x))))))
		}
	}
	return out, nil
}

func (r rounded) Window(ids []int64, k int) float64 { return coarse("window", ids[k]) }

func (r rounded) Alone(id int64) float64 { return coarse("alone", id) }

func (r rounded) LogProb(ids []int64) (sum float64) {
	for k := range ids {
		sum += r.Window(ids, k)
	}
	return sum
}

// TestRoundingDecidesNothing: a sentence comes out the same among others, in another order of them,
// in batches of other sizes and alone, where all are equally good but for their last bits, words
// and how many of them stand in a place.
func TestRoundingDecidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		how, d := hows(t), drawn(t)
		how.Restore = min(how.Restore, rapid.SampledFrom([]float64{0, .6, .93, 1}).Draw(t, "restore"))
		how.Doubt = rapid.SampledFrom([]float64{.9, 1}).Draw(t, "doubt")
		how.Price = 0
		// Weights keep scores apart by more than rounding where they are apart at all.
		how.Gamma, how.Fluency = math.Round(how.Gamma), math.Round(2*how.Fluency)/2
		r := rounded{steps: rapid.SampledFrom([]float64{1, 12, 40}).Draw(t, "steps"), amount: 1e-6, batches: new(int)}
		r.slots = drawnSlots(t, &how)
		if how.Candidates > 1 { // numbers drawn have no steps; what is next to rounding may fall on either side
			r.amount = 1e-12
		}
		write := func(d corpus.Encoded) []Output {
			by := &Refiller{How: how, Filler: r, Slots: r.slots, Guide: r, Fluency: r, Seed: 7}
			return transfer(t, by, d)
		}
		all := write(d)
		n := len(all)
		order := rapid.Permutation(numbers(n)).Draw(t, "order")
		other := inOrder(d, order)
		var got []Output
		for size := rapid.IntRange(1, n).Draw(t, "size"); len(got) < n; {
			got = append(got, write(other.Slice(len(got), min(len(got)+size, n)))...)
		}
		for at, i := range order {
			if a, b := all[i].IDs(), got[at].IDs(); !slices.Equal(a, b) {
				t.Fatalf("sentence %d, %v, is %v among all and %v in another order", i, d.IDs[i], a, b)
			}
		}
	})
}

// TestEqualWordsAreNoGain: a further mask that changes no word is undone, however much surer a
// guide is that cannot judge the same words twice alike.
func TestEqualWordsAreNoGain(t *testing.T) {
	const a = corpus.NumSpecial
	guide := &fickle{}
	r := &Refiller{
		How:    recipe.Guided{Plausible: 1, Candidates: 1, MoreMasks: 3, Doubt: 1},
		Filler: likes{a}, Guide: guide,
	}
	d := corpus.Encoded{
		IDs: [][]int64{{a, a, a, a, a, a}}, Styles: []int{0}, Asked: []int{1},
		Masks: [][]bool{{true, false, false, false, false, false}},
	}
	for k, w := range transfer(t, r, d)[0].Words {
		if w.Origin == Added {
			t.Errorf("word %d is called added, but nothing was gained by it", k)
		}
	}
	if guide.calls < 3 {
		t.Errorf("the guide was asked %d times: no further mask was tried", guide.calls)
	}
}

// fickle is a guide that grows surer with every call.
type fickle struct{ calls int }

func (f *fickle) LogProbs(_ context.Context, all [][]int64) ([][]float64, error) {
	f.calls++
	p := 1 - math.Exp(-float64(f.calls)/4)
	return slices.Repeat([][]float64{{math.Log(1 - p), math.Log(p)}}, len(all)), nil
}
