package classifier

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestCNNLearns: sentences told apart by a word or by the order of two words are told apart after a
// little training; filters of one word cannot see an order.
func TestCNNLearns(t *testing.T) {
	for _, c := range []struct {
		name     string
		data     func(n int, seed uint64) corpus.Encoded
		widths   []int
		from, to float64 // accuracy on unseen sentences
	}{
		{"one word, filters of one", oneWord, []int{1}, 100, 100},
		{"one word", oneWord, []int{1, 2, 3, 4}, 100, 100},
		{"word order", wordOrder, []int{1, 2, 3, 4}, 100, 100},
		// The same bags in both styles: chance. 400 sentences, standard deviation 2.5.
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
				Epochs: 10, LR: .01, Beta1: .9, Beta2: .999, BatchTokens: 80,
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

// TestWordDropout: about the share asked for becomes <unk>, other words each time, and the
// sentences given stay as they are.
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
		if unknown < 1055 || unknown > 1345 { // 1200, five standard deviations
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

// TestCNNResume cancels a training with both dropouts every so many steps, and goes on in a model
// of other weights: weights end as those of a training that never stopped, bit by bit.
func TestCNNResume(t *testing.T) {
	d := wordOrder(40, 1)
	r := nn.Recipe{Training: recipe.Training{
		Epochs: 3, LR: .01, Beta1: .5, Beta2: .999, BatchTokens: 20,
	}, Seed: 2, KeepLast: true}
	train := func(ctx context.Context, r nn.Recipe, weights uint64) (flat []float32, err error) {
		parity.OnTorch(t, func() error {
			torch.Seed(weights)
			m := NewCNN(CNNConfig{
				Vocab: 30, CNNShape: recipe.CNNShape{Embedding: 4, Filters: 3, Widths: []int{1, 2}, WordDropout: .2},
				Dropout: .5,
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
