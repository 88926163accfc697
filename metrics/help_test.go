package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
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

// records returns the numbers of all metrics for each output of a direction.
func (in *Input) records(with Instruments) []Sentence {
	return in.measured(&with).sentences(allMetrics())
}

func sizedRun(size int, seed uint64, replaced, right float64) [][]Sentence {
	records := make([][]Sentence, 2)
	rng := rand.New(rand.NewPCG(seed, 2))
	for d := range records {
		in := Input{
			From: "xy"[d : d+1], To: "yx"[d : d+1], Target: 3 * (1 - d), // the first or the last of four styles
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
				c.BERTScores = append(c.BERTScores, share/float64(1+k))
				c.Cosines = append(c.Cosines, share*share-float64(k)/4)
			}
		}
		records[d] = in.records(
			Instruments{Naturalness: wordy{}, METEOR: overlap{}, Embedding: similarities{}},
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

// overlap stands in for METEOR. The score of an output is the share of its words that equal the
// word at the same position of the source.
type overlap struct{}

func (overlap) Sentences(outputs, sources [][]string) []float64 {
	shares := make([]float64, len(outputs))
	for i, output := range outputs {
		same := 0
		for j := range min(len(output), len(sources[i])) {
			if output[j] == sources[i][j] {
				same++
			}
		}
		shares[i] = float64(same) / float64(max(1, len(output)))
	}
	return shares
}

func (overlap) Signature() string { return "meteor|test|refs:source" }

// similarities is an EmbeddingJudge. Its three values differ, so that tests fail if two of them are
// exchanged.
type similarities struct{}

func (similarities) Similarities(outputs, sources [][]string) (average, extrema, greedy []float64) {
	average = overlap{}.Sentences(outputs, sources)
	for _, v := range average {
		extrema, greedy = append(extrema, v*v), append(greedy, math.Sqrt(v))
	}
	return average, extrema, greedy
}

func (similarities) Signature(metric string) string { return metric + "|test|refs:source" }

// TestMetricsHaveCards checks that docs/metrics.md has the key of each metric.
func TestMetricsHaveCards(t *testing.T) {
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range allMetrics() {
		if !strings.Contains(string(text), "`"+m.Key+"`") {
			t.Errorf("docs/metrics.md does not define %s", m.Key)
		}
	}
}

// TestMetricCards computes the examples in docs/metrics.md again, such as "`s_bleu`: A 39.3", if
// they need no trained model. The letters name the page's pairs of source and output. The test also
// checks that the page has every key of the JSON.
func TestMetricCards(t *testing.T) {
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	words := func(pattern string) [][]string {
		var sentences [][]string
		for _, m := range regexp.MustCompile("(?m)^    "+pattern+"$").FindAllStringSubmatch(string(text), -1) {
			sentences = append(sentences, strings.Fields(m[1]))
		}
		return sentences
	}
	sources, outputs := words(`[A-D]  (.*?) +-> .*`), words(`[A-D]  .* -> (.*)`)
	reference, masks := words("Reference of A: (.*)"), words("Masks of A: (.*)")
	if len(sources) != 4 || len(outputs) != 4 || len(reference) != 1 || len(masks) != 1 {
		t.Fatal("docs/metrics.md does not show the four pairs, a reference and masks")
	}
	known := map[string]map[string]any{} // scores by letter and key
	for i, name := range []string{"A", "B", "C", "D", "together"} {
		in := Input{Source: sources, Output: outputs}
		if i < len(sources) {
			in = Input{Source: sources[i : i+1], Output: outputs[i : i+1]}
		}
		if name == "A" {
			in.References = [][][]string{reference}
		}
		s, err := Score([]Input{in}, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		var scores map[string]any
		if text, err := json.Marshal(s.Directions[0]); err != nil || json.Unmarshal(text, &scores) != nil {
			t.Fatalf("the scores of %s are no JSON object (%v)", name, err)
		}
		known[name] = scores
		for key := range scores {
			if !strings.Contains(string(text), "`"+key+"`") && !slices.Contains([]string{"from", "to", "n"}, key) {
				t.Errorf("docs/metrics.md does not define %s", key)
			}
		}
	}
	known["A"]["char_s_bleu"] = CharBLEU(masks, sources[:1])

	compared := 0
	examples := regexp.MustCompile("`([a-z0-9_]+)`:((?:,?\\s+(?:[A-D]|together)\\s+[0-9.]*[0-9](?: \\([^)]*\\))?)+)")
	for _, m := range examples.FindAllStringSubmatch(string(text), -1) {
		for _, v := range regexp.MustCompile(`([A-D]|together)\s+([0-9.]*[0-9])`).FindAllStringSubmatch(m[2], -1) {
			got, computed := known[v[1]][m[1]].(float64)
			if !computed {
				continue
			}
			compared++
			want, _ := strconv.ParseFloat(v[2], 64)
			_, digits, _ := strings.Cut(v[2], ".")
			if math.Abs(got-want) > 0.5000001*math.Pow(10, -float64(len(digits))) {
				t.Errorf("docs/metrics.md has %s %s for %s, but it is %v", m[1], v[2], v[1], got)
			}
		}
	}
	if compared < 20 {
		t.Errorf("docs/metrics.md has only %d examples that need no trained model", compared)
	}
}
