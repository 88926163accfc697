package classifier

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

// freshCNN returns an untrained CNN of the given number of classes, whose weights are large enough
// to give different sentences clearly different logits. Its filter widths are unsorted and skip a
// value.
func freshCNN(classes int) *CNN {
	torch.Seed(7)
	m := NewCNN(CNNConfig{
		Vocab: 30, CNNShape: recipe.CNNShape{Embedding: 6, Filters: 5, Widths: []int{2, 1, 4}, WordDropout: .3},
		Dropout: .5, Classes: classes,
	})
	for _, p := range m.Params.All() {
		p.Set(p.Detach().Scale(4))
	}
	return m
}

// cnnOff bounds the rounding difference of logits, relative to the largest logit. A filter adds up
// four vectors of 6 numbers, the last layer adds up 15 features, and the test subtracts one logit
// from another.
var cnnOff = testkit.RoundingBound(4*6+1, 3*5+1, 2)

// byDefinition is a CNN that is computed with plain sums over windows, positions and vectors, in
// float64. It shares no code with the type CNN.
type byDefinition map[string][]float32

func define(m *CNN) byDefinition {
	w := byDefinition{}
	for i, p := range m.Params.All() {
		w[m.Params.Names()[i]] = p.Floats()
	}
	return w
}

func (d byDefinition) logits(c CNNConfig, ids []int64) (z []float64) {
	for _, b := range d["out.bias"] {
		z = append(z, float64(b))
	}
	for i, w := range c.Widths {
		name := "convolutions." + string(rune('0'+w))
		for f := range c.Filters {
			largest := 0.0 // ReLU returns at least 0
			for begin := 1 - w; begin < max(len(ids), 1); begin++ {
				sum := float64(d[name+".bias"][f])
				for k := range w {
					if at := begin + k; at >= 0 && at < len(ids) {
						for e := range c.Embedding {
							sum += float64(d[name+".weight"][(f*w+k)*c.Embedding+e]) *
								float64(d["embedding.weight"][int(ids[at])*c.Embedding+e])
						}
					}
				}
				largest = max(largest, sum)
			}
			for s := range z {
				z[s] += largest * float64(d["out.weight"][(s*len(c.Widths)+i)*c.Filters+f])
			}
		}
	}
	return z
}

// TestCNNByDefinition checks that logits and log-probabilities equal those of the type
// byDefinition, for two classes and for more. The length of a sentence, its place in the set and
// the other sentences must not matter.
func TestCNNByDefinition(t *testing.T) {
	for _, classes := range []int{0, 3} {
		testCNNByDefinition(t, classes)
	}
}

