package smlm

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// slotted returns a shape whose masks are groups of slots.
func slotted(c Config, slots int) Config {
	c.Slots = slots
	return c
}

// words returns targets without empty words.
func words(ids []int64) []int64 {
	return lists.Where(ids, func(id int64) bool { return id != emptyID })
}

// groups cuts the targets of a sentence with slots into words that stand open, one each, and
// groups.
func groups(ids []int64, masks []bool, slots int) (parts [][]int64, masked []bool) {
	for len(ids) > 0 {
		n := 1
		if masks[0] {
			n = min(slots, len(ids))
		}
		parts, masked = append(parts, ids[:n]), append(masked, masks[0])
		if slices.Contains(masks[:n], !masks[0]) {
			return nil, nil // a group of fewer slots
		}
		ids, masks = ids[n:], masks[n:]
	}
	return parts, masked
}

// TestSlotsHoldTheSentence: without empty words the targets are the sentence; words stand open that
// were not masked and that no group took in; a group has all its slots, its words first, and begins
// with a masked word or has none; the sentences given are not written to, and the draws are a
// function of seed and epoch alone.
func TestSlotsHoldTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		share := rapid.SampledFrom([]float64{0, .3, .8})
		s := recipe.Slotting{
			Slots: rapid.IntRange(1, 4).Draw(t, "slots"), Merge: share.Draw(t, "merge"), Gaps: share.Draw(t, "gaps"),
		}
		seed, epoch := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(devEpoch, 5).Draw(t, "epoch")

		before := corpus.Encoded{IDs: lists.Map(d.IDs, slices.Clone), Masks: lists.Map(d.Masks, slices.Clone)}
		got := withSlots(d, s, seed, epoch)
		if !reflect.DeepEqual(before.IDs, d.IDs) || !reflect.DeepEqual(before.Masks, d.Masks) {
			t.Fatal("the sentences given were written to")
		}
		if !reflect.DeepEqual(got, withSlots(d, s, seed, epoch)) {
			t.Fatal("the same seed and epoch draw otherwise")
		}
		for i := range d.IDs {
			if !slices.Equal(words(got.IDs[i]), d.IDs[i]) {
				t.Fatalf("the words of %v are %v", d.IDs[i], got.IDs[i])
			}
			parts, masked := groups(got.IDs[i], got.Masks[i], s.Slots)
			if parts == nil {
				t.Fatalf("%v with masks %v: no groups of %d", got.IDs[i], got.Masks[i], s.Slots)
			}
			at := 0
			for g, part := range parts {
				n := len(words(part))
				switch {
				case !masked[g] && (n != 1 || d.Masks[i][at]):
					t.Fatalf("%v: word %d of %v stands open", got.IDs[i], at, d.IDs[i])
				case masked[g] && slices.Contains(part[:n], emptyID):
					t.Fatalf("%v: a word stands behind an empty one", part)
				case masked[g] && n > 0 && !d.Masks[i][at]:
					t.Fatalf("%v: a group begins with word %d, which is not masked", got.IDs[i], at)
				case masked[g] && (n > 1 && s.Merge == 0 || n == 0 && s.Gaps == 0):
					t.Fatalf("%v: a group of %d words, asked for by %+v", part, n, s)
				}
				at += n
			}
		}
	})
}

// TestSlotsOff: without slots sentences are as they are, whatever the other settings say; with one
// slot that takes nothing in and no gaps they are too.
func TestSlotsOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		for _, s := range []recipe.Slotting{{Merge: .5, Gaps: .5}, {Slots: 1}} {
			if got := withSlots(d, s, 1, 2); !reflect.DeepEqual(got, d) {
				t.Fatalf("%+v: %v became %v", s, d, got)
			}
		}
	})
}

// ofDrawnMasks returns n sentences of drawMasks.
func ofDrawnMasks(n int) (d corpus.Encoded) {
	d.Masks = drawMasks(n)
	for i, mask := range d.Masks {
		ids := make([]int64, len(mask))
		for k := range ids {
			ids[k] = int64(corpus.NumSpecial + (i+k)%17)
		}
		d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, i%2)
	}
	d.Asked = others(d.Styles)
	return d
}

