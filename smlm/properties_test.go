package smlm

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// tiny is a small shape with dropout. Dropout must have an effect only in training.
var tiny = asPrinted(Config{Vocab: 26, SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 8, FF: 12}, Dropout: .5})

// asPrinted returns the shape with both control codes, as in the paper.
func asPrinted(c Config) Config {
	c.SourceToken = true
	return c
}

// decoding returns a shape with a decoder.
func decoding(c Config, layers int) Config {
	c.DecoderLayers = layers
	return c
}

// The function widen makes the weights large enough to give different inputs clearly different
// results.
func widen(p *nn.Params) {
	for _, w := range p.All() {
		w.Set(w.Detach().Scale(3))
	}
}

func fresh() *Model { return freshOf(tiny) }

func freshOf(c Config) *Model {
	torch.Seed(7)
	m := New(c)
	widen(m.Params)
	return m
}

func freshGenerator() *Generator { return freshGeneratorOf(tiny) }

// freshGeneratorOf returns a generator that favours <eos>, so that sentences end early enough for
// the tests.
func freshGeneratorOf(c Config) *Generator {
	torch.Seed(7)
	g := NewGenerator(decoding(c, 1))
	widen(g.Params)
	lead := make([]float32, c.Vocab)
	lead[corpus.EosID] = 3
	g.out.B.Set(torch.FromFloats(lead, int64(c.Vocab)))
	return g
}

// sentences draws data of mixed lengths, with unknown words and completely masked sentences.
func sentences(t *rapid.T) corpus.Encoded {
	var d corpus.Encoded
	for range rapid.IntRange(1, 12).Draw(t, "n") {
		n := rapid.IntRange(1, 6).Draw(t, "words")
		word := rapid.OneOf(rapid.Int64Range(corpus.NumSpecial, 25), rapid.Just(int64(corpus.UnkID)))
		d.IDs = append(d.IDs, rapid.SliceOfN(word, n, n).Draw(t, "ids"))
		d.Masks = append(d.Masks, rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "mask"))
		d.Styles = append(d.Styles, rapid.IntRange(0, 1).Draw(t, "style"))
	}
	d.Targets = others(d.Styles)
	return d
}

// The function others returns, for each style, the other of the two styles.
func others(styles []int) (asked []int) {
	for _, style := range styles {
		asked = append(asked, 1-style)
	}
	return asked
}

func permutation(t *rapid.T, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return rapid.Permutation(order).Draw(t, "order")
}

