package smlm

import (
	"context"
	"errors"
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
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// pairs has two sentences of three words, with three masks in total, and one sentence of one word.
var pairs = corpus.Encoded{
	IDs: [][]int64{{9, 10, 11}, {12, 13, 1}, {14}}, Styles: []int{0, 1, 1}, Targets: []int{1, 0, 0},
	Masks: [][]bool{{true, false, false}, {true, true, false}, {true}},
}

// TestObjectives checks for every choice of control codes that the loss is the mean of the losses
// of the words that count.
func TestObjectives(t *testing.T) {
	batch := []int{0, 1}
	for _, f := range everyCodes() {
		parity.OnTorch(t, func() error {
			m := freshOf(withCodes(tiny, f))
			defer m.Params.Free()
			states := m.enc.forward(f.inputs(pairs, batch, pairs.Styles), false)
			for _, c := range []struct {
				o     Objective
				count int
			}{
				{Objective{}, 6},
				{Objective{Loss: recipe.Masked}, 3},
			} {
				all := f.targets(pairs, batch, c.o)
				if len(all.rows) != c.count {
					t.Errorf("%+v %+v: %d words, want %d", f, c.o, len(all.rows), c.count)
				}
				sum := 0.0
				for k := range all.rows {
					sum += m.lossOfAll(states, targets{rows: all.rows[k : k+1], tokens: all.tokens[k : k+1]}).Item()
				}
				if mean := m.lossOfAll(states, all).Item(); math.Abs(mean*float64(c.count)-sum) > lossOff*sum {
					t.Errorf("%+v %+v: the mean of %d words is %v, their sum %v", f, c.o, c.count, mean, sum)
				}
			}
			return nil
		})
	}
}

// TestAdversarialLosses checks the losses of fine-tuning. Each setting must change the loss that it
// belongs to, that of the model or that of the head, by the expected amount. The other loss must
// stay the same.
func TestAdversarialLosses(t *testing.T) {
	parity.OnTorch(t, func() error {
		m, head := freshOf(withCodes(tiny, controlCodes{})), NewHead(tiny.Dim, 2)
		defer m.Params.Free()
		defer head.Params.Free()
		losses := func(l FinetuneLoss) (float64, float64) {
			generator, discriminator := m.adversarialLosses(head, m.adversarialBatch(pairs, []int{0, 1}, l), false)
			return generator.Item(), discriminator.Item()
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > lossOff*max(1, math.Abs(want)) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		style, own := losses(FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1}})
		generator, discriminator := losses(FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: .5}})
		near("half the style term", generator, style/2)
		near("the head with half the style term", discriminator, own)

		// With [dst] = s, the model should reproduce the source, so this loss is the reconstruction
		// loss.
		f := m.Config.codes()
		same := m.lossOfAll(
			m.enc.forward(f.inputs(pairs, []int{0, 1}, pairs.Styles), false),
			f.targets(pairs, []int{0, 1}, Objective{}),
		)
		generator, discriminator = losses(FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1, LambdaRec: 3}})
		near("the model with lambda_rec", generator, style+3*same.Item())
		near("the head with lambda_rec", discriminator, own)

		// The style term is the cross-entropy of the head's output for s'. It trains the model to
		// mislead the head. In Algorithm 1, the head minimises L_cls alone. In the printed min max,
		// it also maximises L_FT.
		for reading, want := range map[recipe.Reading]float64{recipe.Algorithm: own, recipe.MinMax: own - style} {
			generator, discriminator = losses(FinetuneLoss{
				Finetune: recipe.Finetune{LambdaSta: 1, Reading: reading},
			})
			near("the model by reading "+string(reading), generator, style)
			near("the head by reading "+string(reading), discriminator, want)
		}

		// The head's loss gives gradients only to the head's weights.
		minmax := FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1, Reading: recipe.MinMax}}
		_, loss := m.adversarialLosses(head, m.adversarialBatch(pairs, []int{0, 1}, minmax), false)
		loss.Backward()
		for i, w := range m.Params.All() {
			if w.Grad() != nil {
				t.Errorf("the head's loss has a gradient for %s", m.Params.Names()[i])
			}
		}
		if head.linear.W.Grad() == nil {
			t.Error("the head's loss has none for the head")
		}
		return nil
	})
}

