package smlm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"pgregory.net/rapid"
)

// decodings is both decodings, with beams for SMLM-G.
func decodings() []Decoding {
	var all []Decoding
	for _, decoding := range []recipe.Decoding{recipe.Predicted, recipe.Copied} {
		for _, beam := range []int{0, 2, 4} {
			all = append(all, Decoding{Decoding: decoding, MaxExtra: 2, Beam: beam})
		}
	}
	return all
}

// kept reports words that dec.copies() should have kept.
func kept(t interface{ Errorf(string, ...any) }, d corpus.Encoded, out [][]int64) {
	for i, words := range out {
		if len(words) != len(d.IDs[i]) {
			t.Errorf("%v became %v, of another length", d.IDs[i], words)
			continue
		}
		for k, id := range words {
			if !d.Masks[i][k] && id != d.IDs[i][k] {
				t.Errorf("%v became %v: word %d is not masked", d.IDs[i], words, k)
			}
		}
	}
}

// TestEveryWay: sentences of one word and of unknown words alone, masked and not, through every
// choice of codes and decoding of both models.
func TestEveryWay(t *testing.T) {
	unk := int64(corpus.UnkID)
	d := corpus.Encoded{
		IDs:    [][]int64{{12}, {12}, {unk}, {unk}, {unk, unk, unk}, {unk, unk, unk}, {unk, unk, unk}},
		Styles: []int{0, 1, 1, 0, 0, 1, 0}, Asked: []int{1, 0, 0, 1, 1, 0, 1},
		Masks: [][]bool{
			{true}, {false}, {true}, {false}, {true, true, true}, {false, true, false}, {false, false, false},
		},
	}
	for _, f := range everyCodes() {
		parity.OnTorch(t, func() error {
			m, g := freshOf(withCodes(tiny, f)), freshGeneratorOf(withCodes(tiny, f))
			defer m.Params.Free()
			defer g.Params.Free()
			for _, dec := range decodings() {
				out, err := m.Transfer(context.Background(), d, dec)
				if err != nil {
					return err
				}
				for i, words := range out {
					if len(words) != len(d.IDs[i]) {
						t.Errorf("%+v %+v: %v became %v", f, dec, d.IDs[i], words)
						continue
					}
					for k, id := range words {
						if id < corpus.NumSpecial && (d.Masks[i][k] || !dec.copies()) {
							t.Errorf("%+v %+v: %v became %v", f, dec, d.IDs[i], words)
						}
					}
				}
				if dec.copies() {
					kept(t, d, out)
				}
				out, err = g.Transfer(context.Background(), d, dec)
				if err != nil {
					return err
				}
				for i, words := range out {
					if len(words) == 0 || len(words) > len(d.IDs[i])+2 ||
						!dec.copies() && slices.Min(words) < corpus.NumSpecial {
						t.Errorf("%+v %+v: SMLM-G made %v of %v", f, dec, words, d.IDs[i])
					}
				}
				if dec.copies() {
					kept(t, d, out)
				}
			}
			return nil
		})
	}
}

