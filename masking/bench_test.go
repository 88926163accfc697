package masking

import (
	"context"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// The benchmarks use yelpSize sentences of wordsEach words. Yelp's training set has about this
// size.
const yelpSize, wordsEach = 266_000, 9

func manyRows() iter.Seq[ScoreRow] {
	rng := rand.New(rand.NewPCG(1, 1))
	return func(yield func(ScoreRow) bool) {
		for i := range yelpSize {
			scores := make([]float32, wordsEach)
			for k := range scores {
				scores[k] = rng.Float32()
			}
			if !yield(
				ScoreRow{
					Split:  "train",
					Style:  i % 2,
					Line:   i / 2,
					Scores: scores,
				},
			) {
				return
			}
		}
	}
}

func BenchmarkWriteScores(b *testing.B) {
	path := filepath.Join(b.TempDir(), "scores.jsonl")
	for b.Loop() {
		if err := WriteScores(path, manyRows()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadScores(b *testing.B) {
	path := filepath.Join(b.TempDir(), "scores.jsonl")
	if err := WriteScores(path, manyRows()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := ReadScores(path)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, c := range f.parts {
			n += len(c)
		}
		if n != yelpSize {
			b.Fatalf("%d sentences", n)
		}
	}
}

// BenchmarkScores computes scores for 500 sentences of ten words, which is a tenth of the sentences
// in Yelp's dev and test splits.
func BenchmarkScores(b *testing.B) {
	var d corpus.Encoded
	for i := range 500 {
		ids := make([]int64, 10)
		for t := range ids {
			ids[t] = int64(corpus.NumSpecial + (i*31+t*7)%9000)
		}
		d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, i%2)
	}
	for _, method := range policy.Methods {
		if method.Scored() != method {
			continue
		}
		b.Run(string(method), func(b *testing.B) {
			err := torch.Run(func() error {
				m := divlstm.New(
					divlstm.Config{
						Vocab: 10000,
						DivLSTMShape: recipe.DivLSTMShape{
							Embedding: 128, Hidden: 128, Attention: 128, Bidirectional: true,
						},
					},
				)
				defer m.Params.Free()
				for b.Loop() {
					if _, err := Score(context.Background(), method, m, d, nil); err != nil {
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
