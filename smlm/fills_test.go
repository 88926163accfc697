package smlm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"pgregory.net/rapid"
)

// fillsOf returns the fills of all sentences.
func fillsOf(m *Model, d corpus.Encoded) (fills [][][]guided.Fill, err error) {
	err = m.Refilling(false, len(d.IDs), func(f *Filler) error {
		fills, err = f.Fills(context.Background(), d, true)
		return err
	})
	return fills, err
}

// TestFillsAreLogits: the fills of a mask are all words, the likeliest first, with log q in the
// style asked for by the logits of the sentence alone, and in its own style up to what all words of
// a place share; also where there are so many that they are padded and gathered in slices.
func TestFillsAreLogits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		copies := rapid.SampledFrom([]int{1, 100}).Draw(t, "copies")
		all := corpus.Encoded{
			IDs: slices.Repeat(d.IDs, copies), Styles: slices.Repeat(d.Styles, copies),
			Masks: slices.Repeat(d.Masks, copies),
		}
		if err := torch.Run(func() error {
			m := fresh()
			defer m.Params.Free()
			fills, err := fillsOf(m, all)
			if err != nil {
				return err
			}
			for i := range d.IDs {
				for _, to := range []dest{other, same} {
					var logits [][]float32
					if err := torch.NoGrad(func() error {
						states := m.States(paper.inputs(d, []int{i}, to), false)
						logits = slices.Collect(slices.Chunk(m.out.Forward(states).Floats(), tiny.Vocab))
						return nil
					}); err != nil {
						return err
					}
					for copied := i; copied < len(fills); copied += len(d.IDs) {
						compareFills(t, d, i, to, fills[copied], logits)
					}
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// compareFills holds the fills of sentence i to the logits of its words.
func compareFills(t *rapid.T, d corpus.Encoded, i int, to dest, fills [][]guided.Fill, logits [][]float32) {
	at := 0
	for k, on := range d.Masks[i] {
		if !on {
			continue
		}
		row, words := logits[k], fills[at]
		at++
		if len(words) != tiny.Vocab-corpus.NumSpecial {
			t.Fatalf("sentence %d, word %d has %d fills", i, k, len(words))
		}
		z, largest := 0.0, 0.0
		for _, x := range row {
			z, largest = z+math.Exp(float64(x)), max(largest, math.Abs(float64(x)))
		}
		near := func(got, want float64) bool { return math.Abs(got-want) <= 10*stateOff*max(1, largest) }
		for j, f := range words {
			if j > 0 && f.Asked > words[j-1].Asked {
				t.Fatalf("sentence %d, word %d: fill %d is likelier than the one before", i, k, j)
			}
			switch x, x0 := float64(row[f.ID]), float64(row[words[0].ID]); {
			case to == other && !near(f.Asked, x-math.Log(z)):
				t.Fatalf("sentence %d, word %d, fill %d: log q %v, want %v", i, k, f.ID, f.Asked, x-math.Log(z))
			case to == same && !near(f.Own-words[0].Own, x-x0):
				t.Fatalf("sentence %d, word %d, fill %d: in its own style %v above the first fill, want %v",
					i, k, f.ID, f.Own-words[0].Own, x-x0)
			}
		}
	}
	if at != len(fills) {
		t.Fatalf("sentence %d has %d masks, and fills for %d", i, at, len(fills))
	}
}

// TestGuidedOffIsTransfer: guided refilling with all off writes what Transfer writes.
func TestGuidedOffIsTransfer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		if err := torch.Run(func() error {
			m := fresh()
			defer m.Params.Free()
			want, err := m.Transfer(context.Background(), d, Decoding{Decoding: recipe.Copied})
			if err != nil {
				return err
			}
			return m.Refilling(false, len(d.IDs), func(f *Filler) error {
				r := guided.Refiller{How: recipe.Guided{Plausible: 1, Candidates: 1}, Filler: f}
				out, err := r.Transfer(context.Background(),
					d)
				for i, o := range out {
					if !slices.Equal(o.IDs(), want[i]) && !tiedWord(m, d, i) {
						t.Errorf("sentence %d: %v, want %v", i, o.IDs(), want[i])
					}
				}
				return err
			})
		}); err != nil {
			t.Error(err)
		}
	})
}
