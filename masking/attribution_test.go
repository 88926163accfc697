package masking

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"pgregory.net/rapid"
)

var plain = divlstm.Config{
	Vocab: 30, DivLSTMShape: recipe.DivLSTMShape{Embedding: 6, Hidden: 5, Attention: 4, Bidirectional: true},
	Dropout: .5,
}

// fresh returns an untrained model whose weights are large enough to give different sentences
// clearly different results.
func fresh(c divlstm.Config) *divlstm.Model {
	torch.Seed(7)
	m := divlstm.New(c)
	for _, p := range m.Params.All() {
		p.Set(p.Detach().Scale(3))
	}
	return m
}

// The list scoring has the methods that score words.
var scoring = []policy.Method{
	policy.ExplainableAttention, policy.VanillaAttention, policy.AttentionXInput, policy.Gradients,
	policy.GradientsXInput, policy.IntegratedGradients,
}

func explain(t interface{ Error(...any) }, method policy.Method, m *divlstm.Model, d corpus.Encoded) [][]float32 {
	s, err := Score(context.Background(), method, m, d, nil)
	if err != nil {
		t.Error(err)
	}
	return s
}

// TestScoresAreOfTheSentence checks that the scores of a sentence do not depend on the order of the
// sentences or on the other sentences in the batch.
func TestScoresAreOfTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		method := rapid.SampledFrom(scoring).Draw(t, "method")
		ids := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(0, 29), 1, 5), 1, 9).Draw(t, "ids")
		order := rapid.Permutation(upTo(len(ids))).Draw(t, "order")
		var d, permuted corpus.Encoded
		for _, row := range ids {
			d.IDs, d.Styles = append(d.IDs, row), append(d.Styles, int(row[0]%2))
		}
		for _, i := range order {
			permuted.IDs, permuted.Styles = append(permuted.IDs, d.IDs[i]), append(permuted.Styles, d.Styles[i])
		}
		err := torch.Run(func() error {
			m := fresh(plain)
			defer m.Params.Free()
			together, other := explain(t, method, m, d), explain(t, method, m, permuted)
			for k, i := range order {
				alone := explain(t, method, m, corpus.Encoded{IDs: ids[i : i+1], Styles: d.Styles[i : i+1]})
				row := together[i]
				if !alike(row, other[k]) || !alike(row, alone[0]) {
					t.Errorf("sentence %d: %v, permuted %v, alone %v", i, row, other[k], alone[0])
				}
				if len(row) != len(ids[i]) || !distribution(row) {
					t.Errorf("scores %v of %d words", row, len(ids[i]))
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestScoresOfManySentences scores sentences of equal length that together have more words than
// wordsAtOnce. Each sentence must get the same scores as when it is scored alone.
func TestScoresOfManySentences(t *testing.T) {
	var d corpus.Encoded
	for i := range wordsAtOnce/2 + 200 {
		d.IDs, d.Styles = append(d.IDs, []int64{9 + int64(i%20), 9 + int64(i%17)}), append(d.Styles, i%2)
	}
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		all := explain(t, policy.IntegratedGradients, m, d)
		for _, i := range []int{0, wordsAtOnce/2 - 1, wordsAtOnce / 2, len(d.IDs) - 1} {
			alone := explain(t, policy.IntegratedGradients, m, d.Pick([]int{i}))
			if !alike(all[i], alone[0]) {
				t.Errorf("sentence %d: %v, alone %v", i, all[i], alone[0])
			}
		}
		return nil
	})
}

// distribution reports whether all numbers are at least 0 and sum to 1.
func distribution(row []float32) bool {
	sum := 0.0
	for _, x := range row {
		if sum += float64(x); !(x >= 0) {
			return false
		}
	}
	return math.Abs(sum-1) < 1e-5
}

// In these tests, the log-odds F change by at most 2. changeOff bounds the rounding error of such a
// change. F is computed in five time steps in both directions, with sums of 6 + 5 terms. Sums over
// integration points have at most 64 terms.
var changeOff = 2 * testkit.RoundingBound(append(testkit.Chain(2*5, 11), 64)...)

// alike compares scores with a tolerance of 10*changeOff. A score is an attribution, which is at
// most about 1, divided by the sum of the attributions. If the sum is only 0.1, the division makes
// rounding errors ten times larger.
func alike(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= 10*changeOff })
}

