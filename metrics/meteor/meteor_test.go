package meteor

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/metrics"
)

var _ metrics.SentenceJudge = (*METEOR)(nil)

func openInvented(t testing.TB) *METEOR {
	t.Helper()
	m, err := New(invented)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestStages compares METEOR with values computed by hand from the formula in score: F (1 - 0.5
// (chunks/matched)^3).
func TestStages(t *testing.T) {
	m := openInvented(t)
	for _, c := range []struct {
		name, output, reference string
		want                    float64
	}{
		{"nothing", "", "", 0},
		{"empty output", "", "ba", 0},
		{"empty reference", "ba", "", 0},
		{"equal", "ba ke lo mi", "ba ke lo mi", 1 - .5/64},
		{"case", "Ba KE", "ba ke", 1 - .5/8},
		{"stem", "walks home", "walking home", 1 - .5/8},
		{"synonym", "brel ke", "quon ke", 1 - .5/8},
		{"no synonym across synsets", "yorlch", "quon", 0},
		{"synonym by an exception", "trov ke", "ulm ke", 1 - .5/8},
		{"collocations are no words", "brel", "triv_ulmo", 0},
		{"names keep capitals", "smeth", "vask", 0},
		{"two chunks", "ba ke", "ke ba", .5},
		{"half recall", "ba", "ba ke", .5 / (.9 + .1*.5) * .5},
		{"one for one", "ba ba ba", "ba", (1. / 3) / (.9/3 + .1) * .5},
	} {
		got := m.Sentences([][]string{strings.Fields(c.output)}, [][]string{strings.Fields(c.reference)})[0]
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: METEOR of %q against %q is %v, want %v", c.name, c.output, c.reference, got, c.want)
		}
	}
}

func TestUnequalNumbers(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("took sources of another number")
		}
	}()
	openInvented(t).Sentences([][]string{{"ba", "ke"}, {"lo"}}, [][]string{{"ba", "ke"}})
}

func TestSignature(t *testing.T) {
	got := openInvented(t).Signature()
	const want = "meteor|nltk-3.10|level:sentence-mean|alpha:0.9|beta:3|gamma:0.5|match:exact,stem:porter-nltk,synonym:wordnet-0.1-b353f2aa39af|best:score|tok:whitespace|case:lower|dirs:mean|refs:source|version:1"
	if got != want {
		t.Errorf("signature\n%s, want\n%s", got, want)
	}
}

func TestScoreProperties(t *testing.T) {
	m := openInvented(t)
	word := rapid.SampledFrom(strings.Fields("ba ke lo brel quon quons wend wends trov ulm Ba happily happiness汤 é ."))
	draw := rapid.SliceOfN(word, 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		got := m.Sentences([][]string{a, a}, [][]string{b, a})
		if !(got[0] >= 0 && got[0] < 1) {
			t.Fatalf("METEOR %v", got[0])
		}
		if n := float64(len(a)); n > 0 && !(got[1] >= .5 && got[1] <= 1-.5/(n*n*n)+1e-12) {
			t.Fatalf("METEOR of a sentence against itself is %v", got[1])
		}
		if matched, chunks := m.align(m.lookUp(a), m.lookUp(b)); matched > min(len(a), len(b)) || chunks > matched ||
			(chunks == 0) != (matched == 0) {
			t.Fatalf("%d words match in %d chunks", matched, chunks)
		}
	})
}

// TestConcurrent scores in several goroutines, which share the cache of words, for go test -race.
func TestConcurrent(t *testing.T) {
	r := readRecorded(t).WordNets[0]
	outputs, references, _ := sentences(byReferences(r.Pairs)[1])
	want := openInvented(t).Sentences(outputs, references[0])
	m := openInvented(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got := m.Sentences(outputs, references[0]); !slices.Equal(got, want) {
				t.Error("the numbers differ between goroutines")
			}
		})
	}
	wait.Wait()
}
