package divlstm

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestStartToken: a model with a start token does what the one without does on sentences that begin
// with it, and its attention is of the words.
func TestStartToken(t *testing.T) {
	c := authors
	c.StartToken = false
	parity.OnTorch(t, func() error {
		with, without := freshOf(authors), freshOf(c)
		defer with.Params.Free()
		defer without.Params.Free()
		words := [][]int64{{9, 10, 11}, {12, 13, 14}}
		begun := [][]int64{{corpus.BosID, 9, 10, 11}, {corpus.BosID, 12, 13, 14}}
		a := with.Forward(nn.Stack(words, []int{0, 1}), false)
		b := without.Forward(nn.Stack(begun, []int{0, 1}), false)
		for name, pair := range map[string][2]*torch.Tensor{
			"logits": {a.Logits, b.Logits}, "attention": {a.Attention, b.Attention}, "states": {a.States, b.States},
		} {
			if !slices.Equal(pair[0].Floats(), pair[1].Floats()) {
				t.Errorf("%s: %v, with the token written out %v", name, pair[0].Floats(), pair[1].Floats())
			}
		}
		scores, err := with.Attention(context.Background(), words, nil)
		if err != nil {
			return err
		}
		if want := b.Attention.Floats(); !alike(scores[0], want[1:4]) || !alike(scores[1], want[5:8]) {
			t.Errorf("attention %v of rows %v", scores, want)
		}
		return nil
	})
}

// TestLatentIsSampled: outside training the latent is mu; in training its deviation is
// exp(logvar/2) around mu.
func TestLatentIsSampled(t *testing.T) {
	c := authors
	c.Dropout, c.StartToken = 0, false
	parity.OnTorch(t, func() error {
		m := freshOf(c)
		defer m.Params.Free()
		m.logvar.W.Set(torch.Zeros(3, 6))
		m.logvar.B.Set(torch.FromFloats([]float32{0, -2, 2}, 3))
		const n = 20000
		ids := torch.FromInts(slices.Repeat([]int64{12}, n), n, 1)
		mu := m.Inputs(ids, false).Narrow(0, 0, 1).Floats()
		if again := m.Inputs(ids, false).Narrow(0, 1, 1).Floats(); !slices.Equal(mu, again) {
			t.Errorf("outside training %v, then %v", mu, again)
		}
		drawn := m.Inputs(ids, true).Floats()
		for k, logvar := range []float64{0, -2, 2} {
			var sum, squares float64
			for i := k; i < len(drawn); i += 3 {
				d := float64(drawn[i]) - float64(mu[k])
				sum, squares = sum+d, squares+d*d
			}
			deviation := math.Exp(logvar / 2)
			// The mean of n draws has a deviation of 1/sqrt(n) = 0.7 % of theirs, and theirs has
			// 0.5 %: five times that.
			if math.Abs(sum/n) > .035*deviation || math.Abs(math.Sqrt(squares/n)-deviation) > .025*deviation {
				t.Errorf("latent %d: mean off by %v, deviation %v, want %v", k, sum/n, math.Sqrt(squares/n), deviation)
			}
		}
		return nil
	})
}

// TestMeanInput: the mean over ordinary words, each entering alone; special tokens have no part in
// it.
func TestMeanInput(t *testing.T) {
	parity.OnTorch(t, func() error {
		for _, c := range []Config{authors, {
			Vocab: 30, DivLSTMShape: recipe.DivLSTMShape{Embedding: 6, Hidden: 5, Attention: 4},
		}} {
			m := freshOf(c)
			want := make([]float64, m.lstm.Weights[0].Size(1))
			for id := int64(corpus.NumSpecial); id < 30; id++ {
				x := m.Inputs(torch.FromInts([]int64{id}, 1, 1), false).Floats()
				for k, v := range x[len(x)-len(want):] {
					want[k] += float64(v) / (30 - corpus.NumSpecial)
				}
			}
			for k, got := range m.MeanInput().Floats() {
				if math.Abs(float64(got)-want[k]) > 1e-6 {
					t.Errorf("%+v: number %d is %v, want %v", c, k, got, want[k])
				}
			}
			m.Params.Free()
		}
		return nil
	})
}