// TestTransferIsOfTheSentence checks that permuting or splitting a set of sentences changes no
// output. Outputs must have as many words as the source, and no special token.
func TestTransferIsOfTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		order := permutation(t, len(d.IDs))
		err := torch.Run(func() error {
			m := fresh()
			defer m.Params.Free()
			return sameWords(
				t,
				d,
				order,
				func(d corpus.Encoded) ([][]int64, error) { return m.Transfer(context.Background(), d, Decoding{}) },
				true,
				func(i int) bool { return tiedWord(m, d, i) },
			)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestTransferOfNoNumbers checks that Transfer returns an error if the weights are finite but the
// logits overflow.
func TestTransferOfNoNumbers(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{20, 21, 22}}, Styles: []int{0}, Targets: []int{1}, Masks: [][]bool{{false, true, false}},
	}
	large := func(p *nn.Params) {
		for _, w := range p.All() {
			w.Set(w.Detach().Scale(1e30))
		}
	}
	for name, transfer := range map[string]func() error{
		"SMLM": func() error {
			m := fresh()
			defer m.Params.Free()
			large(m.Params)
			_, err := m.Transfer(t.Context(), d, Decoding{})
			return err
		},
		"SMLM-G": func() error {
			g := freshGenerator()
			defer g.Params.Free()
			large(g.Params)
			_, err := g.Transfer(t.Context(), d, Decoding{})
			return err
		},
	} {
		if err := torch.Run(transfer); err == nil || !strings.Contains(err.Error(), "not numbers") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestGeneratorTransferIsOfTheSentence does the same as TestTransferIsOfTheSentence for SMLM-G.
// Outputs may differ in length from their sources, so the sentences of a batch end at different
// steps.
func TestGeneratorTransferIsOfTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		order := permutation(t, len(d.IDs))
		dec := searches(t)
		err := torch.Run(func() error {
			g := freshGenerator()
			defer g.Params.Free()
			return sameWords(t, d, order, func(d corpus.Encoded) ([][]int64, error) {
				out, err := g.Transfer(context.Background(), d, dec)
				for i, words := range out {
					if len(words) == 0 || len(words) > len(d.IDs[i])+dec.MaxExtra {
						t.Errorf("%d words for %d", len(words), len(d.IDs[i]))
					}
				}
				return out, err
			}, false, func(i int) bool { return tied(g, d, i, dec) })
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// searches draws decoding settings for SMLM-G.
func searches(t *rapid.T) Decoding {
	return Decoding{
		MaxExtra: rapid.IntRange(0, 4).Draw(t, "extra"),
	}
}

// tiedWord reports whether rounding may decide a word of sentence i. This may be so if the two
// largest logits differ by at most ten times the rounding error of a state.
func tiedWord(m *Model, d corpus.Encoded, i int) bool {
	states := m.States(paper.inputs(d, []int{i}, d.Targets), false)
	vocab := int64(tiny.Vocab)
	logits := m.out.Forward(states).Reshape(-1, vocab).Narrow(1, corpus.NumSpecial, vocab-corpus.NumSpecial)
	for k, row := range slices.Collect(slices.Chunk(logits.Floats(), int(logits.Size(1)))) {
		slices.Sort(row)
		if n := len(row); k < len(d.IDs[i]) && float64(row[n-1]-row[n-2]) <= 10*stateOff {
			return true
		}
	}
	return false
}

// stateOff bounds the rounding difference of a state between batches, relative to the largest
// value. The layer of tiny has nine sums of at most 12 terms.
var stateOff = testkit.RoundingBound(testkit.Chain(9, 12)...)

// sameWords checks that a sentence has the same output in a set, in a permutation of the set and
// alone. It skips sentences for which the function tied reports that rounding may decide.
func sameWords(
	t *rapid.T,
	d corpus.Encoded,
	order []int,
	transfer func(corpus.Encoded) ([][]int64, error),
	asLong bool,
	tied func(i int) bool,
) error {
	want, err := transfer(d)
	if err != nil {
		return err
	}
	permuted, err := transfer(d.Pick(order))
	if err != nil {
		return err
	}
	for k, i := range order {
		alone, err := transfer(d.Pick([]int{i}))
		if err != nil {
			return err
		}
		if !(slices.Equal(want[i], permuted[k]) && slices.Equal(want[i], alone[0])) && !tied(i) {
			t.Errorf("sentence %v: %v, permuted %v, alone %v", d.IDs[i], want[i], permuted[k], alone[0])
		}
		if asLong && len(want[i]) != len(d.IDs[i]) {
			t.Errorf("%d words for %d", len(want[i]), len(d.IDs[i]))
		}
		for _, id := range want[i] {
			if id < corpus.NumSpecial || id >= int64(tiny.Vocab) {
				t.Errorf("id %d was written", id)
			}
		}
	}
	return nil
}

// TestStatesAreOfTheSentence checks that the states of a sentence are the same in every batch,
// except for rounding.
func TestStatesAreOfTheSentence(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh()
		defer m.Params.Free()
		d := corpus.Encoded{}
		for i := range 16 {
			d.IDs = append(d.IDs, []int64{int64(9 + i), int64(25 - i), 12, corpus.UnkID})
			d.Masks, d.Styles = append(d.Masks, []bool{i%2 == 0, false, true, i%3 == 0}), append(d.Styles, i%2)
		}
		d.Targets = others(d.Styles)
		batch := make([]int, 16)
		for i := range batch {
			batch[i] = (5 * i) % 16
		}
		together := m.States(paper.inputs(d, batch, d.Targets), false).Floats()
		n := len(together) / 16
		for k, i := range batch {
			alone := m.States(paper.inputs(d, []int{i}, d.Targets), false).Floats()
			if off := testkit.Difference(together[k*n:(k+1)*n], alone); !(off <= stateOff) {
				t.Errorf("sentence %d: states are %.2g off in a batch, at most %.2g expected", i, off, stateOff)
			}
		}
		return nil
	})
}

// TestMaskedWordsAreHidden checks that states depend on visible words and on the target style, but
// not on the words under masks.
func TestMaskedWordsAreHidden(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10, 11}}, Styles: []int{1}, Targets: []int{0}, Masks: [][]bool{{false, true, false}},
	}
	parity.OnTorch(t, func() error {
		m := fresh()
		defer m.Params.Free()
		states := func(d corpus.Encoded, to []int) []float32 {
			return m.States(paper.inputs(d, []int{0}, to), false).Floats()
		}
		base := states(d, d.Targets)
		hidden, open := d, d
		hidden.IDs, open.IDs = [][]int64{{9, 20, 11}}, [][]int64{{9, 10, 20}}
		if !slices.Equal(base, states(hidden, d.Targets)) {
			t.Error("a masked word is seen")
		}
		if slices.Equal(base, states(open, d.Targets)) || slices.Equal(base, states(d, d.Styles)) {
			t.Error("an open word, or the style asked for, is not seen")
		}
		want := []int64{9, corpus.MaskID, 11, corpus.Src1, corpus.Dst0}
		if got := paper.inputs(d, []int{0}, d.Targets).Ints(); !slices.Equal(got, want) {
			t.Errorf("input %v, want %v", got, want)
		}
		return nil
	})
}

