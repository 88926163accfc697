package smlm_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// synthetic returns n sentences of the same length over a vocabulary of the given size, with a
// fifth of the words masked.
func synthetic(n, length, words int) corpus.Encoded {
	rng := rand.New(rand.NewPCG(1, 2))
	var d corpus.Encoded
	for i := range n {
		ids, mask := make([]int64, length), make([]bool, length)
		for k := range ids {
			ids[k] = int64(corpus.NumSpecial + rng.IntN(words-corpus.NumSpecial))
			mask[k] = rng.IntN(5) == 0
		}
		mask[rng.IntN(length)] = true
		d.IDs, d.Masks, d.Styles = append(d.IDs, ids), append(d.Masks, mask), append(d.Styles, i%2)
		d.Targets = append(d.Targets, 1-i%2)
	}
	return d
}

// shape returns the shape of the paper's models, with a vocabulary of 10,000 words.
func shape(dropout float64) smlm.Config {
	return smlm.Config{
		Vocab:        10000,
		SMLMShape:    recipe.SMLMShape{Layers: 2, Heads: 8, Dim: 512, FF: 2048},
		ControlCodes: recipe.ControlCodes{SourceToken: true},
		Dropout:      dropout, DecoderLayers: 2,
	}
}

// miniLM returns the shape of an SMLM that starts from the six layers of MiniLM.
func miniLM() smlm.Config {
	c := shape(0.1)
	c.SMLMShape = recipe.SMLMShape{Layers: 6, Heads: 12, Dim: 384, FF: 1536}
	c.Pretrained = &recipe.PretrainedShape{Embedding: 384, Positions: 512, Activation: recipe.GELU, Eps: 1e-12}
	return c
}

// BenchmarkStep runs one training step on 128 sentences of 12 words, with models of two sizes: the
// paper's SMLM and MiniLM. The vocabulary has 10,000 words.
func BenchmarkStep(b *testing.B) {
	for _, bench := range []struct {
		name string
		loss recipe.Loss
		in   recipe.Precision
		of   smlm.Config
	}{
		{"all/fp32", recipe.All, recipe.FP32, shape(0.3)},
		{"masked/fp32", recipe.Masked, recipe.FP32, shape(0.3)},
		{"all/bf16", recipe.All, recipe.BF16, shape(0.3)},
		{"masked/bf16", recipe.Masked, recipe.BF16, shape(0.3)},
		{"pretrained/masked/fp32", recipe.Masked, recipe.FP32, miniLM()},
		{"pretrained/masked/bf16", recipe.Masked, recipe.BF16, miniLM()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			err := torch.Run(func() error {
				torch.Seed(1)
				m := smlm.New(bench.of)
				defer m.Params.Free()
				d := synthetic(128*b.N, 12, 10000)
				b.ResetTimer()
				_, err := m.Train(context.Background(), d, synthetic(2, 12, 10000), smlm.Objective{Loss: bench.loss},
					smlm.VariedMasks{},
					nn.Recipe{Seed: 1, Training: recipe.Training{
						Epochs: 1, LR: 1e-3, Beta1: .5, BatchTokens: 128 * 12, Precision: bench.in,
					}})
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkMixedStep runs one training step at the paper's size in bfloat16, with the batch size
// used on a GPU: 12,800 words per batch. Sentences have 8 to 60 words, and matrix products have
// another shape for each sentence length.
func BenchmarkMixedStep(b *testing.B) {
	const words = 12800
	err := torch.Run(func() error {
		torch.Seed(1)
		m := smlm.New(shape(0.3))
		defer m.Params.Free()
		rng := rand.New(rand.NewPCG(3, 4))
		var d corpus.Encoded
		for n := 0; n < b.N*words; {
			length := min(60, 8+int(rng.ExpFloat64()*18))
			one := synthetic(1, length, 10000)
			d.IDs, d.Masks = append(d.IDs, one.IDs[0]), append(d.Masks, one.Masks[0])
			d.Styles = append(d.Styles, len(d.IDs)%2)
			n += length
		}
		b.ResetTimer()
		h, err := m.Train(context.Background(), d, synthetic(2, 12, 10000), smlm.Objective{}, smlm.VariedMasks{},
			nn.Recipe{Seed: 1, Training: recipe.Training{
				Epochs: 1, LR: 1e-3, Beta1: .5, BatchTokens: words, Precision: recipe.BF16,
			}})
		if err != nil {
			return err
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(h.Steps)*1e3, "ms/step")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkGenerate runs SMLM-G at the paper's size on 64 sentences of 12 words. The vocabulary has
// 10,000 words, and the untrained model gives <eos> no higher probability than other words.
func BenchmarkGenerate(b *testing.B) {
	for name, dec := range map[string]smlm.Decoding{
		"predicted": {MaxExtra: 5}, "copied": {Decoding: recipe.Copied},
	} {
		b.Run(name, func(b *testing.B) {
			err := torch.Run(func() error {
				torch.Seed(1)
				g := smlm.NewGenerator(shape(0))
				defer g.Params.Free()
				d := synthetic(64, 12, 10000)
				for b.Loop() {
					if _, err := g.Transfer(context.Background(), d, dec); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkTransfer runs SMLM at the paper's size on 200 sentences of 12 words, with a vocabulary
// of 10,000 words. SMLM chooses the words at all positions or, with copying, only at masked
// positions.
func BenchmarkTransfer(b *testing.B) {
	for name, dec := range map[string]smlm.Decoding{
		"all": {}, "copy": {Decoding: recipe.Copied}, "bf16": {BF16: true},
	} {
		b.Run(name, func(b *testing.B) {
			err := torch.Run(func() error {
				torch.Seed(1)
				m := smlm.New(shape(0))
				defer m.Params.Free()
				d := synthetic(200, 12, 10000)
				for b.Loop() {
					if _, err := m.Transfer(context.Background(), d, dec); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