// TestTrainAttention: training moves everything but attention and latent maps.
func TestTrainAttention(t *testing.T) {
	frozen := []string{
		"attention.hidden.weight", "attention.hidden.bias", "attention.query.weight",
		"latent.mu.weight", "latent.mu.bias", "latent.logvar.weight", "latent.logvar.bias",
	}
	parity.OnTorch(t, func() error {
		m := freshOf(authors)
		defer m.Params.Free()
		var before [][]float32
		for _, p := range m.Params.All() {
			before = append(before, p.Floats())
		}
		m.TrainAttention(false)
		d := corpus.Encoded{IDs: [][]int64{{9, 10}, {11}, {12, 13}}, Styles: []int{0, 1, 1}}
		_, err := m.Train(context.Background(), d, d, Loss{
			LambdaCon: 1,
			DivLSTMLoss: recipe.DivLSTMLoss{
				Reduction: recipe.Sum, ConicityAxis: recipe.BatchAxis, ConicityForm: recipe.AbsMeanForm,
			},
		},
			nn.Recipe{
				Training: recipe.Training{Epochs: 2, LR: .01, Beta1: .5, Beta2: .999, BatchTokens: 4}, Seed: 2,
				KeepLast: true,
			})
		if err != nil {
			return err
		}
		for i, p := range m.Params.All() {
			name := m.Params.Names()[i]
			if same := slices.Equal(before[i], p.Floats()); same != slices.Contains(frozen, name) {
				t.Errorf("%s is the same after training: %t", name, same)
			}
		}
		return nil
	})
}

// TestValidateUsesItsObjective: the loss has the objective's conicity, once a batch where the
// cross-entropy is summed over it; Conicity is the reported one.
func TestValidateUsesItsObjective(t *testing.T) {
	parity.OnTorch(t, func() error {
		m := freshOf(authors)
		defer m.Params.Free()
		d := corpus.Encoded{IDs: [][]int64{{9, 10, 11}, {12, 13, 14}}, Styles: []int{0, 1}} // one batch of two
		plain, err := m.Validate(context.Background(), d, Loss{})
		if err != nil {
			return err
		}
		states := m.Forward(nn.Stack(d.IDs, []int{0, 1}), false).States
		for _, axis := range []recipe.ConicityAxis{recipe.TimeAxis, recipe.BatchAxis} {
			for _, form := range []recipe.ConicityForm{recipe.AbsForm, recipe.SignedForm, recipe.AbsMeanForm} {
				for reduction, share := range map[recipe.BatchReduction]float64{recipe.Mean: 1, recipe.Sum: .5} {
					got, err := m.Validate(
						context.Background(), d,
						Loss{
							LambdaCon: 3,
							DivLSTMLoss: recipe.DivLSTMLoss{
								Reduction: reduction, ConicityAxis: axis, ConicityForm: form,
							},
						},
					)
					if err != nil {
						return err
					}
					want := plain.Loss + 3*share*batchConicity(states, axis, form).Item()
					if math.Abs(got.Loss-want) > 1e-5 || got.Conicity != plain.Conicity {
						t.Errorf(
							"axis %s, form %s, reduction %s: %+v, want loss %v and conicity %v", axis, form, reduction,
							got, want, plain.Conicity,
						)
					}
				}
			}
		}
		return nil
	})
}

// TestConicityStaysWithinItsRange: a single state is parallel to the mean of all, which is itself,
// and float32 rounds some of their cosines up.
func TestConicityStaysWithinItsRange(t *testing.T) {
	c := authors
	c.StartToken = false
	parity.OnTorch(t, func() error {
		m := freshOf(c)
		defer m.Params.Free()
		for id := int64(9); id < 15; id++ {
			got, err := m.Validate(context.Background(), corpus.Encoded{IDs: [][]int64{{id}}, Styles: []int{0}}, Loss{})
			if err != nil {
				return err
			}
			if got.Conicity > 1 || got.Conicity < 1-1e-6 {
				t.Errorf("word %d: conicity %v", id, got.Conicity)
			}
		}
		return nil
	})
}

// TestConfigFile: a model's shape is written by the names of an experiment file, and read back.
func TestConfigFile(t *testing.T) {
	raw, err := json.Marshal(authors)
	if err != nil {
		t.Fatal(err)
	}
	var read Config
	if err := json.Unmarshal(raw, &read); err != nil || read != authors {
		t.Errorf("read %+v (%v), want %+v", read, err, authors)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"vocab": 30., "embedding": 6., "hidden": 5., "attention": 4., "bidirectional": true, "latent": 3.,
		"start_token": true, "dropout": .5,
	} {
		if fields[name] != want {
			t.Errorf("%s is written as %v, want %v", name, fields[name], want)
		}
	}
}