// TestAttentionIsTheModels checks that both attention methods return the attention of the model.
func TestAttentionIsTheModels(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12}}, Styles: []int{0, 0}}
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		want, err := m.Attention(context.Background(), d.IDs)
		if err != nil {
			return err
		}
		for _, method := range []policy.Method{policy.ExplainableAttention, policy.VanillaAttention} {
			if got := explain(t, method, m, d); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, the model has %v", method, got, want)
			}
		}
		return nil
	})
}

// TestAttentionXInput checks that the score is attention times the norm of the LSTM's input,
// normalised to sum to 1. The score must equal the attention if all inputs have the same norm, and
// must be zero for a word with a zero vector.
func TestAttentionXInput(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12, 13, 14}}, Styles: []int{0, 1}}
	const how = policy.AttentionXInput
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		x := m.Inputs(nn.Stack(d.IDs, []int{0, 1}), false)
		alpha, vectors := m.FromInputs(x).Attention.Floats(), x.Floats()
		columns, width := int(x.Size(1)), int(x.Size(2))
		for i, words := range explain(t, how, m, d) {
			var want []float64
			sum := 0.0
			for k := i * columns; k < (i+1)*columns; k++ {
				squares := 0.0
				for _, v := range vectors[k*width : (k+1)*width] {
					squares += float64(v) * float64(v)
				}
				want = append(want, float64(alpha[k])*math.Sqrt(squares))
				sum += want[len(want)-1]
			}
			for k, w := range want {
				if math.Abs(float64(words[k])-w/sum) > 1e-5 {
					t.Errorf("sentence %d word %d: %v, want %v", i, k, words[k], w/sum)
				}
			}
		}
		table := m.Params.All()[slices.Index(m.Params.Names(), "embedding.weight")]
		signs := table.Floats()
		for i := range signs { // give every vector the norm sqrt(6)
			signs[i] = float32(math.Copysign(1, float64(signs[i])))
		}
		table.Set(torch.FromFloats(signs, table.Shape()...))
		got, attention := explain(t, how, m, d), explain(t, policy.VanillaAttention, m, d)
		for i, words := range got {
			if !alike(words, attention[i]) {
				t.Errorf("of equally long words: %v, attention %v", words, attention[i])
			}
		}
		clear(signs[10*6 : 11*6])
		table.Set(torch.FromFloats(signs, table.Shape()...))
		if got := explain(t, how, m, d); got[0][1] != 0 || !distribution(got[0]) {
			t.Errorf("of a word without a vector: %v", got[0])
		}
		return nil
	})
}

// TestShortAndUnknown checks that every method gives a single word the score 1. The scores of
// unknown words must sum to 1. The test data has no sentence of style 0.
func TestShortAndUnknown(t *testing.T) {
	unk := int64(corpus.UnkID)
	d := corpus.Encoded{IDs: [][]int64{{12}, {unk}, {unk, unk, unk}}, Styles: []int{1, 1, 1}}
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		for _, method := range scoring {
			s := explain(t, method, m, d)
			if s[0][0] != 1 || s[1][0] != 1 || len(s[2]) != 3 || !distribution(s[2]) {
				t.Errorf("%s: %v", method, s)
			}
		}
		if s := explain(t, policy.Gradients, m, corpus.Encoded{}); len(s) != 0 {
			t.Errorf("scores of no sentence: %v", s)
		}
		return nil
	})
}

// TestScoresLeaveNothing checks that no tensor outlives a call, that progress counts all sentences,
// and that a cancelled call stops.
func TestScoresLeaveNothing(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12, 13, 14}, {15, 16}}, Styles: []int{0, 1, 1}}
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		for _, method := range scoring {
			before, counted := torch.LiveHandles(), 0
			_, err := Score(context.Background(), method, m, d, func(done, total int, _ string) {
				if counted = done; total != 3 {
					t.Errorf("%d in all", total)
				}
			})
			if err != nil {
				return err
			}
			if after := torch.LiveHandles(); after != before || counted != 3 {
				t.Errorf("%s: %d tensors before, %d after; %d sentences counted", method, before, after, counted)
			}
			for _, p := range m.Params.All() {
				if p.Grad() != nil {
					t.Errorf("%s leaves a gradient on a parameter", method)
				}
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := Score(ctx, policy.Gradients, m, d, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		return nil
	})
}

