package smlm

import (
	"context"
	"errors"
	"fmt"
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

// decodings returns both kinds of decoding.
func decodings() []Decoding {
	var all []Decoding
	for _, decoding := range []recipe.Decoding{recipe.Predicted, recipe.Copied} {
		all = append(all, Decoding{Decoding: decoding, MaxExtra: 2})
	}
	return all
}

// The function kept fails the test if an output changes a word that is not masked.
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

// TestEveryWay decodes with SMLM and SMLM-G and with all control codes and decodings. Some
// sentences have one word, some have only unknown words, and words are masked or not.
func TestEveryWay(t *testing.T) {
	unk := int64(corpus.UnkID)
	d := corpus.Encoded{
		IDs:    [][]int64{{12}, {12}, {unk}, {unk}, {unk, unk, unk}, {unk, unk, unk}, {unk, unk, unk}},
		Styles: []int{0, 1, 1, 0, 0, 1, 0}, Targets: []int{1, 0, 0, 1, 1, 0, 1},
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

// TestCopyKeeps checks that the outputs of SMLM and SMLM-G keep unmasked words, and that SMLM fills
// masks with the same words as without copying.
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

// TestTransferWritesAWord makes <eos> the most likely token everywhere. An output must still have a
// word, so that no file of outputs has an empty line.
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
			IDs: [][]int64{{10, 11, 12}, {13}}, Styles: []int{0, 1}, Targets: []int{1, 0},
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

// fillsOf returns the fills of all sentences.
func fillsOf(m *Model, d corpus.Encoded) (fills [][][]guided.Fill, err error) {
	err = m.WithFiller(false, len(d.IDs), func(f *Filler) error {
		fills, err = f.Fills(context.Background(), d)
		return err
	})
	return fills, err
}

// logitsOf returns the logits of the words of a sentence, one row per word. The argument "to" holds
// a target style for each sentence of d.
func logitsOf(m *Model, d corpus.Encoded, i int, to []int) (rows [][]float32, err error) {
	err = torch.NoGrad(func() error {
		states := m.States(m.Config.codes().inputs(d, []int{i}, to), false)
		rows = slices.Collect(slices.Chunk(m.out.Forward(states).Floats(), m.Config.Vocab))
		return nil
	})
	return rows, err
}

// TestFillsAreLogits checks that the fills of a mask are the most likely words, in descending
// order. Their log q must agree with the logits that the model computes for the sentence alone in
// its target style. This must also hold if there are so many masks that roundedUp adds padding.
func TestFillsAreLogits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		c := tiny
		c.Vocab = rapid.SampledFrom([]int{tiny.Vocab, corpus.NumSpecial + maxFills + 15}).Draw(t, "vocabulary")
		copies := rapid.SampledFrom([]int{1, 100}).Draw(t, "copies")
		all := corpus.Encoded{
			IDs: slices.Repeat(d.IDs, copies), Styles: slices.Repeat(d.Styles, copies),
			Targets: slices.Repeat(d.Targets, copies), Masks: slices.Repeat(d.Masks, copies),
		}
		if err := torch.Run(func() error {
			m := freshOf(c)
			defer m.Params.Free()
			fills, err := fillsOf(m, all)
			if err != nil {
				return err
			}
			return areLogits(m, d, fills)
		}); err != nil {
			t.Error(err)
		}
	})
}

// areLogits compares fills with the logits of m. The argument fills has an entry for each sentence
// of d. If it has more entries, these belong to copies of the sentences of d, in the same order.
func areLogits(m *Model, d corpus.Encoded, fills [][][]guided.Fill) error {
	for i := range d.IDs {
		asked, err := logitsOf(m, d, i, d.Targets)
		if err != nil {
			return err
		}
		for copied := i; copied < len(fills); copied += len(d.IDs) {
			if err := compareFills(d.Masks[i], fills[copied], asked, 10*stateOff); err != nil {
				return fmt.Errorf("sentence %d: %w", copied, err)
			}
		}
	}
	return nil
}

// compareFills compares the fills of a sentence with the logits of its words. The argument off
// bounds the difference, as a share of the largest logit.
func compareFills(mask []bool, fills [][]guided.Fill, asked [][]float32, off float64) error {
	at := 0
	for k, on := range mask {
		if !on {
			continue
		}
		if at == len(fills) {
			return fmt.Errorf("there are fills for %d masks alone", at)
		}
		if err := compareMask(fills[at], asked[k], off); err != nil {
			return fmt.Errorf("word %d: %w", k, err)
		}
		at++
	}
	if at != len(fills) {
		return fmt.Errorf("there are %d masks, and fills for %d", at, len(fills))
	}
	return nil
}

