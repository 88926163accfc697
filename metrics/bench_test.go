package metrics

import (
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testdata"
)

// BenchmarkScore scores one published system of 1,000 Yelp sentences, naturalness included.
func BenchmarkScore(b *testing.B) {
	dirs := published(b, "yelp", "cycleMulti")
	nat, err := LoadNaturalness(testdata.Shared(b, "naturalness", "unigram_CAAE.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Score(dirs, natural(nat)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTrainNaturalness trains on 8,000 Yelp sentences and on all of them.
func BenchmarkTrainNaturalness(b *testing.B) {
	lines := testdata.Words(b, testdata.Shared(b, "yelp", "train.0.txt"))
	lines = append(lines, testdata.Words(b, testdata.Shared(b, "yelp", "train.1.txt"))...)
	var some [][]string
	for i := 0; len(some) < 8000; i += 33 {
		some = append(some, lines[i])
	}
	for name, sentences := range map[string][][]string{"8000": some, "all": lines} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				own, err := TrainNaturalness(sentences, 1)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(own.Accuracy, "heldout-accuracy")
			}
		})
	}
}

// BenchmarkSelfBLEU compares 1,000 outputs with each other.
func BenchmarkSelfBLEU(b *testing.B) {
	outputs := madeUp(1, 1000, 12)
	for b.Loop() {
		SelfBLEU(outputs)
	}
}

// BenchmarkCompare makes both tests with 1,000 resamples of 500 + 500 outputs that have every metric.
func BenchmarkCompare(b *testing.B) {
	x, y := testRun(1, .2, .8), testRun(2, .2, .8)
	for b.Loop() {
		if _, err := Compare(x, y, 1000, 1); err != nil {
			b.Fatal(err)
		}
	}
}
