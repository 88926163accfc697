package masking

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

var (
	plain = divlstm.Config{
		Vocab: 30, DivLSTMShape: recipe.DivLSTMShape{Embedding: 6, Hidden: 5, Attention: 4, Bidirectional: true},
		Dropout: .5,
	}
	latents = divlstm.Config{
		Vocab:         30,
		DivLSTMShape:  recipe.DivLSTMShape{Embedding: 6, Hidden: 5, Attention: 4, Bidirectional: true},
		DivLSTMInputs: recipe.DivLSTMInputs{Latent: 3, StartToken: true},
		Dropout:       .5,
	}
	diverse = divlstm.Loss{LambdaCon: 2}
)

// fresh returns a model of weights wide enough to tell sentences apart.
func fresh(c divlstm.Config) *divlstm.Model {
	torch.Seed(7)
	m := divlstm.New(c)
	for _, p := range m.Params.All() {
		p.Set(p.Detach().Scale(3))
	}
	return m
}

// variants are attributions whose scores of a sentence do not depend on other sentences.
func variants() []Attribution {
	return []Attribution{
		{Method: policy.ExplainableAttention},
		{Method: policy.VanillaAttention},
		{Method: policy.AttentionXInput},
		{Method: policy.Gradients},
		{Scoring: policy.Scoring{AttrTarget: "loss", AttrScale: "softmax"}, Method: policy.Gradients},
		{Method: policy.GradientsXInput},
		{Scoring: policy.Scoring{AttrReduce: "abs"}, Method: policy.GradientsXInput},
		{Scoring: policy.Scoring{IGTimesInput: true}, Method: policy.IntegratedGradients},
		{
			Scoring: policy.Scoring{IGTimesInput: true, IGBaseline: "mean", IGRule: "midpoint", IGSteps: 7},
			Method:  policy.IntegratedGradients,
		},
		{
			Scoring: policy.Scoring{
				AttrTarget: "loss", IGRule: policy.Left, IGSteps: 5, IGTimesInput: false, AttrScale: "softmax",
			},
			Method: policy.IntegratedGradients,
		},
	}
}

func explain(t interface{ Error(...any) }, a Attribution, m *divlstm.Model, d corpus.Encoded) Scores {
	s, err := a.Scores(context.Background(), m, d, diverse, nil)
	if err != nil {
		t.Error(err)
	}
	return s
}

// TestScoresAreOfTheSentence: the same whatever the batch, its order and its company.
func TestScoresAreOfTheSentence(t *testing.T) {
	all := variants()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(all).Draw(t, "attribution")
		c := rapid.SampledFrom([]divlstm.Config{plain, latents}).Draw(t, "config")
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
			m := fresh(c)
			defer m.Params.Free()
			together, other := explain(t, a, m, d), explain(t, a, m, permuted)
			for k, i := range order {
				alone := explain(t, a, m, corpus.Encoded{IDs: ids[i : i+1], Styles: d.Styles[i : i+1]})
				row := together.Words[i]
				if !alike(row, other.Words[k]) || !alike(row, alone.Words[0]) {
					t.Errorf("sentence %d: %v, permuted %v, alone %v", i, row, other.Words[k], alone.Words[0])
				}
				if len(row) != len(ids[i]) || !distribution(row, c.StartToken) {
					t.Errorf("scores %v of %d words", row, len(ids[i]))
				}
				if a.Method == policy.IntegratedGradients && math.Abs(together.Change[i]-alone.Change[0]) > changeOff {
					t.Errorf("change %v, alone %v", together.Change[i], alone.Change[0])
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestScoresOfManySentences has more words of one length than go through the model at once.
func TestScoresOfManySentences(t *testing.T) {
	var d corpus.Encoded
	for i := range wordsAtOnce/2 + 200 {
		d.IDs, d.Styles = append(d.IDs, []int64{9 + int64(i%20), 9 + int64(i%17)}), append(d.Styles, i%2)
	}
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		a := Attribution{
			Scoring: policy.Scoring{IGTimesInput: true, IGSteps: 3, IGRule: policy.Left},
			Method:  policy.IntegratedGradients,
		}
		all := explain(t, a, m, d)
		for _, i := range []int{0, wordsAtOnce/2 - 1, wordsAtOnce / 2, len(d.IDs) - 1} {
			alone := explain(t, a, m, d.Slice(i, i+1))
			if !alike(all.Words[i], alone.Words[0]) || math.Abs(all.Gap[i]-alone.Gap[0]) > changeOff {
				t.Errorf(
					"sentence %d: %v and gap %v, alone %v and %v", i, all.Words[i], all.Gap[i], alone.Words[0],
					alone.Gap[0],
				)
			}
		}
		return nil
	})
}

// distribution tells whether numbers of 0 or more sum to 1, or to less where a start token took its
// share.
func distribution(row []float32, less bool) bool {
	sum := 0.0
	for _, x := range row {
		if sum += float64(x); !(x >= 0) {
			return false
		}
	}
	return math.Abs(sum-1) < 1e-5 || less && sum < 1
}

// changeOff is how far a change of the target, which is 2 at most here, may be off: five time
// steps, forward and back, of sums of 6 + 5 terms, each for 64 points at most that are added up.
var changeOff = 2 * testkit.RoundingBound(append(testkit.Chain(2*5, 11), 64)...)

// alike allows for a share of tiny attributions: attributions of size 1 that are changeOff apart
// and add up to a tenth.
func alike(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= 10*changeOff })
}

