package metrics

import (
	"bytes"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	weights "github.com/smlm-exp/smlm-exp/metrics/naturalness"
)

// BenchmarkScore scores one published system of 1,000 Yelp sentences, naturalness included.
func BenchmarkScore(b *testing.B) {
	dirs := published(b, "yelp", "cycleMulti")
	nat, err := weights.Load(testkit.Shared(b, "naturalness", "unigram_CAAE.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Score(dirs, natural(nat)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSelfBLEU compares 1,000 outputs with each other.
func BenchmarkSelfBLEU(b *testing.B) {
	outputs := madeUp(1, 1000, 12)
	for b.Loop() {
		selfBLEUOf(outputs)
	}
}

// BenchmarkSentences writes and reads the file of 500 + 500 outputs that have every metric.
func BenchmarkSentences(b *testing.B) {
	x := testRun(1, .2, .8)
	for b.Loop() {
		var file bytes.Buffer
		if err := WriteSentences(&file, x); err != nil {
			b.Fatal(err)
		}
		if _, err := parseSentences("x", file.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompare makes both tests with 1,000 resamples of 500 + 500 outputs that have every
// metric.
func BenchmarkCompare(b *testing.B) {
	x, y := testRun(1, .2, .8), testRun(2, .2, .8)
	for b.Loop() {
		if _, err := compareOne(x, y, 1000, 1); err != nil {
			b.Fatal(err)
		}
	}
}