func testCNNByDefinition(t *testing.T, classes int) {
	var single [][]int64 // one sentence per word, so that every class is the likeliest for some sentence
	for id := range int64(30) {
		single = append(single, []int64{id})
	}
	likeliest := map[int]bool{}
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SliceOfN(rapid.Int64Range(0, 29), 0, 7)
		ids := append(rapid.SliceOfN(sentence, 0, 20).Draw(t, "ids"), nil)
		ids = append(ids, single...)
		err := torch.Run(func() error {
			return torch.Scoped(func() error {
				m := freshCNN(classes)
				defer m.Params.Free()
				got, err := m.LogProbs(context.Background(), ids)
				if err != nil {
					return err
				}
				def := define(m)
				var model, scored, want []float32 // logits of each class minus the logit of the first class
				for i, row := range ids {
					z := def.logits(m.Config, row)
					y := m.Logits(torch.FromInts(row, 1, int64(len(row))), false).Floats()
					sum := 0.0
					for c := range z {
						model = append(model, y[c]-y[0])
						scored = append(scored, float32(got[i][c]-got[i][0]))
						want = append(want, float32(z[c]-z[0]))
						sum += math.Exp(got[i][c])
					}
					likeliest[slices.Index(z, slices.Max(z))] = true
					if math.Abs(sum-1) > 1e-12 {
						t.Errorf("the classes of %v have %v together", row, sum)
					}
				}
				if !(testkit.Difference(model, want) <= cnnOff && testkit.Difference(scored, want) <= cnnOff) {
					t.Errorf("%v: %v by Logits, %v by LogProbs, %v by the definition", ids, model, scored, want)
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
	if len(likeliest) != max(2, classes) {
		t.Errorf("of %d classes only %v were likeliest: the test is blind", max(2, classes), likeliest)
	}
}

// TestCNNOfNoNumbers checks that LogProbs returns an error if the weights are finite but the logits
// overflow.
func TestCNNOfNoNumbers(t *testing.T) {
	err := torch.Run(func() error {
		m := freshCNN(0)
		defer m.Params.Free()
		for _, w := range m.Params.All() {
			w.Set(w.Detach().Scale(1e30))
		}
		_, err := m.LogProbs(t.Context(), [][]int64{{20, 21, 22}})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "not numbers") {
		t.Errorf("the error is %v", err)
	}
}

// TestCNNCompany checks that a sentence has the same logits in a batch as alone, and that log p
// does not depend on the order of the sentences.
func TestCNNCompany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "words")
		ids := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(0, 29), n, n), 2, 9).Draw(t, "ids")
		order := rapid.Permutation(ids).Draw(t, "order")
		err := torch.Run(func() error {
			m := freshCNN(0)
			defer m.Params.Free()
			batch := m.Logits(torch.FromInts(slices.Concat(ids...), int64(len(ids)), int64(n)), false).Floats()
			var alone []float32
			for _, row := range ids {
				alone = append(alone, m.Logits(torch.FromInts(row, 1, int64(n)), false).Floats()...)
			}
			if !(testkit.Difference(batch, alone) <= cnnOff) {
				t.Errorf("sentences %v: logits %v in a batch, %v alone", ids, batch, alone)
			}
			got, err := m.LogProbs(context.Background(), order)
			if err != nil {
				return err
			}
			for i, row := range order {
				k := slices.IndexFunc(ids, func(other []int64) bool { return slices.Equal(other, row) })
				odds := float64(alone[2*k+1] - alone[2*k])
				if off := got[i][1] - got[i][0] - odds; !(math.Abs(off) <= 1e-4) {
					t.Errorf("sentence %v has log odds %v, in another order %v", row, odds, got[i][1]-got[i][0])
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestCNNNothing(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := freshCNN(0)
		defer m.Params.Free()
		got, err := m.LogProbs(context.Background(), nil)
		if err != nil || len(got) != 0 {
			t.Errorf("of no sentences: %v, %v", got, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := m.LogProbs(ctx, [][]int64{{12}}); err != context.Canceled {
			t.Errorf("cancelled: %v", err)
		}
		if _, err := m.LogProbs(context.Background(), [][]int64{{30}}); err == nil {
			t.Error("a word outside the vocabulary is no error")
		}
		return nil
	})
}

// TestTwoClasses checks that with two classes log p equals the log sigmoid of the log-odds, bit by
// bit. So a guide for two styles gives the same results as earlier versions, which supported only
// two classes.
func TestTwoClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := []float64{rapid.Float64Range(-900, 900).Draw(t, "z0"), rapid.Float64Range(-900, 900).Draw(t, "z1")}
		odds := z[1] - z[0]
		for class, want := range []float64{logSigmoid(-odds), logSigmoid(odds)} {
			if got := logSoftmax(z, class); got != want {
				t.Errorf("logits %v: log p of class %d is %v, by the sigmoid %v", z, class, got, want)
			}
		}
	})
}

func TestLogSigmoid(t *testing.T) {
	for x, want := range map[float64]float64{0: -math.Ln2, 800: 0, -800: -800, 2: math.Log(1 / (1 + math.Exp(-2)))} {
		if got := logSigmoid(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("of %v: %v, want %v", x, got, want)
		}
	}
}

func TestCNNCheck(t *testing.T) {
	for want, c := range map[string]CNNConfig{
		"embedding 0":  {Vocab: 9, CNNShape: recipe.CNNShape{Filters: 1, Widths: []int{1}}},
		"widths []":    {Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1}},
		"widths [1 0]": {Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1, Widths: []int{1, 0}}},
		"has 1 classes": {
			Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1, Widths: []int{1}}, Classes: 1,
		},
		"-3 classes": {
			Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1, Widths: []int{1}}, Classes: -3,
		},
		"widths [2 1 2]": {Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1, Widths: []int{2, 1, 2}}},
		"word_dropout 1": {
			Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1, Widths: []int{1}, WordDropout: 1},
		},
		"word_dropout NaN:": {
			Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1, Widths: []int{1}, WordDropout: math.NaN()},
		},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) || userr.CodeOf(err) != userr.BadInput {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
	good := CNNConfig{Vocab: 9, CNNShape: recipe.CNNShape{Embedding: 1, Filters: 1, Widths: []int{3, 1}}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

// TestCNNLearns checks that a short training run learns to classify sentences by one word, or by
// the order of two words. With filters of one word, the model cannot learn the order.
func TestCNNLearns(t *testing.T) {
	for _, c := range []struct {
		name     string
		data     func(n int, seed uint64) corpus.Encoded
		widths   []int
		from, to float64 // bounds of the accuracy on unseen sentences
	}{
		{"one word, filters of one", oneWord, []int{1}, 100, 100},
		{"one word", oneWord, []int{1, 2, 3, 4}, 100, 100},
		{"word order", wordOrder, []int{1, 2, 3, 4}, 100, 100},
		// Both styles have the same bags of words, so accuracy is at chance. For 400 sentences the
		// standard deviation is 2.5.
		{"word order, filters of one", wordOrder, []int{1}, 40, 60},
	} {
		parity.OnTorch(t, func() error {
			m := NewCNN(CNNConfig{
				Vocab: 30, CNNShape: recipe.CNNShape{Embedding: 10, Filters: 10, Widths: c.widths, WordDropout: .05},
				Dropout: .1,
			})
			defer m.Params.Free()
			dev := c.data(400, 2)
			h, err := m.Train(context.Background(), c.data(1000, 1), dev, nn.Recipe{Training: recipe.Training{
				Epochs: 10, LR: .01, Beta1: .9, BatchTokens: 80,
			}, Seed: 1})
			if err != nil {
				return err
			}
			if acc := h.Kept().Dev.Accuracy; acc < c.from || acc > c.to {
				t.Errorf("%s: accuracy %v, want %v to %v", c.name, acc, c.from, c.to)
			}
			again, err := m.Evaluate(context.Background(), dev)
			if again != h.Kept().Dev {
				t.Errorf("%s: the model kept has %+v, the history says %+v", c.name, again, h.Kept().Dev)
			}
			return err
		})
	}
}

// TestWordDropout checks that about the given share of the words becomes <unk>. Each call must
// replace different words and leave its input unchanged.
func TestWordDropout(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := &CNN{Config: CNNConfig{CNNShape: recipe.CNNShape{WordDropout: .3}}}
		in := nn.Grid{IDs: slices.Repeat([]int64{9, 10, 11, 12}, 1000), Rows: 1000}
		given := slices.Clone(in.IDs)
		a, b := m.withUnknown(in), m.withUnknown(in)
		unknown := 0
		for i, id := range a.IDs {
			if id == corpus.UnkID {
				unknown++
			} else if id != given[i] {
				t.Fatalf("word %d became %d", given[i], id)
			}
		}
		if unknown < 1055 || unknown > 1345 { // 1200 plus or minus five standard deviations
			t.Errorf("%d of 4000 words are unknown", unknown)
		}
		if a.Rows != in.Rows || slices.Equal(a.IDs, b.IDs) || !slices.Equal(in.IDs, given) {
			t.Error("two draws are the same, or the sentences were changed")
		}
		m.Config.WordDropout = 0
		if !slices.Equal(m.withUnknown(in).IDs, given) {
			t.Error("words are dropped without word dropout")
		}
		return nil
	})
}