// TestAttentionIsTheModels: both attention methods return what the model itself does.
func TestAttentionIsTheModels(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12}}, Styles: []int{0, 0}}
	parity.OnTorch(t, func() error {
		for _, c := range []divlstm.Config{plain, latents} {
			m := fresh(c)
			want, err := m.Attention(context.Background(), d.IDs, nil)
			if err != nil {
				return err
			}
			for _, method := range []policy.Method{policy.ExplainableAttention, policy.VanillaAttention} {
				if got := explain(t, Attribution{Method: method}, m, d); fmt.Sprint(got.Words) != fmt.Sprint(want) ||
					got.Gap != nil {
					t.Errorf("%s: %v, the model has %v", method, got, want)
				}
			}
			m.Params.Free()
		}
		return nil
	})
}

// TestAttentionXInput: attention times the length of what enters the LSTM, as shares, the start
// token's among them; the attention itself where all words are equally long, and nothing of a word
// whose vector is zero.
func TestAttentionXInput(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12, 13, 14}}, Styles: []int{0, 1}}
	how := Attribution{Method: policy.AttentionXInput}
	parity.OnTorch(t, func() error {
		for _, c := range []divlstm.Config{plain, latents} {
			m := fresh(c)
			defer m.Params.Free()
			x := m.Inputs(nn.Stack(d.IDs, []int{0, 1}), false)
			alpha, vectors := m.FromInputs(x).Attention.Floats(), x.Floats()
			columns, width := int(x.Size(1)), int(x.Size(2))
			for i, words := range explain(t, how, m, d).Words {
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
				for k, w := range want[columns-len(words):] {
					if math.Abs(float64(words[k])-w/sum) > 1e-5 {
						t.Errorf("sentence %d word %d: %v, want %v", i, k, words[k], w/sum)
					}
				}
			}
		}
		m := fresh(plain)
		defer m.Params.Free()
		table := m.Params.All()[slices.Index(m.Params.Names(), "embedding.weight")]
		signs := table.Floats()
		for i := range signs { // every vector of length sqrt(6)
			signs[i] = float32(math.Copysign(1, float64(signs[i])))
		}
		table.Set(torch.FromFloats(signs, table.Shape()...))
		got, attention := explain(t, how, m, d), explain(t, Attribution{Method: policy.VanillaAttention}, m, d)
		for i, words := range got.Words {
			if !alike(words, attention.Words[i]) {
				t.Errorf("of equally long words: %v, attention %v", words, attention.Words[i])
			}
		}
		clear(signs[10*6 : 11*6])
		table.Set(torch.FromFloats(signs, table.Shape()...))
		if got := explain(t, how, m, d); got.Words[0][1] != 0 || !distribution(got.Words[0], false) {
			t.Errorf("of a word without a vector: %v", got.Words[0])
		}
		return nil
	})
}

// TestShortAndUnknown: a single word has it all, a sentence of unknown words shares it, by every
// method; a style may have no sentence.
func TestShortAndUnknown(t *testing.T) {
	unk := int64(corpus.UnkID)
	d := corpus.Encoded{IDs: [][]int64{{12}, {unk}, {unk, unk, unk}}, Styles: []int{1, 1, 1}}
	parity.OnTorch(t, func() error {
		m := fresh(plain)
		defer m.Params.Free()
		for _, a := range variants() {
			s := explain(t, a, m, d)
			if s.Words[0][0] != 1 || s.Words[1][0] != 1 || len(s.Words[2]) != 3 || !distribution(s.Words[2], false) {
				t.Errorf("%+v: %v", a, s.Words)
			}
		}
		if s := explain(t, Attribution{Method: policy.Gradients}, m, corpus.Encoded{}); len(s.Words) != 0 {
			t.Errorf("scores of no sentence: %v", s)
		}
		return nil
	})
}

// TestSameSeedSameBits: with sampling the scores are those of the seed, without they are of none.
func TestSameSeedSameBits(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12, 13, 14}, {15, 16}}, Styles: []int{0, 1, 1}}
	parity.OnTorch(t, func() error {
		m := fresh(latents)
		defer m.Params.Free()
		for _, a := range variants() {
			for _, a.Sampling = range []bool{false, true} {
				var got [3]string
				for k, seed := range []uint64{5, 5, 6} {
					torch.Seed(seed)
					got[k] = fmt.Sprint(explain(t, a, m, d))
				}
				if got[0] != got[1] || (got[0] != got[2]) != a.Sampling {
					t.Errorf("%+v: seeds 5, 5, 6 give %v", a, got)
				}
			}
		}
		return nil
	})
}