// TestNoTarget checks the losses of a sentence that is not rewritten. It must count in L_cls and in
// the reconstruction loss, but not in the style term. A batch of such sentences has no style term.
func TestNoTarget(t *testing.T) {
	some := pairs
	some.Targets = []int{1, corpus.NoTarget, corpus.NoTarget}
	parity.OnTorch(t, func() error {
		m, head := freshOf(withCodes(tiny, controlCodes{})), NewHead(tiny.Dim, 2)
		defer m.Params.Free()
		defer head.Params.Free()
		losses := func(d corpus.Encoded, batch []int, f recipe.Finetune) [2]float64 {
			l := FinetuneLoss{Finetune: f}
			generator, discriminator := m.adversarialLosses(head, m.adversarialBatch(d, batch, l), false)
			return [2]float64{generator.Item(), discriminator.Item()}
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > lossOff*max(1, math.Abs(want)) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		style := recipe.Finetune{LambdaSta: 1, Reading: recipe.MinMax}
		all, one := losses(pairs, []int{0, 1}, style), losses(pairs, []int{0}, style)
		both := losses(some, []int{0, 1}, style)
		near("the style term", both[0], one[0])
		own := losses(pairs, []int{0, 1}, recipe.Finetune{})[1]
		ofOne := losses(pairs, []int{0}, recipe.Finetune{})[1]
		near("the head", both[1], own+one[1]-ofOne)
		if all == both {
			t.Error("it changes nothing whether the second sentence is rewritten")
		}
		rec := recipe.Finetune{LambdaRec: 1}
		near("reconstruction", losses(some, []int{0, 1}, rec)[0], losses(pairs, []int{0, 1}, rec)[0])
		alone := losses(some, []int{1}, style)
		near("the style term of no sentence", alone[0], 0)
		near("the head of no rewritten sentence", alone[1], losses(pairs, []int{1}, recipe.Finetune{})[1])
		return nil
	})
}

// drawMasks returns the masks of n sentences. About a third of the words are masked, and at least
// one in each sentence.
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

// TestVariedOff checks that masks stay unchanged if no setting of VariedMasks is set.
func TestVariedOff(t *testing.T) {
	masks := drawMasks(20)
	if got := varyMasks(corpus.Encoded{Masks: masks}, VariedMasks{}, 1, 3); !reflect.DeepEqual(got, masks) {
		t.Error("masks changed")
	}
}

// TestRandomMasks checks that all masked words stay masked, and that about the given share of the
// other words is masked too.
func TestRandomMasks(t *testing.T) {
	masks := drawMasks(4000)
	got := varyMasks(corpus.Encoded{Masks: masks}, VariedMasks{RandomMasks: .1}, 1, 0)
	if n := count(got, func(i, k int) bool { return masks[i][k] && !got[i][k] }); n > 0 {
		t.Errorf("%d masked words are shown", n)
	}
	others := float64(count(masks, func(i, k int) bool { return !masks[i][k] }))
	more := float64(count(got, func(i, k int) bool { return got[i][k] && !masks[i][k] }))
	if math.Abs(more-others/10) > 5*math.Sqrt(others*.09) {
		t.Errorf("%v of %v other words are masked", more, others)
	}
}

// TestKeptAreNotDrawn checks that words in corpus.Encoded.Kept, which must never be masked, are not
// masked. The other words must get the same masks as without Kept.
func TestKeptAreNotDrawn(t *testing.T) {
	masks := drawMasks(500)
	d := corpus.Encoded{Masks: masks, Kept: make([][]bool, len(masks))}
	for i, mask := range masks {
		if i%2 == 0 && len(mask) > 1 {
			k := 1 + i/2%(len(mask)-1)
			d.Kept[i] = make([]bool, len(mask))
			d.Kept[i][k], mask[k] = true, false
		}
	}
	v := VariedMasks{RandomMasks: .9}
	got, free := varyMasks(d, v, 1, 0), varyMasks(corpus.Encoded{Masks: masks}, v, 1, 0)
	for i := range got {
		for k, on := range got[i] {
			if want := free[i][k] && !d.Keeps(i, k); on != want {
				t.Fatalf("word %d of sentence %d: masked %v, want %v", k, i, on, want)
			}
		}
	}
}

// TestVariedDraws checks that masks are the same for the same epoch and seed, and differ for
// another epoch or seed.
func TestVariedDraws(t *testing.T) {
	d, v := corpus.Encoded{Masks: drawMasks(200)}, VariedMasks{RandomMasks: .1}
	first := varyMasks(d, v, 1, 0)
	if !reflect.DeepEqual(varyMasks(d, v, 1, 0), first) {
		t.Error("the same epoch is drawn otherwise")
	}
	if reflect.DeepEqual(varyMasks(d, v, 1, 1), first) || reflect.DeepEqual(varyMasks(d, v, 2, 0), first) {
		t.Error("another epoch or seed draws the same")
	}
}

// TestDrawnShare checks that the masked words of a sentence are those with the highest scores. At
// least one word must be masked, and at most the given share of the words. The number of masked
// words must vary evenly over the sentences, and another epoch or seed must draw other masks.
func TestDrawnShare(t *testing.T) {
	const sentences, words, most = 4000, 20, .6
	rng := rand.New(rand.NewPCG(5, 6))
	d := corpus.Encoded{}
	for range sentences {
		row := make([]float32, words)
		for k := range row {
			row[k] = rng.Float32()
		}
		d.Scores = append(d.Scores, row)
	}
	v := VariedMasks{DrawnShare: most}
	got := varyMasks(d, v, 1, 0)
	seen := map[int]int{}
	for i, mask := range got {
		n := count(got[i:i+1], func(_, k int) bool { return mask[k] })
		seen[n]++
		top := policy.Policy{Name: policy.TopShare, TopShare: float64(n) / words}
		if !slices.Equal(mask, top.Mask(d.Scores[i])) {
			t.Fatalf("sentence %d: masks %v of scores %v", i, mask, d.Scores[i])
		}
	}
	const numbers = words * most
	for n := range words + 1 {
		even := 0.0
		if n >= 1 && n <= numbers {
			even = sentences / numbers
		}
		if math.Abs(float64(seen[n])-even) > 5*math.Sqrt(even) {
			t.Errorf("%d sentences have %d masks, want about %.0f", seen[n], n, even)
		}
	}
	if reflect.DeepEqual(varyMasks(d, v, 1, 1), got) || reflect.DeepEqual(varyMasks(d, v, 2, 0), got) {
		t.Error("another epoch or seed draws the same")
	}
}

// TestTrainVaried checks that training uses the masks drawn for each epoch. The sentence has only
// one mask of its own, so without drawn masks the model cannot learn to fill in the other words.
func TestTrainVaried(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{10, 11, 12}}, Styles: []int{0}, Targets: []int{1},
		Masks: [][]bool{{true, false, false}},
	}
	r := nn.Recipe{Training: recipe.Training{Epochs: 40, LR: .01, Beta1: .9, BatchTokens: 8}, Seed: 2}
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