// TestScoresRefuse checks the errors for a model and data that do not fit together.
func TestScoresRefuse(t *testing.T) {
	good := corpus.Encoded{IDs: [][]int64{{9}, {10}}, Styles: []int{0, 1}}
	ofThree := plain
	ofThree.Styles = 3
	for _, c := range []struct {
		method policy.Method
		d      corpus.Encoded
		config divlstm.Config
		want   string
	}{
		{
			policy.Gradients,
			corpus.Encoded{IDs: good.IDs, Styles: []int{0, 2}},
			plain,
			`attributing by gradients: sentence 2 has the style 2, but the model knows the styles 0 to 1`,
		},
		{
			policy.Gradients,
			corpus.Encoded{IDs: good.IDs, Styles: []int{2, 3}},
			ofThree,
			`attributing by gradients: sentence 2 has the style 3, but the model knows the styles 0 to 2`,
		},
		{
			policy.VanillaAttention,
			corpus.Encoded{IDs: [][]int64{{9}, {}}, Styles: []int{0, 0}},
			plain,
			`attributing by vanilla_attention: sentence 2 has no words`,
		},
	} {
		parity.OnTorch(t, func() error {
			m := fresh(c.config)
			defer m.Params.Free()
			if _, err := Score(context.Background(), c.method, m, c.d, nil); err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			return nil
		})
	}
}

// TestScoresOfNoNumbers checks that weights with which nothing is a number are an error for every
// method, and for the probabilities of the styles.
func TestScoresOfNoNumbers(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}}, Styles: []int{0}}
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		for _, w := range m.Params.All() {
			w.Set(w.Detach().Scale(1e39))
		}
		for _, method := range scoring {
			_, err := Score(t.Context(), method, m, d, nil)
			if err == nil || !strings.Contains(err.Error(), "not numbers") {
				t.Errorf("%s: the error is %v", method, err)
			}
		}
		if _, err := m.Probabilities(t.Context(), d.IDs); err == nil || !strings.Contains(err.Error(), "not numbers") {
			t.Errorf("probabilities: the error is %v", err)
		}
		return nil
	})
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestLogOddsOfSeveralStyles checks that F is z_s - log sum over the other styles of exp(z), also
// for extreme logits. With two styles, this is the difference of the logits. It also checks the
// derivatives of F. With respect to z_s, the derivative is 1. With respect to the other logits, it
// is minus their softmax.
func TestLogOddsOfSeveralStyles(t *testing.T) {
	parity.OnTorch(t, func() error {
		for _, row := range [][]float64{{1, -2}, {1, -2, .5}, {3, 3, 3, 3}, {200, -150, -140}, {-150, 200, 180, 190}} {
			n := len(row)
			for s := range row {
				e := &explainer{data: corpus.Encoded{Styles: []int{s}}}
				sum, most := 0.0, math.Inf(-1)
				for c, z := range row {
					if c != s {
						most = max(most, z)
					}
				}
				for c, z := range row {
					if c != s {
						sum += math.Exp(z - most)
					}
				}
				flat := make([]float32, n)
				for c, z := range row {
					flat[c] = float32(z)
				}
				var got, slope []float64
				err := torch.WithGrad(func() error {
					x := torch.FromFloats(flat, 1, int64(n)).Leaf()
					f := e.logOdds(x, []int{0})
					got, slope = doubles(f), doubles(torch.Gradient(f, x))
					return nil
				})
				if err != nil {
					return err
				}
				if want := row[s] - most - math.Log(sum); math.Abs(got[0]-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("style %d of logits %v: F = %v, want %v", s, row, got[0], want)
				}
				for c, z := range row {
					want := 1.0
					if c != s {
						want = -math.Exp(z-most) / sum
					}
					if math.Abs(slope[c]-want) > 1e-5 {
						t.Errorf("style %d of logits %v: dF/dz_%d = %v, want %v", s, row, c, slope[c], want)
					}
				}
			}
		}
		return nil
	})
}