// TestShortAndUnknown checks unusual inputs: one word, unknown words alone, all or no words masked,
// and no sentences at all.
func TestShortAndUnknown(t *testing.T) {
	unk := int64(corpus.UnkID)
	d := corpus.Encoded{
		IDs: [][]int64{{12}, {unk}, {unk, unk, unk}, {12}}, Styles: []int{0, 1, 1, 0}, Targets: []int{1, 0, 0, 1},
		Masks: [][]bool{{true}, {false}, {true, true, true}, {false}},
	}
	parity.OnTorch(t, func() error {
		m, g := fresh(), freshGenerator()
		defer m.Params.Free()
		defer g.Params.Free()
		out, err := m.Transfer(context.Background(), d, Decoding{})
		if err != nil {
			return err
		}
		for i, words := range out {
			if len(words) != len(d.IDs[i]) || slices.Min(words) < corpus.NumSpecial {
				t.Errorf("%v became %v", d.IDs[i], words)
			}
		}
		if _, err := g.Transfer(context.Background(), d, Decoding{MaxExtra: 2}); err != nil {
			return err
		}
		if out, err := m.Transfer(context.Background(), corpus.Encoded{}, Decoding{}); err != nil || len(out) != 0 {
			t.Errorf("nothing became %v, %v", out, err)
		}
		// Without any mask the masked objective has no terms.
		v, err := m.Evaluate(context.Background(), d.Pick([]int{1, 3}), Objective{Loss: recipe.Masked})
		if v.Loss != 0 {
			t.Errorf("loss of no word is %v", v.Loss)
		}
		return err
	})
	if got, err := onlyMasked(d, "dev"); err != nil || !reflect.DeepEqual(got, d.Pick([]int{0, 2})) {
		t.Errorf("sentences with a mask: %+v, %v", got, err)
	}
}

// lossOff bounds the rounding difference of a mean loss between batches, relative to the loss. It
// adds up the error of the states (one layer each in encoder and decoder), a softmax over 26 words
// and sums over up to 80 positions.
var lossOff = testkit.RoundingBound(append(testkit.Chain(2*9, 12), 26, 80)...)

// TestEvaluateIgnoresOrder checks that the dev loss does not depend on the order of the sentences,
// and so not on the batches.
func TestEvaluateIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sentences(t)
		order := permutation(t, len(d.IDs))
		err := torch.Run(func() error {
			m, g := fresh(), freshGenerator()
			defer m.Params.Free()
			defer g.Params.Free()
			for _, o := range []Objective{
				{},
				{Loss: recipe.Masked},
			} {
				a, err := m.Evaluate(context.Background(), d, o)
				if err != nil {
					return err
				}
				b, err := m.Evaluate(context.Background(), d.Pick(order), o)
				if err != nil {
					return err
				}
				if math.Abs(a.Loss-b.Loss) > lossOff*a.Loss {
					t.Errorf("%+v: dev loss %v, permuted %v", o, a.Loss, b.Loss)
				}
			}
			a, err := g.Evaluate(context.Background(), d)
			if err != nil {
				return err
			}
			b, err := g.Evaluate(context.Background(), d.Pick(order))
			if math.Abs(a.Loss-b.Loss) > lossOff*a.Loss {
				t.Errorf("SMLM-G: dev loss %v, permuted %v", a.Loss, b.Loss)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestSameSeedSameBits trains every model twice with the same seed and with dropout. The weights
// must be equal, bit by bit.
func TestSameSeedSameBits(t *testing.T) {
	d := corpus.Encoded{
		IDs:    [][]int64{{9, 10}, {11}, {12, 13}, {14, 15, 16}, {17}, {18, 19}},
		Styles: []int{0, 1, 1, 0, 0, 1}, Targets: []int{1, 0, 0, 1, 1, 0},
		Masks: [][]bool{{true, false}, {true}, {false, false}, {true, false, true}, {true}, {true, true}},
	}
	r := nn.Recipe{
		Training: recipe.Training{Epochs: 3, LR: .01, Beta1: .5, BatchTokens: 4, Clip: 1}, Seed: 2,
	}
	train := func() (flat []float32) {
		parity.OnTorch(t, func() error {
			m, g, head := fresh(), freshGenerator(), NewHead(tiny.Dim, 2)
			if _, err := m.Train(context.Background(), d, d, Objective{}, VariedMasks{}, r); err != nil {
				return err
			}
			loss := FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1, LambdaRec: 1}}
			if _, err := m.Finetune(context.Background(), head, d, d, loss, r); err != nil {
				return err
			}
			if _, err := g.Train(context.Background(), d, d, r); err != nil {
				return err
			}
			for _, p := range []*nn.Params{m.Params, g.Params, head.Params} {
				for _, w := range p.All() {
					flat = append(flat, w.Floats()...)
				}
				p.Free()
			}
			return nil
		})
		return flat
	}
	a, b := train(), train()
	if len(a) == 0 ||
		!slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
		t.Error("two trainings of one seed differ")
	}
}

