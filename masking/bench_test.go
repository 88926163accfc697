package masking

import (
	"iter"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// yelpSize is the number of sentences of Yelp's training set, wordsEach what one has about.
const yelpSize, wordsEach = 266_000, 9

func manyRows() iter.Seq[Row] {
	rng := rand.New(rand.NewPCG(1, 1))
	return func(yield func(Row) bool) {
		for i := range yelpSize {
			scores := make([]float32, wordsEach)
			for k := range scores {
				scores[k] = rng.Float32()
			}
			if !yield(
				Row{
					Split:  "train",
					Style:  i % 2,
					Line:   i / 2,
					Scores: scores,
					Gap:    new(rng.Float64()),
					Change: new(rng.Float64()),
				},
			) {
				return
			}
		}
	}
}

func BenchmarkWriteScores(b *testing.B) {
	path := filepath.Join(b.TempDir(), "scores.parquet")
	for b.Loop() {
		if err := Write(path, manyRows()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadScores(b *testing.B) {
	path := filepath.Join(b.TempDir(), "scores.parquet")
	if err := Write(path, manyRows()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := Read(path)
		if err != nil {
			b.Fatal(err)
		}
		if f.Len() != yelpSize {
			b.Fatalf("%d sentences", f.Len())
		}
	}
}