// compareMask compares the fills of a mask with the logits of all words.
func compareMask(fills []guided.Fill, asked []float32, off float64) error {
	if n := min(maxFills, len(asked)-corpus.NumSpecial); len(fills) != n {
		return fmt.Errorf("there are %d fills, want %d", len(fills), n)
	}
	largest, z := 1.0, 0.0
	for _, x := range asked {
		z += math.Exp(float64(x))
		largest = max(largest, math.Abs(float64(x)))
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= off*largest }
	seen, sum := map[int64]bool{}, 0.0
	for j, f := range fills {
		if f.ID < corpus.NumSpecial || seen[f.ID] {
			return fmt.Errorf("fill %d is %d, a special word or one that stood before", j, f.ID)
		}
		seen[f.ID] = true
		sum += math.Exp(f.LogQ)
		if j > 0 && f.LogQ > fills[j-1].LogQ {
			return fmt.Errorf("fill %d is likelier than the one before", j)
		}
		if want := float64(asked[f.ID]) - math.Log(z); !near(f.LogQ, want) {
			return fmt.Errorf("fill %d has log q %v, want %v", f.ID, f.LogQ, want)
		}
	}
	if sum > 1+1e-3 {
		return fmt.Errorf("q adds up to %v", sum)
	}
	last := fills[len(fills)-1].LogQ
	for id := int64(corpus.NumSpecial); id < int64(len(asked)); id++ {
		if logQ := float64(asked[id]) - math.Log(z); !seen[id] && logQ > last+off*largest {
			return fmt.Errorf("word %d is left out, of log q %v; the last fill has %v", id, logQ, last)
		}
	}
	return nil
}

// TestFillsDifferByRounding checks that the log probability of a word differs by at most .00001
// between batches and orders of sentences. Package guided treats values as equal up to ten times
// this difference (decision 030).
func TestFillsDifferByRounding(t *testing.T) {
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
	d.Targets = others(d.Styles)
	shape := asPrinted(Config{Vocab: 2000, SMLMShape: recipe.SMLMShape{Layers: 3, Heads: 4, Dim: 128, FF: 256}})
	order := rng.Perm(len(d.IDs))
	err := torch.Run(func() error {
		torch.Seed(7)
		m := New(shape)
		defer m.Params.Free()
		return m.WithFiller(false, len(d.IDs), func(f *Filler) error {
			all, err := f.Fills(t.Context(), d)
			if err != nil {
				return err
			}
			for _, size := range []int{1, 7, 50} {
				for part := range slices.Chunk(slices.Sorted(slices.Values(order)), size) {
					some, err := f.Fills(t.Context(), d.Pick(part))
					if err != nil {
						return err
					}
					for i, fills := range some {
						differByRounding(t, most, all[part[i]], fills)
					}
				}
			}
			part := d.Pick(order)
			permuted, err := f.Fills(t.Context(), part)
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

// differByRounding compares the fills of a sentence's masks in two batches. The last fills may be
// different words.
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
			if math.Abs(f.LogQ-v.LogQ) > most {
				t.Errorf("mask %d: %+v in one batch, %+v in another", k, v, f)
			}
		}
		if both < len(fills)-2 {
			t.Errorf("mask %d: %d of %d words are the same in another batch", k, both, len(fills))
		}
	}
}

// TestFillsLeaveNothing checks that Fills leaves no tensors alive, even if it is cancelled.
func TestFillsLeaveNothing(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh()
		defer m.Params.Free()
		d := many(300)
		return m.WithFiller(false, len(d.IDs), func(f *Filler) error {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			before := torch.LiveHandles()
			if _, err := f.Fills(ctx, d); err != nil {
				return err
			}
			if n := torch.LiveHandles(); n != before {
				t.Errorf("%d tensors live after Fills, %d before", n, before)
			}
			cancel()
			if _, err := f.Fills(ctx, d); !errors.Is(err, context.Canceled) {
				t.Errorf("Fills of a cancelled context returns %v", err)
			}
			if n := torch.LiveHandles(); n != before {
				t.Errorf("%d tensors live after a cancelled Fills, %d before", n, before)
			}
			return nil
		})
	})
}

// TestCodesAreNeverWritten checks that no model chooses a control code as a word. The codes of the
// four styles take up most of the small vocabulary.
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
		d.Styles, d.Targets = append(d.Styles, i%4), append(d.Targets, (i+1+i/4%3)%4)
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