// TestScoresLeaveNothing: no tensor outlives a call, progress counts all sentences, and a cancelled
// call stops.
func TestScoresLeaveNothing(t *testing.T) {
	d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12, 13, 14}, {15, 16}}, Styles: []int{0, 1, 1}}
	parity.OnTorch(t, func() error {
		m := fresh(latents)
		defer m.Params.Free()
		for _, a := range variants() {
			before, counted := torch.Live(), 0
			_, err := a.Scores(context.Background(), m, d, diverse, func(done, total int, _ string) {
				if counted = done; total != 3 {
					t.Errorf("%d in all", total)
				}
			})
			if err != nil {
				return err
			}
			if after := torch.Live(); after != before || counted != 3 {
				t.Errorf("%+v: %d tensors before, %d after; %d sentences counted", a, before, after, counted)
			}
			for _, p := range m.Params.All() {
				if p.Grad() != nil {
					t.Errorf("%+v leaves a gradient on a parameter", a)
				}
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := (Attribution{Method: policy.Gradients}).Scores(ctx, m, d, diverse, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		return nil
	})
}

// TestScoresRefuse names what does not fit.
func TestScoresRefuse(t *testing.T) {
	good := corpus.Encoded{IDs: [][]int64{{9}, {10}}, Styles: []int{0, 1}}
	noWords, ofThree := plain, plain
	noWords.Vocab, ofThree.Styles = corpus.NumSpecial, 3
	for _, c := range []struct {
		a      Attribution
		d      corpus.Encoded
		config divlstm.Config
		want   string
	}{
		{Attribution{Method: "lime"}, good, plain, `attributing by lime: unknown method "lime"`},
		{
			Attribution{Scoring: policy.Scoring{AttrTarget: "logit"}, Method: policy.Gradients},
			good, plain,
			`attributing by gradients: unknown target "logit"`,
		},
		{
			Attribution{Scoring: policy.Scoring{AttrReduce: "max"}, Method: policy.Gradients},
			good, plain,
			`attributing by gradients: unknown reduction "max"`,
		},
		{
			Attribution{Scoring: policy.Scoring{AttrScale: "none"}, Method: policy.Gradients},
			good, plain,
			`attributing by gradients: unknown scale "none"`,
		},
		{
			Attribution{Scoring: policy.Scoring{IGBaseline: "pad"}, Method: policy.Gradients},
			good, plain,
			`attributing by gradients: unknown baseline "pad"`,
		},
		{
			Attribution{Scoring: policy.Scoring{IGRule: "right"}, Method: policy.Gradients},
			good, plain,
			`attributing by gradients: unknown rule "right"`,
		},
		{
			Attribution{Scoring: policy.Scoring{IGSteps: -1}, Method: policy.Gradients},
			good, plain,
			`attributing by gradients: -1 steps, but one is the least`,
		},
		{
			Attribution{
				Scoring: policy.Scoring{IGTimesInput: true, IGBaseline: "mean"}, Method: policy.IntegratedGradients,
			},
			corpus.Encoded{IDs: [][]int64{{1}}, Styles: []int{0}},
			noWords,
			`attributing by integrated_gradients: the vocabulary has no ordinary word to take a mean baseline of`,
		},
		{
			Attribution{Method: policy.Gradients},
			corpus.Encoded{IDs: good.IDs},
			plain,
			`attributing by gradients: 0 styles for 2 sentences`,
		},
		{
			Attribution{Method: policy.Gradients},
			corpus.Encoded{IDs: good.IDs, Styles: []int{0, 2}},
			plain,
			`attributing by gradients: sentence 2 has the style 2, but the model knows the styles 0 to 1`,
		},
		{
			Attribution{Method: policy.Gradients},
			corpus.Encoded{IDs: good.IDs, Styles: []int{2, 3}},
			ofThree,
			`attributing by gradients: sentence 2 has the style 3, but the model knows the styles 0 to 2`,
		},
		{
			Attribution{Method: policy.VanillaAttention},
			corpus.Encoded{IDs: [][]int64{{9}, {}}, Styles: []int{0, 0}},
			plain,
			`attributing by vanilla_attention: sentence 2 has no words`,
		},
	} {
		parity.OnTorch(t, func() error {
			m := fresh(c.config)
			defer m.Params.Free()
			if _, err := c.a.Scores(context.Background(), m, c.d, diverse, nil); err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			return nil
		})
	}
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestLogOddsOfSeveralStyles: F is z_s - log sum over the others of exp(z), also where it
// saturates, of two styles the difference; and its gradient is 1 at s and less the softmax of the
// others there.
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
					got, slope = doubles(f), doubles(torch.Grads([]*torch.Tensor{f}, []*torch.Tensor{x})[0])
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
