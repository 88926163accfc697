package lm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestLearnsTheEntropy trains on four different sentences of three words, each determined by its
// first word. A sentence has probability 1/4 and four tokens, so no model has a perplexity below
// 4^(1/4) = 1.414. A model that has learned the language is only slightly above this.
func TestLearnsTheEntropy(t *testing.T) {
	var train [][]int64
	for i := range 80 {
		w := int64(9 + i%4)
		train = append(train, []int64{w, 4 + w, 8 + w})
	}
	c := tiny
	c.Known = 12
	c.Dropout, c.Hidden = 0, 12
	parity.OnTorch(t, func() error {
		m := New(c)
		defer m.Params.Free()
		live := torch.LiveHandles()
		h, err := m.Train(
			context.Background(), train, train[:40],
			nn.Recipe{
				Training: recipe.Training{Epochs: 50, LR: .03, Beta1: .9, BatchTokens: 40}, Seed: 1,
			},
		)
		if err != nil {
			return err
		}
		s := score(t, m, train[:40])
		if got := s.perplexity(); !(got >= math.Pow(4, .25)-1e-6 && got < 1.43) {
			t.Errorf("perplexity %v", got)
		}
		if s.Loss() != h.Kept().Dev.Loss {
			t.Errorf("the model kept has a loss of %v, the history says %v", s.Loss(), h.Kept().Dev.Loss)
		}
		if n := torch.LiveHandles(); n != live {
			t.Errorf("%d tensors were left", n-live)
		}
		return nil
	})
}

// TestJudgesFluency trains on a part of the demo corpus. Human sentences must be more likely than
// the same words in random order. They must also be more likely than sentences whose rarest word is
// replaced by one fixed word, like the sentences of a transfer model that writes the same word
// everywhere.
func TestJudgesFluency(t *testing.T) {
	d := corpus.Demo()
	d.Sample(2000, 1)
	v := corpus.BuildVocab(d.Text[corpus.Train], 0)
	train := d.Encode(corpus.Train, v).IDs
	dev := d.Encode(corpus.Dev, v).IDs
	c := Config{
		First: v.Specials(), Known: KnownWords(train, v.Specials()), LMShape: recipe.LMShape{Embedding: 32, Hidden: 64},
	}
	same := v.ID("splendid")
	if int(same) >= c.First+c.Known {
		t.Fatal("the model does not know the one word")
	}
	parity.OnTorch(t, func() error {
		m := New(c)
		defer m.Params.Free()
		_, err := m.Train(
			context.Background(), train, dev,
			nn.Recipe{
				Training: recipe.Training{Epochs: 2, LR: .01, Beta1: .9, Clip: 1, BatchTokens: 250},
				Seed:     1,
			},
		)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(1, 1))
		var shuffled, oneWord [][]int64
		for _, row := range dev {
			other := slices.Clone(row)
			rng.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
			shuffled = append(shuffled, other)
			one := slices.Clone(row)
			one[slices.Index(one, slices.Max(one))] = same // the greatest id is the rarest word
			oneWord = append(oneWord, one)
		}
		human, mixed, degenerate := score(t, m, dev).perplexity(),
			score(t, m, shuffled).perplexity(),
			score(t, m, oneWord).perplexity()
		t.Logf(
			"perplexity %.1f, shuffled %.1f, with one word %q everywhere %.1f", human, mixed, v.Word(same), degenerate,
		)
		if !(mixed > 20*human && degenerate > 1.25*human) {
			t.Error("it does not tell them apart")
		}
		return nil
	})
}

// train trains a tiny model with dropout on sentences of several lengths, one of which is empty,
// and returns the bits of its weights.
func train(
	ctx context.Context,
	seed uint64,
	scratch string,
	progress func(int, int, string),
) (bits []uint32, h *nn.History, err error) {
	torch.Seed(seed)
	m := New(tiny)
	defer m.Params.Free()
	ids := [][]int64{{9, 10}, {11}, {12, 13}, {14, 15, 16}, {}, {9, 9, 10}}
	h, err = m.Train(ctx, ids, ids, nn.Recipe{
		Training: recipe.Training{Epochs: 4, LR: .01, Beta1: .5, Clip: 1, BatchTokens: 6},
		Seed:     2,
		Scratch:  scratch,
		Progress: progress,
	})
	for _, p := range m.Params.All() {
		for _, x := range p.Floats() {
			bits = append(bits, math.Float32bits(x))
		}
	}
	return bits, h, err
}

// TestSameSeedSameBits checks that the same seed gives the same weights, bit by bit. This must also
// hold if the training run is interrupted repeatedly and resumed in a model that was created with
// another seed.
func TestSameSeedSameBits(t *testing.T) {
	parity.OnTorch(t, func() error {
		want, h, err := train(context.Background(), 1, "", nil)
		if err != nil {
			return err
		}
		again, _, err := train(context.Background(), 1, "", nil)
		if err != nil {
			return err
		}
		if !slices.Equal(want, again) {
			t.Error("two trainings of one seed differ")
		}
		scratch, starts := t.TempDir(), 0
		for seed := uint64(1); ; seed++ {
			ctx, cancel := context.WithCancel(context.Background())
			steps := 0
			got, resumed, err := train(ctx, seed, scratch, func(int, int, string) {
				if steps++; steps == 3 {
					cancel()
				}
			})
			cancel()
			if starts++; errors.Is(err, context.Canceled) && starts < 50 {
				continue
			}
			if err != nil {
				return err
			}
			if !slices.Equal(got, want) {
				t.Errorf("after %d starts: other bits", starts)
			}
			if resumed.Steps != h.Steps || resumed.Kept().Dev != h.Kept().Dev || starts < 4 {
				t.Errorf("after %d starts: %+v, want %+v", starts, resumed, h)
			}
			return nil
		}
	})
}

// TestKeepsItsScores checks that a model gives the same scores, bit by bit, after it has been saved
// and loaded.
func TestKeepsItsScores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	ids := [][]int64{{9, 10}, {15}, {}}
	parity.OnTorch(t, func() error {
		m := fresh(tiny)
		defer m.Params.Free()
		shape, err := json.Marshal(m.Config)
		if err != nil {
			return err
		}
		if err := m.Params.Save(path); err != nil {
			return err
		}
		var read Config
		if err := json.Unmarshal(shape, &read); err != nil {
			return err
		}
		torch.Seed(99)
		other := New(read)
		defer other.Params.Free()
		want := score(t, m, ids)
		if slices.Equal(score(t, other, ids).LogProb, want.LogProb) {
			t.Error("two models of two seeds agree: the test is blind")
		}
		if err := other.Params.Load(path); err != nil {
			return err
		}
		if got := score(t, other, ids); !slices.Equal(got.LogProb, want.LogProb) {
			t.Errorf("%v, before it was written %v", got.LogProb, want.LogProb)
		}
		return nil
	})
}

func TestScoreIsCancelled(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := New(tiny)
		defer m.Params.Free()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := m.Score(ctx, [][]int64{{9}}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
		return nil
	})
}