// TestResume interrupts training runs at regular intervals and resumes them. The final weights must
// equal those of an uninterrupted run, bit by bit, so each epoch must draw the same masks again.
func TestResume(t *testing.T) {
	d := corpus.Encoded{Masks: drawMasks(30)}
	for i, mask := range d.Masks {
		ids := make([]int64, len(mask))
		for k := range ids {
			ids[k] = int64(corpus.NumSpecial + (i+k)%17)
		}
		d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, i%2)
	}
	d.Targets = others(d.Styles)
	loss := FinetuneLoss{Finetune: recipe.Finetune{LambdaSta: 1, LambdaRec: 1}}
	for name, train := range map[string]func(ctx context.Context, m *Model, head *Head, r nn.Recipe) error{
		"Train": func(ctx context.Context, m *Model, _ *Head, r nn.Recipe) error {
			_, err := m.Train(ctx, d, d, Objective{}, VariedMasks{RandomMasks: .1}, r)
			return err
		},
		"Finetune": func(ctx context.Context, m *Model, head *Head, r nn.Recipe) error {
			_, err := m.Finetune(ctx, head, d, d, loss, r)
			return err
		},
	} {
		r := nn.Recipe{
			Training: recipe.Training{Epochs: 3, LR: .01, Beta1: .5, BatchTokens: 20, Clip: 1}, Seed: 2, KeepLast: true,
		}
		run := func(ctx context.Context, r nn.Recipe) (flat []float32, err error) {
			parity.OnTorch(t, func() error {
				m, head := fresh(), NewHead(tiny.Dim, 2)
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
				t.Errorf("%s after %d starts: error %v, the same weights: %t", name, start, err, slices.Equal(got, want))
			}
			break
		}
	}
}

// TestTrainWithoutMasks checks that training fails if only masked words count and no word is
// masked. This must hold for the training sentences and for the dev sentences. If all words count,
// the dev sentences need no masks.
func TestTrainWithoutMasks(t *testing.T) {
	d := corpus.Encoded{
		IDs: [][]int64{{10, 11, 12}}, Styles: []int{0}, Targets: []int{1},
		Masks: [][]bool{{false, false, false}},
	}
	parity.OnTorch(t, func() error {
		m := fresh()
		defer m.Params.Free()
		r := nn.Recipe{Training: recipe.Training{Epochs: 1, LR: .01, BatchTokens: 8}}
		_, err := m.Train(context.Background(), d, d, Objective{Loss: recipe.Masked}, VariedMasks{}, r)
		if err == nil || !strings.Contains(err.Error(), "no training sentence has a masked word: lower masking.lambda_eps") {
			t.Errorf("error %v", err)
		}
		_, err = m.Train(context.Background(), pairs, d, Objective{Loss: recipe.Masked}, VariedMasks{}, r)
		if err == nil || !strings.Contains(err.Error(), "no dev sentence has a masked word: lower masking.lambda_eps") {
			t.Errorf("without a masked dev word: error %v", err)
		}
		_, err = m.Train(context.Background(), pairs, d, Objective{}, VariedMasks{}, r)
		if err != nil {
			t.Errorf("without a masked dev word, all words count: %v", err)
		}
		return nil
	})
}
