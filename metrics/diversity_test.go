package metrics

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

// readParity decodes a file of testdata/parity.
func readParity(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("../testdata/parity/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func selfBLEUOf(outputs [][]string) float64 {
	var c ngramCounter
	return 100 * average(c.selfBLEU(c.All(outputs)))
}

func distinctOf(outputs [][]string, n int) float64 {
	var c ngramCounter
	return c.distinct(c.All(outputs), n)
}

// TestDiversityAgainstNLTK compares self-BLEU and distinct-n with NLTK's values, which
// testdata/parity/diversity.py recorded to 9 decimals.
func TestDiversityAgainstNLTK(t *testing.T) {
	var corpora []struct {
		Name      string
		Distinct1 float64 `json:"distinct_1"`
		Distinct2 float64 `json:"distinct_2"`
		Sentences [][]any // each entry: the sentence and its self-BLEU
	}
	readParity(t, "diversity.json", &corpora)
	worst, sentences := 0.0, 0
	near := func(what string, got, want float64) {
		t.Helper()
		worst = max(worst, math.Abs(got-want))
		if !(math.Abs(got-want) <= 1e-8) {
			t.Errorf("%s: %.10f, NLTK has %.10f", what, got, want)
		}
	}
	for _, c := range corpora {
		var outputs [][]string
		sum := 0.0
		for _, s := range c.Sentences {
			outputs = append(outputs, strings.Fields(s[0].(string)))
			sum += s[1].(float64)
		}
		var counts ngramCounter
		for i, got := range counts.selfBLEU(counts.All(outputs)) {
			near(c.Name+", self-BLEU of "+c.Sentences[i][0].(string), got, c.Sentences[i][1].(float64))
		}
		near(c.Name+", self-BLEU", selfBLEUOf(outputs)/100, sum/float64(len(outputs)))
		near(c.Name+", distinct-1", distinctOf(outputs, 1), c.Distinct1)
		near(c.Name+", distinct-2", distinctOf(outputs, 2), c.Distinct2)
		sentences += len(outputs)
	}
	if sentences < 300 {
		t.Errorf("%d sentences are recorded", sentences)
	}
	t.Logf("largest deviation of self-BLEU and distinct-n from NLTK: %.1e", worst)
}

func TestDiversityByHand(t *testing.T) {
	// Two equal outputs are each other's reference, and a single output has no reference.
	if got := selfBLEUOf(testkit.Split("a b c d", "a b c d")); math.Abs(got-100) > 1e-9 {
		t.Errorf("self-BLEU of two equal outputs: %v", got)
	}
	if got := selfBLEUOf(testkit.Split("a b c d")); got != 0 {
		t.Errorf("self-BLEU of one output: %v", got)
	}
	// "a b b c" and "a" have 3 different words among 5. The pairs are "a b", "b b" and "b c",
	// because no pair crosses sentences and a single word has no pair.
	outputs := testkit.Split("a b b c", "a", "")
	if one, two := distinctOf(outputs, 1), distinctOf(outputs, 2); one != 3./5 || two != 1 {
		t.Errorf("distinct-1 %v, distinct-2 %v", one, two)
	}
	if got := distinctOf(testkit.Split("a", "a"), 2); got != 0 {
		t.Errorf("distinct-2 without a pair: %v", got)
	}
}

// TestSelfBLEUIsBLEUAgainstAllOthers compares self-BLEU with its definition: smoothed BLEU with all
// other outputs as reference sets.
func TestSelfBLEUIsBLEUAgainstAllOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		outputs := rapid.SliceOfN(rapid.SliceOfN(word, 0, 9), 2, 8).Draw(t, "outputs")
		var counts ngramCounter
		for i, got := range counts.selfBLEU(counts.All(outputs)) {
			var references [][][]string
			for k, other := range outputs {
				if k != i {
					references = append(references, [][]string{other})
				}
			}
			var c ngramCounter
			bleu := c.Match(c.All(outputs[i:i+1]), c.Sets(references))
			want := bleu[0].Smoothed(selfBLEUEpsilon)
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("sentence %d: %v, against all others %v", i, got, want)
			}
		}
	})
}