// TestCNNResume interrupts a training run repeatedly and resumes it in a model with other initial
// weights. The run uses dropout and word dropout. The final weights must equal those of an
// uninterrupted run, bit by bit.
func TestCNNResume(t *testing.T) {
	for _, classes := range []int{0, 3} {
		testCNNResume(t, classes)
	}
}

func testCNNResume(t *testing.T, classes int) {
	d := wordOrder(40, 1)
	for i := range d.Styles {
		d.Styles[i] = i % max(2, classes)
	}
	r := nn.Recipe{Training: recipe.Training{
		Epochs: 3, LR: .01, Beta1: .5, BatchTokens: 20,
	}, Seed: 2, KeepLast: true}
	train := func(ctx context.Context, r nn.Recipe, weights uint64) (flat []float32, err error) {
		parity.OnTorch(t, func() error {
			torch.Seed(weights)
			m := NewCNN(CNNConfig{
				Vocab: 30, CNNShape: recipe.CNNShape{Embedding: 4, Filters: 3, Widths: []int{1, 2}, WordDropout: .2},
				Dropout: .5, Classes: classes,
			})
			defer m.Params.Free()
			_, err = m.Train(ctx, d, d, r)
			for _, p := range m.Params.All() {
				flat = append(flat, p.Floats()...)
			}
			return nil
		})
		return flat, err
	}
	want, err := train(context.Background(), r, 1)
	if err != nil {
		t.Fatal(err)
	}
	r.Scratch = t.TempDir()
	for start := uint64(1); ; start++ {
		ctx, cancel := context.WithCancel(context.Background())
		steps := 0
		r.Progress = func(int, int, string) {
			if steps++; steps == 7 {
				cancel()
			}
		}
		got, err := train(ctx, r, start)
		cancel()
		if errors.Is(err, context.Canceled) && start < 100 {
			continue
		}
		if err != nil || start < 3 || !slices.Equal(got, want) {
			t.Errorf("after %d starts: error %v, the same weights: %t", start, err, slices.Equal(got, want))
		}
		return
	}
}
