package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
)

// madeUp returns invented sentences that each have the given number of words. A few words are much
// more frequent than the others.
func madeUp(seed uint64, sentences, words int) [][]string {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := make([][]string, sentences)
	for i := range all {
		for range words {
			all[i] = append(all[i], madeUpWord(rng))
		}
	}
	return all
}

func madeUpWord(rng *rand.Rand) string {
	return fmt.Sprintf("w%d", int(200*rng.Float64()*rng.Float64()))
}

// testRun scores an invented system on an invented test set of 500 sentences in each of two
// directions. replaced is the share of words that the system replaces. right is the share of
// outputs that are classified as the target style. Seeds change only the noise. The records have
// every metric.
func testRun(seed uint64, replaced, right float64) [][]Sentence {
	return sizedRun(500, seed, replaced, right)
}

// records returns the contribution of each output of a direction.
func (in *Input) records(with Instruments) []Sentence {
	return in.measured(&with).sentences(allMetrics(with.judges()...))
}

func sizedRun(size int, seed uint64, replaced, right float64) [][]Sentence {
	records := make([][]Sentence, 2)
	rng := rand.New(rand.NewPCG(seed, 2))
	for d := range records {
		in := Input{
			// the target is the first or the last of four ordered styles
			From: "xy"[d : d+1], To: "yx"[d : d+1], Target: 3 * (1 - d), Ordered: true,
			Fluency: &Fluency{Signature: "perplexity|test|version:1"},
		}
		in.Source = madeUp(uint64(d), size, 12)
		for i, source := range in.Source {
			// every fourth output is one word shorter than its source
			output := append([]string{}, source[:len(source)-(i%4)/3]...)
			for j := range output {
				if rng.Float64() < replaced {
					output[j] = madeUpWord(rng)
				}
			}
			in.Output = append(in.Output, output)
			style := 3 * d
			if rng.Float64() < right {
				style = in.Target
			}
			in.Predicted = append(in.Predicted, style)
			in.Fluency.LogProb = append(in.Fluency.LogProb, -4*13+rng.NormFloat64())
			in.Fluency.Tokens = append(in.Fluency.Tokens, 13)
		}
		in.References, in.AllReferences = [][][]string{in.Source}, [][][]string{in.Source, in.Source}
		in.Judges = map[string]Judged{"unseen": {Styles: in.Predicted}}
		in.Encoded = &Encoded{Encoder: "test", References: &Closeness{Sentences: "2"}}
		in.Encoded.Source.Sentences = "source"
		for _, share := range (overlap{}).Sentences(in.Output, in.Source) {
			for k, c := range []*Closeness{&in.Encoded.Source, in.Encoded.References} {
				c.BERTScores = append(c.BERTScores, bertscore.Score{
					Precision: share + float64(k), Recall: share - float64(k), F1: share / float64(1+k),
				})
				c.Cosines = append(c.Cosines, share*share-float64(k)/4)
			}
		}
		in.StyleWords = map[string]bool{"w0": true}
		records[d] = in.records(
			Instruments{Naturalness: []Naturalness{wordy{}}, METEOR: overlap{}, Embedding: similarities{}},
		)
	}
	return records
}

// wordy is a naturalness judge that scores a sentence by the last letters of its words.
type wordy struct{}

func (wordy) Score(words []string) float64 {
	sum := 0.0
	for _, w := range words {
		sum += float64(w[len(w)-1]%10) / 9
	}
	return sum / float64(len(words))
}
func (wordy) Signature() string { return "naturalness|wordy|version:1" }
func (wordy) Name() string      { return "wordy" }

// overlap stands in for METEOR. It scores an output by the share of its words that equal the word
// of the first reference at the same position.
type overlap struct{}

func (overlap) Sentences(outputs [][]string, references ...[][]string) []float64 {
	shares := make([]float64, len(outputs))
	for i, output := range outputs {
		same := 0
		for j := range min(len(output), len(references[0][i])) {
			if output[j] == references[0][i][j] {
				same++
			}
		}
		shares[i] = float64(same) / float64(max(1, len(output)))
	}
	return shares
}

func (overlap) Signature(references string) string { return "meteor|test|refs:" + references }

// similarities is an EmbeddingJudge. Its three values differ, so that tests fail if two of them are
// exchanged.
type similarities struct{}

func (similarities) Similarities(outputs [][]string, references ...[][]string) (average, extrema, greedy []float64) {
	average = overlap{}.Sentences(outputs, references...)
	for _, v := range average {
		extrema, greedy = append(extrema, v*v), append(greedy, math.Sqrt(v))
	}
	return average, extrema, greedy
}

func (similarities) Signature(metric, references string) string {
	return metric + "|test|refs:" + references
}

// TestMetricsHaveRows checks that each metric has its row in docs/metrics.md.
func TestMetricsHaveRows(t *testing.T) {
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range allMetrics() {
		key := m.Key
		// One row of the page, "`s_bleu`, `s_bleu_1` to `_3`", defines four metrics.
		row := strings.TrimRight(strings.TrimRight(key, "0123456789"), "_")
		if !strings.Contains(string(text), "`"+key+"`") && !strings.Contains(string(text), "`"+row+"`") {
			t.Errorf("docs/metrics.md does not define %s", key)
		}
	}
}
