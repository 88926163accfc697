package metrics

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	weights "github.com/smlm-exp/smlm-exp/metrics/naturalness"
)

// BenchmarkScore computes the metrics, including naturalness, of the outputs that one published
// system wrote for 1,000 Yelp sentences.
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

// BenchmarkSentences writes and reads a file with the numbers of all metrics for 500 outputs in
// each of two directions.
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

// BenchmarkCompare runs the significance test, with 1,000 resamples, on all metrics of 500
// outputs in each of two directions.
func BenchmarkCompare(b *testing.B) {
	x, y := testRun(1, .2, .8), testRun(2, .2, .8)
	for b.Loop() {
		if _, err := compareOne(x, y, 1000); err != nil {
			b.Fatal(err)
		}
	}
}

// system returns an invented system with the given number of sentences, half of them in each of two
// directions. Words follow Zipf's law, and lengths are as in Yelp. The system changes a quarter of
// the words. There are four reference sets, predictions and a naturalness judge.
func system(b *testing.B, sentences int) ([]Input, Instruments) {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.3, 8, 9000)
	word := func() string { return fmt.Sprintf("w%d", zipf.Uint64()) }
	dirs := make([]Input, 2)
	for k := range dirs {
		in := &dirs[k]
		in.From, in.To, in.Target = fmt.Sprint(k), fmt.Sprint(1-k), 1-k
		change := func(words []string) []string {
			out := append([]string(nil), words...)
			for i := range out {
				if rng.IntN(4) == 0 {
					out[i] = word()
				}
			}
			return out
		}
		in.References = make([][][]string, 4)
		for range sentences / 2 {
			words := make([]string, 4+rng.IntN(12))
			for i := range words {
				words[i] = word()
			}
			in.Source, in.Output = append(in.Source, words), append(in.Output, change(words))
			for r := range in.References {
				in.References[r] = append(in.References[r], change(words))
			}
			in.Predicted = append(in.Predicted, rng.IntN(2))
		}
	}
	return dirs, Instruments{Naturalness: madeUpJudge(b, rng)}
}

// madeUpJudge returns a naturalness judge of the same kind as the published judges. It gives random
// weights to the words that can occur in invented sentences.
func madeUpJudge(b *testing.B, rng *rand.Rand) Naturalness {
	var text strings.Builder
	text.WriteString("__intercept__\t0\n")
	for i := range 9000 {
		fmt.Fprintf(&text, "w%d\t%v\n", i, rng.NormFloat64())
	}
	path := filepath.Join(b.TempDir(), "made-up.tsv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	judge, err := weights.Load(path)
	if err != nil {
		b.Fatal(err)
	}
	return judge
}

// BenchmarkSystem scores 1,000 and 4,000 sentences against four references and computes their
// intervals.
func BenchmarkSystem(b *testing.B) {
	for _, n := range []int{1000, 4000} {
		dirs, with := system(b, n)
		r, err := Score(dirs, with)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("Score/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Score(dirs, with); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("Intervals/%d", n), func(b *testing.B) {
			for b.Loop() {
				Intervals(r.Sentences, 1000)
			}
		})
	}
}
