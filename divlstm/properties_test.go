package divlstm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"pgregory.net/rapid"
)

// fresh returns an untrained model whose weights are large enough to give different sentences
// clearly different results.
func fresh(dropout float64) *Model {
	torch.Seed(7)
	m := New(Config{
		Vocab: 30, DivLSTMShape: recipe.DivLSTMShape{Embedding: 6, Hidden: 5, Attention: 4, Bidirectional: true},
		Dropout: dropout,
	})
	for _, p := range m.Params.All() {
		p.Set(p.Detach().Scale(4))
	}
	return m
}

// TestAttentionIsOfTheSentence checks that the attention of a sentence does not depend on the other
// sentences of the batch or on their order, and that attention is positive and sums to 1.
func TestAttentionIsOfTheSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SliceOfN(rapid.Int64Range(0, 29), 1, 6)
		ids := rapid.SliceOfN(sentence, 1, 14).Draw(t, "ids")
		order := rapid.Permutation(testkit.Indices(len(ids))).Draw(t, "order")
		err := torch.Run(func() error {
			m := fresh(.5) // a dropout rate of .5 has no effect outside training
			defer m.Params.Free()
			together, err := m.Attention(context.Background(), ids)
			if err != nil {
				return err
			}
			var permuted [][]int64
			for _, i := range order {
				permuted = append(permuted, ids[i])
			}
			other, err := m.Attention(context.Background(), permuted)
			if err != nil {
				return err
			}
			for k, i := range order {
				alone, err := m.Attention(context.Background(), ids[i:i+1])
				if err != nil {
					return err
				}
				if !alike(together[i], other[k]) || !alike(together[i], alone[0]) {
					t.Errorf("sentence %d: %v, permuted %v, alone %v", i, together[i], other[k], alone[0])
				}
				sum := 0.0
				for _, a := range together[i] {
					if sum += float64(a); !(a > 0) {
						t.Errorf("attention %v", together[i])
					}
				}
				if len(together[i]) != len(ids[i]) || math.Abs(sum-1) > 1e-5 {
					t.Errorf("%d scores for %d words, their sum is %v", len(together[i]), len(ids[i]), sum)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// alike reports whether a and b are equal except for rounding. It allows for rounding in six time
// steps, each with sums of 6 + 5 terms, and in a softmax of scores up to 5.
func alike(a, b []float32) bool {
	return testkit.Difference(a, b) <= 5*testkit.RoundingBound(testkit.Chain(7, 11)...)
}

func TestShortAndUnknown(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(0)
		defer m.Params.Free()
		got, err := m.Attention(
			context.Background(), [][]int64{{12}, {corpus.UnkID}, {corpus.UnkID, corpus.UnkID, corpus.UnkID}},
		)
		if err != nil {
			return err
		}
		if got[0][0] != 1 || got[1][0] != 1 || len(got[2]) != 3 {
			t.Errorf("attention %v: a single word must have it all", got)
		}
		con := conicity(m.Forward(torch.FromInts([]int64{12}, 1, 1), false).States).Item()
		if math.Abs(con-1) > 1e-6 {
			t.Errorf("conicity of one state %v, want 1", con)
		}
		none, err := m.Attention(context.Background(), nil)
		if len(none) != 0 {
			t.Errorf("attention of no sentence: %v", none)
		}
		return err
	})
}

// TestValidateIgnoresBatches checks that loss, accuracy and conicity do not depend on how the
// sentences are batched.
func TestValidateIgnoresBatches(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(.5)
		defer m.Params.Free()
		d := corpus.Encoded{IDs: [][]int64{{9, 10}, {11}, {12, 13}, {14, 15, 16}, {17}}, Styles: []int{0, 1, 1, 0, 0}}
		loss := Loss{LambdaCon: 3}
		whole, err := m.Validate(context.Background(), d, loss)
		if err != nil {
			return err
		}
		var mean nn.Validation
		for i := range d.IDs {
			one, err := m.Validate(
				context.Background(), d.Pick([]int{i}), loss,
			)
			if err != nil {
				return err
			}
			mean.Loss += one.Loss / 5
			mean.Accuracy += one.Accuracy / 5
			mean.Conicity += one.Conicity / 5
		}
		for _, pair := range [][2]float64{
			{whole.Loss, mean.Loss}, {whole.Accuracy, mean.Accuracy}, {whole.Conicity, mean.Conicity},
		} {
			if math.Abs(pair[0]-pair[1]) > testkit.RoundingBound(append(testkit.Chain(7, 11), 5)...)*pair[1] {
				t.Errorf("together %+v, mean of single ones %+v", whole, mean)
			}
		}
		return nil
	})
}

// TestSameSeedSameBits trains twice with the same seed, with dropout and conicity. The weights must
// be equal, bit by bit.
func TestSameSeedSameBits(t *testing.T) {
	train := func() (flat []float32) {
		parity.OnTorch(t, func() error {
			m := fresh(.5)
			defer m.Params.Free()
			d := corpus.Encoded{
				IDs: [][]int64{{9, 10}, {11}, {12, 13}, {14, 15, 16}, {17}}, Styles: []int{0, 1, 1, 0, 0},
			}
			_, err := m.Train(context.Background(), d, d, Loss{
				LambdaCon: 1,
			},
				nn.Recipe{
					Training: recipe.Training{Epochs: 3, LR: .01, Beta1: .5, BatchTokens: 4}, Seed: 2,
					KeepLast: true,
				})
			for _, p := range m.Params.All() {
				flat = append(flat, p.Floats()...)
			}
			return err
		})
		return flat
	}
	a, b := train(), train()
	if len(a) == 0 ||
		!slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
		t.Error("two trainings of one seed differ")
	}
}

// TestAttentionIsFloat32 checks that attention and the LSTM's inputs are float32, even if matrix
// products are in bfloat16.
func TestAttentionIsFloat32(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh(.5)
		defer m.Params.Free()
		torch.Autocast(true, func() {
			ids := torch.FromInts([]int64{4, 5, 6, 7}, 2, 2)
			if got := m.Forward(ids, true).Attention.DType(); got != torch.Float {
				t.Errorf("attention is %v", got)
			}
			if got := m.Inputs(ids, true).DType(); got != torch.Float {
				t.Errorf("what enters the LSTM is %v", got)
			}
		})
		return nil
	})
}

func TestPrecision(t *testing.T) {
	parity.Precision(t, func(d corpus.Encoded, r nn.Recipe) (*nn.History, error) {
		m := fresh(.5)
		defer m.Params.Free()
		return m.Train(context.Background(), d, d, Loss{
			LambdaCon: 1,
		}, r)
	})
}
