package metrics

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
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

func distinctOf(outputs [][]string, n int) float64 {
	var c ngramCounter
	return c.distinct(c.All(outputs), n)
}

// TestDiversityAgainstNLTK compares distinct-n with NLTK's values, which
// testdata/parity/diversity.py recorded.
func TestDiversityAgainstNLTK(t *testing.T) {
	var corpora []struct {
		Name      string
		Distinct1 float64 `json:"distinct_1"`
		Distinct2 float64 `json:"distinct_2"`
		Sentences []string
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
		for _, s := range c.Sentences {
			outputs = append(outputs, strings.Fields(s))
		}
		near(c.Name+", distinct-1", distinctOf(outputs, 1), c.Distinct1)
		near(c.Name+", distinct-2", distinctOf(outputs, 2), c.Distinct2)
		sentences += len(outputs)
	}
	if sentences < 300 {
		t.Errorf("%d sentences are recorded", sentences)
	}
	t.Logf("largest deviation of distinct-n from NLTK: %.1e", worst)
}

func TestDiversityByHand(t *testing.T) {
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
