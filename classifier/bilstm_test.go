package classifier

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
// clearly different logits.
func fresh() *BiLSTM {
	torch.Seed(7)
	m := NewBiLSTM(BiLSTMConfig{
		Vocab: 30, BiLSTMShape: recipe.BiLSTMShape{Embedding: 6, Hidden: 5}, Dropout: .5,
	}) // the dropout applies only in training
	for _, p := range m.Params.All() {
		p.Set(p.Detach().Scale(4))
	}
	return m
}

// logitsOff bounds the rounding difference between logits from different batches, relative to the
// largest logit. A sentence has up to six time steps, and each step sums 6 + 5 terms.
var logitsOff = testkit.RoundingBound(testkit.Chain(6+1, 6+5)...)

// The function tied reports whether the predicted style of a sentence depends on rounding.
func tied(m *BiLSTM, ids []int64) bool {
	logits := m.Logits(torch.FromInts(ids, 1, int64(len(ids))), false).Floats()
	return testkit.Difference(logits[:1], logits[1:]) <= logitsOff
}

// TestPredictionIsOfTheSentence checks that a prediction does not depend on the order of the
// sentences or on the other sentences of its batch. The order and the batch may change the logits,
// but only by rounding.
func TestPredictionIsOfTheSentence(t *testing.T) {
	both := map[int]bool{}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "words")
		word := rapid.Int64Range(0, 29)
		ids := rapid.SliceOfN(rapid.SliceOfN(word, n, n), 1, 9).Draw(t, "ids")
		others := rapid.SliceOfN(rapid.SliceOfN(word, 0, 6), 0, 9).Draw(t, "others") // of any length, even 0
		order := make([]int, len(ids)+len(others))
		for i := range order {
			order[i] = i
		}
		all := append(slices.Clone(ids), others...)
		order = rapid.Permutation(order).Draw(t, "order")
		err := torch.Run(func() error {
			m := fresh()
			defer m.Params.Free()
			want, err := m.Predict(context.Background(), all)
			if err != nil {
				return err
			}
			var permuted [][]int64
			for _, i := range order {
				permuted = append(permuted, all[i])
			}
			got, err := m.Predict(context.Background(), permuted)
			if err != nil {
				return err
			}
			for k, i := range order {
				if got[k] != want[i] && !tied(m, all[i]) {
					t.Errorf("sentence %v is of style %d, permuted %d", all[i], want[i], got[k])
				}
				if len(all[i]) == 0 && want[i] != 0 {
					t.Errorf("a sentence of no words is of style %d", want[i])
				}
				both[want[i]] = true
			}
			batch := m.Logits(torch.FromInts(slices.Concat(ids...), int64(len(ids)), int64(n)), false).Floats()
			for i, row := range ids {
				alone := m.Logits(torch.FromInts(row, 1, int64(n)), false).Floats()
				if !(testkit.Difference(batch[2*i:2*i+2], alone) <= logitsOff) {
					t.Errorf("sentence %v: logits %v in a batch, %v alone", row, batch[2*i:2*i+2], alone)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	if len(both) != 2 {
		t.Errorf("only styles %v were predicted: the test is blind", both)
	}
}

func TestShortAndUnknown(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh()
		defer m.Params.Free()
		got, err := m.Predict(context.Background(), [][]int64{{12}, {corpus.UnkID}, {corpus.UnkID, corpus.UnkID}, {}})
		if len(got) != 4 || got[3] != 0 {
			t.Errorf("predictions %v", got)
		}
		none, e := m.Predict(context.Background(), nil)
		if e != nil || len(none) != 0 {
			t.Errorf("predictions of nothing: %v, %v", none, e)
		}
		return err
	})
}

// TestLearns checks that a short training run learns to classify sentences by one word, and that
// the model's dev accuracy equals the one in the training history.
func TestLearns(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := fresh()
		defer m.Params.Free()
		var d corpus.Encoded
		for i := range 60 {
			row := []int64{int64(12 + i%7), int64(12 + i%5), int64(20 + i%3)}
			row[i%3] = int64(9 + i%2) // the word that decides the style
			d.IDs, d.Styles = append(d.IDs, row), append(d.Styles, i%2)
		}
		h, err := m.Train(
			context.Background(), d, d,
			nn.Recipe{Training: recipe.Training{Epochs: 15, LR: .01, Beta1: .5, BatchTokens: 30}, Seed: 1},
		)
		if err != nil {
			return err
		}
		if got := h.Kept().Dev.Accuracy; got < 95 {
			t.Errorf("accuracy %v after training", got)
		}
		again, err := m.Evaluate(context.Background(), d)
		if again != h.Kept().Dev {
			t.Errorf("the model kept has %+v, the history says %+v", again, h.Kept().Dev)
		}
		return err
	})
}

// TestSameSeedSameBits trains twice with the same seed and with dropout. The weights must be equal,
// bit by bit.
func TestSameSeedSameBits(t *testing.T) {
	train := func() (flat []float32) {
		parity.OnTorch(t, func() error {
			m := fresh()
			defer m.Params.Free()
			d := corpus.Encoded{
				IDs: [][]int64{{9, 10}, {11}, {12, 13}, {14, 15, 16}, {17}}, Styles: []int{0, 1, 1, 0, 0},
			}
			_, err := m.Train(context.Background(), d, d,
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