// TestEveryFieldOfTheShapeActs changes one field of the shape at a time and trains SMLM and SMLM-G
// for an epoch. The weights of at least one of the two models must change. A field that no code
// reads would be a key of the experiment file without effect.
func TestEveryFieldOfTheShapeActs(t *testing.T) {
	r := nn.Recipe{Training: recipe.Training{Epochs: 1, LR: .01, Beta1: .5, BatchTokens: 6}, Seed: 2}
	trained := func(c Config) (flat []float32) {
		parity.OnTorch(t, func() error {
			torch.Seed(7)
			m, g := New(c), NewGenerator(c)
			if _, err := m.Train(context.Background(), pairs, pairs, Objective{}, VariedMasks{}, r); err != nil {
				return err
			}
			if _, err := g.Train(context.Background(), pairs, pairs, r); err != nil {
				return err
			}
			for _, p := range []*nn.Params{m.Params, g.Params} {
				for _, w := range p.All() {
					flat = append(flat, w.Floats()...)
				}
				p.Free()
			}
			return nil
		})
		return flat
	}
	plain := decoding(tiny, 1)
	before := trained(plain)
	if !slices.Equal(before, trained(plain)) {
		t.Fatal("two trainings of one shape differ")
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		// Styles is left out, because it only determines which tokens may be chosen
		// (TestCodesAreNeverWritten).
		if f.Anonymous || f.Name == "Styles" {
			continue
		}
		changed := plain
		switch v := reflect.ValueOf(&changed).Elem().FieldByIndex(f.Index); f.Type.Kind() {
		case reflect.Int:
			v.SetInt(max(2, 2*v.Int())) // doubled, so that heads still divides dim
		case reflect.Float64:
			v.SetFloat(v.Float() / 2)
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Pointer:
			v.Set(reflect.ValueOf(&recipe.PretrainedShape{
				Embedding: tiny.Dim, Positions: 20, Activation: recipe.GELU, Eps: 1e-12,
			}))
		default:
			t.Fatalf("say how %s of type %s is changed", f.Name, f.Type)
		}
		if slices.Equal(before, trained(changed)) {
			t.Errorf("%s does nothing", f.Name)
		}
	}
}

// TestFinetuneTrainsBoth fine-tunes without the reconstruction term, so only the style term trains
// the model. The head's weights start at zero. So in the first step the head learns, but the model
// gets no gradient. Later steps must train the model too, and the last weights must be kept.
func TestFinetuneTrainsBoth(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{9, 10}, {11, 12}}, Styles: []int{0, 1}, Targets: []int{1, 0},
		Masks: [][]bool{{true, false}, {true, false}},
	}
	parity.OnTorch(t, func() error {
		config := tiny
		config.Dropout = 0
		torch.Seed(7)
		m, head := New(config), NewHead(tiny.Dim, 2)
		defer m.Params.Free()
		defer head.Params.Free()
		for _, w := range head.Params.All() {
			w.Set(torch.Zeros(w.Shape()...))
		}
		before := m.enc.embed.W.Floats()
		r := nn.Recipe{Training: recipe.Training{Epochs: 1, LR: .01, Beta1: .5, BatchTokens: 8}, Seed: 2}
		if _, err := m.Finetune(context.Background(), head, d, d, FinetuneLoss{
			Finetune: recipe.Finetune{LambdaSta: 1},
		}, r); err != nil {
			return err
		}
		if !slices.Equal(before, m.enc.embed.W.Floats()) {
			t.Error("a head of zeros moved the model")
		}
		if slices.Max(head.linear.W.Floats()) == 0 {
			t.Error("the head did not learn")
		}
		h, err := m.Finetune(
			context.Background(), head, d, d, FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1}},
			nn.Recipe{Training: recipe.Training{Epochs: 4, LR: .01, Beta1: .5, BatchTokens: 8}, Seed: 2},
		)
		if err != nil {
			return err
		}
		if slices.Equal(before, m.enc.embed.W.Floats()) {
			t.Error("a head that learnt does not move the model")
		}
		if h.Best != 3 {
			t.Errorf("epoch %d is kept, want the last", h.Best+1)
		}
		return nil
	})
}