// TestShareOfSlots: about as many groups take in a word more, and about as many gaps get a group,
// as is asked for; and another epoch or seed draws others.
func TestShareOfSlots(t *testing.T) {
	d := ofDrawnMasks(4000)
	s := recipe.Slotting{Slots: 3, Merge: .3, Gaps: .1}
	got := withSlots(d, s, 5, 0)
	about := func(what string, n, of int, share float64) {
		t.Helper()
		if off := math.Abs(float64(n) - share*float64(of)); off > 5*math.Sqrt(float64(of)*share*(1-share)) {
			t.Errorf("%s: %d of %d, about a share of %v is asked for", what, n, of, share)
		}
	}
	var empty, gaps int    // groups without a word, and places for them
	var took, could [4]int // groups that took in a word beside n others, and that could
	for i, ids := range got.IDs {
		parts, masked := groups(ids, got.Masks[i], s.Slots)
		at := 0
		gaps++ // the one at the end
		for g, part := range parts {
			n := len(words(part))
			at += n
			if n == 0 {
				empty++
				continue
			}
			gaps++
			for k := 1; masked[g] && k < s.Slots && k <= n; k++ {
				if left := len(d.IDs[i]) - (at - n) - k; left > 0 {
					could[k]++
					if n > k {
						took[k]++
					}
				}
			}
		}
	}
	about("gaps with a group", empty, gaps, s.Gaps)
	about("second words", took[1], could[1], s.Merge)
	about("third words", took[2], could[2], s.Merge)
	for _, other := range []corpus.Encoded{withSlots(d, s, 5, 1), withSlots(d, s, 6, 0)} {
		if reflect.DeepEqual(other, got) {
			t.Error("another epoch or seed draws the same")
		}
	}
}

// TestInputOfSlots: the encoder reads <mask> at the first slot of each group and <eos> at the
// others, also of groups side by side.
func TestInputOfSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 4).Draw(t, "slots")
		var ids, want []int64
		var masks []bool
		for _, group := range rapid.SliceOfN(rapid.Bool(), 1, 8).Draw(t, "groups") {
			if !group {
				ids, want, masks = append(ids, 11), append(want, 11), append(masks, false)
				continue
			}
			for k := range slots {
				ids, masks = append(ids, 12), append(masks, true)
				if k == 0 {
					want = append(want, corpus.MaskID)
				} else {
					want = append(want, corpus.EosID)
				}
			}
		}
		for _, f := range everyCodes() {
			f.slots = slots
			input := f.input(ids, masks, 1, 0)
			if got := input[:len(ids)]; !slices.Equal(got, want) {
				t.Fatalf("%+v: %v for %v, want %v", f, got, masks, want)
			}
			if len(input) != len(ids)+int(f.behind()) {
				t.Fatalf("%+v: %d tokens for %d words", f, len(input), len(ids))
			}
		}
	})
}

// short is a training of a few steps.
var short = nn.Recipe{
	Training: recipe.Training{Epochs: 3, LR: .01, Beta1: .5, BatchTokens: 6, Clip: 1}, Seed: 2,
}

// bits trains a fresh model of a shape and returns its weights, and what its epochs lost.
func bits(t *testing.T, c Config, train func(m *Model) (*nn.History, error)) (flat []float32) {
	t.Helper()
	parity.OnTorch(t, func() error {
		m := freshOf(c)
		defer m.Params.Free()
		h, err := train(m)
		if err != nil {
			return err
		}
		for _, w := range m.Params.All() {
			flat = append(flat, w.Floats()...)
		}
		for _, e := range h.Epochs {
			flat = append(flat, float32(e.TrainLoss), float32(e.Dev.Loss))
		}
		return nil
	})
	return flat
}