// TestCopyKeeps: unmasked words stay in both models, and SMLM's masked ones are those it chooses
// without copying.
func TestCopyKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		dec := searches(t)
		dec.Decoding = recipe.Copied
		err := torch.Run(func() error {
			m, g := fresh(), freshGenerator()
			defer m.Params.Free()
			defer g.Params.Free()
			plain, err := m.Transfer(context.Background(), d, Decoding{})
			if err != nil {
				return err
			}
			out, err := m.Transfer(context.Background(), d, dec)
			if err != nil {
				return err
			}
			kept(t, d, out)
			for i, words := range out {
				for k, id := range words {
					if d.Masks[i][k] && id != plain[i][k] {
						t.Errorf("masked word %d is %d, %d without copying", k, id, plain[i][k])
					}
				}
			}
			out, err = g.Transfer(context.Background(), d, dec)
			kept(t, d, out)
			for i, words := range out {
				for k, id := range words {
					if d.Masks[i][k] && id < corpus.NumSpecial {
						t.Errorf("SMLM-G chose token %d for word %d", id, k)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestTransferWritesAWord lets <eos> be the likeliest token everywhere: an output still has its
// first word, so that no file of outputs has an empty line.
func TestTransferWritesAWord(t *testing.T) {
	err := torch.Run(func() error {
		torch.Seed(1)
		g := NewGenerator(decoding(asPrinted(Config{
			Vocab: 20, SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 8, FF: 8},
		}), 1))
		defer g.Params.Free()
		bias := make([]float32, 20)
		bias[corpus.EosID] = 1000
		g.out.B.Set(torch.FromFloats(bias, 20))
		d := corpus.Encoded{
			IDs: [][]int64{{10, 11, 12}, {13}}, Styles: []int{0, 1}, Asked: []int{1, 0},
			Masks: [][]bool{{true, false, true}, {false}},
		}
		out, err := g.Transfer(context.Background(), d, Decoding{MaxExtra: 5})
		if err != nil {
			return err
		}
		for i, ids := range out {
			if len(ids) != 1 || ids[0] < corpus.NumSpecial {
				t.Errorf("sentence %d became %v, want one ordinary word", i, ids)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fillsOf returns the fills of all sentences, and what the model thinks of them in their own
// styles.
func fillsOf(m *Model, d corpus.Encoded) (fills [][][]guided.Fill, err error) {
	err = m.WithFiller(false, len(d.IDs), func(f *Filler) error {
		fills, err = f.Fills(context.Background(), d, true)
		return err
	})
	return fills, err
}

// TestFillsAreLogits: the fills of a mask are all words, the likeliest first, with log q in the
// style asked for by the logits of the sentence alone, and in its own style up to what all words of
// a place share; also where there are so many that they are padded and gathered in slices. With
// slots the empty word is one more, the last, and all is log q.
func TestFillsAreLogits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := slotted(tiny, rapid.IntRange(0, 3).Draw(t, "slots"))
		d := withOpenSlots(sentences(t), c.Slots)
		copies := rapid.SampledFrom([]int{1, 100}).Draw(t, "copies")
		all := corpus.Encoded{
			IDs: slices.Repeat(d.IDs, copies), Styles: slices.Repeat(d.Styles, copies),
			Asked: slices.Repeat(d.Asked, copies), Masks: slices.Repeat(d.Masks, copies),
		}
		if err := torch.Run(func() error {
			m := freshOf(c)
			defer m.Params.Free()
			fills, err := fillsOf(m, all)
			if err != nil {
				return err
			}
			for i := range d.IDs {
				for own, to := range map[bool][]int{false: d.Asked, true: d.Styles} {
					var logits [][]float32
					if err := torch.NoGrad(func() error {
						states := m.States(c.codes().inputs(d, []int{i}, to), false)
						logits = slices.Collect(slices.Chunk(m.out.Forward(states).Floats(), tiny.Vocab))
						return nil
					}); err != nil {
						return err
					}
					for copied := i; copied < len(fills); copied += len(d.IDs) {
						compareFills(t, d, i, own, c.Slots > 0, fills[copied], logits)
					}
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// compareFills holds the fills of sentence i to the logits of its words, which are of its own style
// or of the one asked for.
func compareFills(
	t *rapid.T, d corpus.Encoded, i int, own, slots bool, fills [][]guided.Fill, logits [][]float32,
) {
	at := 0
	for k, on := range d.Masks[i] {
		if !on {
			continue
		}
		row, words := logits[k], fills[at]
		at++
		all := words
		if slots {
			words = words[:len(words)-1]
			if last := all[len(words)]; last.ID != guided.Empty {
				t.Fatalf("sentence %d, word %d: the last fill is %d", i, k, last.ID)
			}
		}
		if len(words) != tiny.Vocab-corpus.NumSpecial {
			t.Fatalf("sentence %d, word %d has %d fills", i, k, len(words))
		}
		z, largest := 0.0, 0.0
		for _, x := range row {
			z, largest = z+math.Exp(float64(x)), max(largest, math.Abs(float64(x)))
		}
		near := func(got, want float64) bool { return math.Abs(got-want) <= 10*stateOff*max(1, largest) }
		asked, owned := 0.0, 0.0
		for j, f := range all {
			asked, owned = asked+math.Exp(f.Asked), owned+math.Exp(f.Own)
			if 0 < j && j < len(words) && f.Asked > words[j-1].Asked {
				t.Fatalf("sentence %d, word %d: fill %d is likelier than the one before", i, k, j)
			}
			switch x, x0 := float64(row[f.ID]), float64(row[words[0].ID]); {
			case !own && !near(f.Asked, x-math.Log(z)):
				t.Fatalf("sentence %d, word %d, fill %d: log q %v, want %v", i, k, f.ID, f.Asked, x-math.Log(z))
			case own && slots && !near(f.Own, x-math.Log(z)):
				t.Fatalf("sentence %d, word %d, fill %d: log q in its own style %v, want %v",
					i, k, f.ID, f.Own, x-math.Log(z))
			case own && !near(f.Own-words[0].Own, x-x0):
				t.Fatalf("sentence %d, word %d, fill %d: in its own style %v above the first fill, want %v",
					i, k, f.ID, f.Own-words[0].Own, x-x0)
			}
		}
		if most := 1 + 1e-3; asked > most || slots && owned > most {
			t.Fatalf("sentence %d, word %d: q adds up to %v, in its own style to %v", i, k, asked, owned)
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
			return m.WithFiller(false, len(d.IDs), func(f *Filler) error {
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

// TestFillsDifferByRounding: what a model thinks of a word in one batch and in another, or in
// another order of sentences, differs by less than a tenth of what guided refill takes for equal,
// .0001 (decision 030).
func TestFillsDifferByRounding(t *testing.T) {
	for _, slots := range []int{0, 2} {
		testFillsDifferByRounding(t, slots)
	}
}

func testFillsDifferByRounding(t *testing.T, slots int) {
	const most = 1e-5
	rng := rand.New(rand.NewPCG(1, 2))
	var d corpus.Encoded
	for range 120 {
		ids, masks := make([]int64, 1+rng.IntN(20)), make([]bool, 0, 20)
		for k := range ids {
			ids[k], masks = int64(corpus.NumSpecial+rng.IntN(1900)), append(masks, rng.IntN(3) == 0)
		}
		d.IDs, d.Masks, d.Styles = append(d.IDs, ids), append(d.Masks, masks), append(d.Styles, rng.IntN(2))
	}
	d.Asked = others(d.Styles)
	d = withOpenSlots(d, slots)
	shape := asPrinted(Config{
		Vocab: 2000, SMLMShape: recipe.SMLMShape{Layers: 3, Heads: 4, Dim: 128, FF: 256}, Slots: slots,
	})
	order := rng.Perm(len(d.IDs))
	err := torch.Run(func() error {
		torch.Seed(7)
		m := New(shape)
		defer m.Params.Free()
		return m.WithFiller(false, len(d.IDs), func(f *Filler) error {
			all, err := f.Fills(t.Context(), d, true)
			if err != nil {
				return err
			}
			for _, size := range []int{1, 7, 50} {
				for from := 0; from < len(d.IDs); from += size {
					f.states = maskStates{} // or it would be asked about nothing
					part := d.Slice(from, min(from+size, len(d.IDs)))
					some, err := f.Fills(t.Context(), part, true)
					if err != nil {
						return err
					}
					for i, fills := range some {
						differByRounding(t, most, all[from+i], fills)
					}
				}
			}
			f.states = maskStates{}
			part := d.Pick(order)
			permuted, err := f.Fills(t.Context(), part, true)
			for at, fills := range permuted {
				differByRounding(t, most, all[order[at]], fills)
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// differByRounding compares the fills of a sentence's masks in two batches. The last of them may be
// other words.
func differByRounding(t *testing.T, most float64, one, other [][]guided.Fill) {
	t.Helper()
	for k, fills := range one {
		was := map[int64]guided.Fill{}
		for _, f := range fills {
			was[f.ID] = f
		}
		both := 0
		for _, f := range other[k] {
			v, ok := was[f.ID]
			if !ok {
				continue
			}
			both++
			if math.Abs(f.Asked-v.Asked) > most || math.Abs(f.Own-v.Own) > most {
				t.Errorf("mask %d: %+v in one batch, %+v in another", k, v, f)
			}
		}
		if both < len(fills)-2 {
			t.Errorf("mask %d: %d of %d words are the same in another batch", k, both, len(fills))
		}
	}
}

// TestStatesAreKept: the encoder reads nothing twice, whoever asks for it, and reads the same with
// masks in other places anew; what is kept changes no answer, and goes when it is too much or when
// a reading was broken off.
func TestStatesAreKept(t *testing.T) {
	const a = int64(corpus.NumSpecial)
	one := func(dst int, masks ...bool) corpus.Encoded {
		return corpus.Encoded{
			IDs: [][]int64{{a, emptyID, a + 2}}, Styles: []int{0}, Asked: []int{dst}, Masks: [][]bool{masks},
		}
	}
	if err := torch.Run(func() error {
		m := freshOf(slotted(tiny, 1))
		defer m.Params.Free()
		return m.WithFiller(false, 1, func(f *Filler) error {
			ctx, stopped := context.WithCancel(t.Context())
			states := func() int { return f.states.numbers / tiny.Dim }
			first, err := f.LogQ(ctx, one(1, true, true, false))
			if err != nil || states() != 2 {
				t.Fatalf("%d states are kept of two masks: %v", states(), err)
			}
			same := func(when string) {
				again, err := f.LogQ(ctx, one(1, true, true, false))
				for k := range first[0] {
					if err != nil || math.Abs(again[0][k]-first[0][k]) > 1e-5 {
						t.Errorf("%s: log q is %v, was %v: %v", when, again, first, err)
					}
				}
			}
			same("asked twice")
			for _, c := range []struct {
				name string
				d    corpus.Encoded
				own  bool
				want int
			}{
				{"the same as fills", one(1, true, true, false), false, 2},
				{"in the own style too", one(1, true, true, false), true, 4},
				{"in that style", one(0, true, true, false), false, 4},
				{"what the encoder reads alike, but one mask", one(1, true, false, false), false, 5},
				{"another word masked", one(1, false, false, true), false, 6},
				{"no mask", one(1, false, false, false), true, 6},
			} {
				if _, err := f.Fills(ctx, c.d, c.own); err != nil || states() != c.want {
					t.Errorf("%s: %d states are kept, want %d: %v", c.name, states(), c.want, err)
				}
			}
			f.states.numbers = mostNumbers + 1
			same("when too much is kept")
			if states() != 2 {
				t.Errorf("%d states are kept after too many", states())
			}
			stopped()
			if _, err := f.Fills(ctx, one(0, true, true, true), false); !errors.Is(err, context.Canceled) {
				t.Errorf("Fills of a cancelled context returns %v", err)
			}
			ctx = t.Context()
			same("after a reading that was broken off")
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
}

// TestLogQIsThatOfFills: log q of a word under a mask is what the fills of that mask say of it,
// with slots and without, of any number of sentences.
func TestLogQIsThatOfFills(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := slotted(tiny, rapid.IntRange(0, 3).Draw(t, "slots"))
		d := withOpenSlots(sentences(t), c.Slots)
		if err := torch.Run(func() error {
			m := freshOf(c)
			defer m.Params.Free()
			fills, err := fillsOf(m, d)
			if err != nil {
				return err
			}
			var logs [][]float64
			if err := m.WithFiller(false, len(d.IDs), func(f *Filler) error {
				logs, err = f.LogQ(context.Background(), d)
				return err
			}); err != nil {
				return err
			}
			for i := range d.IDs {
				at := 0
				for k, on := range d.Masks[i] {
					if !on {
						continue
					}
					of := slices.IndexFunc(fills[i][at], func(f guided.Fill) bool { return f.ID == d.IDs[i][k] })
					if of >= 0 && math.Abs(fills[i][at][of].Asked-logs[i][at]) > 1e-5 {
						t.Fatalf("sentence %d, word %d: log q is %v, and the fills say %v", i, k, logs[i][at],
							fills[i][at][of].Asked)
					}
					at++
				}
				if at != len(logs[i]) {
					t.Fatalf("sentence %d has %d masks and %d log q", i, at, len(logs[i]))
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// TestCodesAreNeverWritten: of four styles, whose codes fill most of a small vocabulary, no model
// writes one, whichever style is asked for.
func TestCodesAreNeverWritten(t *testing.T) {
	c := tiny
	c.Styles, c.Vocab = 4, corpus.Specials(4)+3
	var d corpus.Encoded
	for i := range 24 {
		ids, masks := make([]int64, 2+i%4), make([]bool, 2+i%4)
		for k := range ids {
			ids[k], masks[k] = int64(corpus.Specials(4)+(i+k)%3), (i+k)%2 == 0
		}
		d.IDs, d.Masks = append(d.IDs, ids), append(d.Masks, masks)
		d.Styles, d.Asked = append(d.Styles, i%4), append(d.Asked, (i+1+i/4%3)%4)
	}
	parity.OnTorch(t, func() error {
		m, g := freshOf(c), freshGeneratorOf(c)
		defer m.Params.Free()
		defer g.Params.Free()
		for _, dec := range decodings() {
			for name, transfer := range map[string]func(context.Context, corpus.Encoded, Decoding) ([][]int64, error){
				"SMLM": m.Transfer, "SMLM-G": g.Transfer,
			} {
				out, err := transfer(t.Context(), d, dec)
				if err != nil {
					return err
				}
				for i, words := range out {
					if slices.Min(words) < int64(corpus.Specials(4)) {
						t.Errorf("%s, %+v: %v became %v", name, dec, d.IDs[i], words)
					}
				}
			}
		}
		return nil
	})
}