// TestOneSlotIsNone: with one slot that takes nothing in and no gaps training, fine-tuning and
// outputs are those without slots, bit by bit. Only the empty word may then be written too.
func TestOneSlotIsNone(t *testing.T) {
	d := ofDrawnMasks(12)
	one := recipe.Slotting{Slots: 1}
	ctx := context.Background()
	for name, train := range map[string]func(m *Model, s recipe.Slotting) (*nn.History, error){
		"training": func(m *Model, s recipe.Slotting) (*nn.History, error) {
			return m.Train(ctx, d, d, Objective{}, VariedMasks{Reveal: .5, RandomMasks: .1}, s, short)
		},
		"training on masks": func(m *Model, s recipe.Slotting) (*nn.History, error) {
			return m.Train(ctx, d, d, Objective{Loss: recipe.Masked}, VariedMasks{}, s, short)
		},
		"fine-tuning": func(m *Model, s recipe.Slotting) (*nn.History, error) {
			head := NewHead(tiny.Dim, 1, 2)
			defer head.Params.Free()
			return m.Finetune(ctx, head, d, d, FinetuneLoss{
				Finetune: recipe.Finetune{LambdaSta: 1, LambdaRec: 1}, Slotting: s,
			}, short)
		},
	} {
		plain := bits(t, tiny, func(m *Model) (*nn.History, error) { return train(m, recipe.Slotting{}) })
		slot := bits(t, slotted(tiny, 1), func(m *Model) (*nn.History, error) { return train(m, one) })
		if len(plain) == 0 || !slices.Equal(plain, slot) {
			t.Errorf("%s with one slot is another", name)
		}
	}
}

// TestResumeWithSlots cancels each training with slots every so many steps, and goes on: weights
// end as those of a training that never stopped, bit by bit. So each epoch's slots are drawn again.
func TestResumeWithSlots(t *testing.T) {
	d := ofDrawnMasks(30)
	s := recipe.Slotting{Slots: 2, Merge: .3, Gaps: .1}
	loss := FinetuneLoss{
		Finetune: recipe.Finetune{LambdaSta: 1, LambdaRec: 1}, Slotting: s,
	}
	for name, train := range map[string]func(ctx context.Context, m *Model, head *Head, r nn.Recipe) error{
		"Train": func(ctx context.Context, m *Model, _ *Head, r nn.Recipe) error {
			_, err := m.Train(ctx, d, d, Objective{}, VariedMasks{Reveal: .5}, s, r)
			return err
		},
		"Finetune": func(ctx context.Context, m *Model, head *Head, r nn.Recipe) error {
			_, err := m.Finetune(ctx, head, d, d, loss, r)
			return err
		},
	} {
		r := short
		r.BatchTokens, r.KeepLast = 60, true
		run := func(ctx context.Context, r nn.Recipe) (flat []float32, err error) {
			parity.OnTorch(t, func() error {
				m, head := freshOf(slotted(tiny, s.Slots)), NewHead(tiny.Dim, 1, 2)
				defer m.Params.Free()
				defer head.Params.Free()
				err = train(ctx, m, head, r)
				for _, w := range m.Params.All() {
					flat = append(flat, w.Floats()...)
				}
				return nil
			})
			return flat, err
		}
		want, err := run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		r.Scratch = t.TempDir()
		for start := 1; ; start++ {
			ctx, cancel := context.WithCancel(context.Background())
			steps := 0
			r.Progress = func(int, int, string) {
				if steps++; steps == 7 {
					cancel()
				}
			}
			got, err := run(ctx, r)
			cancel()
			if errors.Is(err, context.Canceled) && start < 100 {
				continue
			}
			if err != nil || start < 3 || !slices.Equal(got, want) {
				t.Errorf("%s after %d starts: error %v, the same weights: %t",
					name, start, err, slices.Equal(got, want))
			}
			break
		}
	}
}

// TestLearnsHowMany: of a sentence that is always the same the model learns how many words a group
// of slots hides, two, one or none, and which.
func TestLearnsHowMany(t *testing.T) {
	var train corpus.Encoded
	for i := range 50 {
		mask := make([]bool, 5)
		mask[i%5] = true
		train.IDs, train.Masks = append(train.IDs, []int64{9, 10, 11, 12}), append(train.Masks, mask[:4])
		train.Styles = append(train.Styles, i/5%2)
	}
	train.Asked = others(train.Styles)
	r := nn.Recipe{Training: recipe.Training{Epochs: 120, LR: .005, Beta1: .9, BatchTokens: 64}, Seed: 2}
	c := slotted(tiny, 2)
	c.Layers, c.Dim, c.FF, c.Dropout = 2, 24, 48, 0
	parity.OnTorch(t, func() error {
		torch.Seed(7)
		m := New(c)
		defer m.Params.Free()
		s := recipe.Slotting{Slots: 2, Merge: .4, Gaps: .2}
		h, err := m.Train(context.Background(), train, train, Objective{}, VariedMasks{}, s, r)
		if err != nil {
			return err
		}
		if first, last := h.Epochs[0].Dev.Loss, h.Kept().Dev.Loss; last > first/3 {
			t.Errorf("the loss of dev sentences is %v after an epoch, and %v at its best", first, last)
		}
		asked := corpus.Encoded{
			IDs:    [][]int64{{9, 20, 12}, {9, 20, 11, 12}, {9, 10, 20, 11, 12}},
			Styles: []int{0, 1, 0}, Asked: []int{1, 0, 1},
			Masks: [][]bool{{false, true, false}, {false, true, false, false}, {false, false, true, false, false}},
		}
		out, err := m.Transfer(context.Background(), asked, Decoding{Decoding: recipe.Copied})
		for i, want := range [][]int64{{9, 10, 11, 12}, {9, 10, emptyID, 11, 12}, {9, 10, emptyID, emptyID, 11, 12}} {
			if !slices.Equal(out[i], want) {
				t.Errorf("%v became %v, want %v", asked.IDs[i], out[i], want)
			}
		}
		return err
	})
}

// TestTransferWithSlots: unmasked words are the source's where words are copied; the empty word
// stands at slots alone, no other special word anywhere, and there is always a word, also where
// <eos> is the likeliest token everywhere. Neither the order of sentences nor what stood at masks
// changes an output.
func TestTransferWithSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, slots := sentences(t), rapid.IntRange(1, 3).Draw(t, "slots")
		lead := rapid.SampledFrom([]float32{0, 3, 1000}).Draw(t, "lead of <eos>")
		decodings := rapid.SampledFrom([]recipe.Decoding{recipe.Copied, recipe.Predicted})
		decoding := Decoding{Decoding: decodings.Draw(t, "decoding")}
		hidden := d
		hidden.IDs = lists.Map(d.IDs, slices.Clone)
		for i, mask := range d.Masks {
			for k, on := range mask {
				if on {
					hidden.IDs[i][k] = 20
				}
			}
		}
		open, order := withOpenSlots(d, slots), permutation(t, len(d.IDs))
		if err := torch.Run(func() error {
			m := freshOf(slotted(tiny, slots))
			defer m.Params.Free()
			bias := make([]float32, tiny.Vocab)
			bias[emptyID] = lead
			m.out.B.Set(torch.FromFloats(bias, int64(tiny.Vocab)))
			out, err := m.Transfer(context.Background(), d, decoding)
			if err != nil {
				return err
			}
			permuted, err := m.Transfer(context.Background(), d.Pick(order), decoding)
			if err != nil {
				return err
			}
			for at, i := range order {
				if !slices.Equal(permuted[at], out[i]) && !tiedSlot(m, open, i) {
					t.Fatalf("%v became %v, and %v in another order", d.IDs[i], out[i], permuted[at])
				}
			}
			other, err := m.Transfer(context.Background(), hidden, decoding)
			for i, ids := range out {
				if len(ids) != len(open.IDs[i]) || len(words(ids)) == 0 {
					t.Fatalf("%v with masks %v became %v", d.IDs[i], d.Masks[i], ids)
				}
				if !slices.Equal(ids, other[i]) {
					t.Fatalf("%v became %v, and %v with other words at masks", d.IDs[i], ids, other[i])
				}
				for k, id := range ids {
					switch slot := open.Masks[i][k]; {
					case !slot && decoding.copies() && id != open.IDs[i][k]:
						t.Fatalf("%v became %v: position %d is no slot", d.IDs[i], ids, k)
					case slot && id == emptyID:
					case (slot || !decoding.copies()) && id < corpus.NumSpecial:
						t.Fatalf("%v became %v: token %d was written", d.IDs[i], ids, id)
					case slot && lead == 1000 && (k > 0 || slices.Contains(open.Masks[i], false)):
						t.Fatalf("%v became %v: position %d is not empty", d.IDs[i], ids, k)
					}
				}
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	})
}

// tiedSlot tells whether a word of sentence i, or an empty one, hangs on rounding, as tiedWord
// does.
func tiedSlot(m *Model, d corpus.Encoded, i int) bool {
	states := m.States(m.Config.codes().inputs(d, []int{i}, d.Asked), false)
	for row := range slices.Chunk(m.out.Forward(states).Floats(), tiny.Vocab) {
		may := append(row[corpus.NumSpecial:], row[emptyID])
		slices.Sort(may)
		if n := len(may); float64(may[n-1]-may[n-2]) <= 10*stateOff {
			return true
		}
	}
	return false
}
