package embedding

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
)

var _ metrics.EmbeddingJudge = (*Judge)(nil)

func judge(t rapid.TB, text string) *Judge {
	t.Helper()
	v, err := readText(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return NewJudge(v, "small")
}

// TestSimilarities compares the similarities with values computed by hand. Unknown words get the
// mean of the vectors, which is (1, 0).
func TestSimilarities(t *testing.T) {
	j := judge(t, "east 1 0\nnorth 0 1\nsouth 0 -1\nwest -1 0\nnowhere 0 0\nfar 6 0\n")
	for _, c := range []struct {
		name, output, reference  string
		average, extrema, greedy float64
	}{
		{"empty", "", "", 0, 0, 0},
		{"empty output", "", "east", 0, 0, 0},
		{"empty reference", "east", "", 0, 0, 0},
		{"equal", "east far", "east far", 1, 1, 1},
		{"length is not direction", "far", "east", 1, 1, 1},
		{"at right angles", "east", "north", 0, 0, 0},
		{"opposite", "east", "west", -1, -1, -1},
		{"unknown words are alike", "ba", "ke", 1, 1, 1},
		{"unknown is the mean", "ba", "east", 1, 1, 1},
		{"nowhere is like nothing", "nowhere", "nowhere", 0, 0, 0},
		// If two values have equal magnitude, the extremum is the negative one.
		{"sum 0", "north south", "north", 0, -1, .5},
		{"least value 0", "far north", "far", 6 / math.Sqrt(37), 0, .75}, // the output's extrema are (0, 0)
	} {
		average, extrema, greedy := j.Similarities(
			[][]string{strings.Fields(c.output)}, [][]string{strings.Fields(c.reference)},
		)
		for k, pair := range [][2]float64{{average[0], c.average}, {extrema[0], c.extrema}, {greedy[0], c.greedy}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%s: number %d is %v, want %v", c.name, k, pair[0], pair[1])
			}
		}
	}
}

// TestCheckCoverage checks that there is a warning if a few words have no vector, and an error if
// most have none.
func TestCheckCoverage(t *testing.T) {
	v, err := readText("warm 1 0\nsoup 0 1\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                             "",
		"warm soup":                    "",
		"warm soup warm soup warm tea": `"v.txt" has vectors for 5 of the 6 words of the sentences; the others count as equal`,
		"soup Tea":                     `"v.txt" has vectors for 1 of the 2 words of the sentences; the others count as equal`,
		"soup tea Tea":                 `"v.txt" has vectors for 1 of the 3 words of the sentences, too few to compare them`,
	} {
		warning, err := v.CheckCoverage("v.txt", [][]string{strings.Fields(text)}, nil)
		if got := warning + fmt.Sprint(err); !strings.HasPrefix(got, want) || want == "" && got != "<nil>" {
			t.Errorf("%q: %q, %v, want %q", text, warning, err, want)
		}
	}
}

// TestCheckCoverageOfEmptyVectors checks that vectors which do not tell words apart are refused.
func TestCheckCoverageOfEmptyVectors(t *testing.T) {
	for _, text := range []string{"warm 1 1\nsoup 1 1\n", "warm 0 0\nsoup 0 0\n"} {
		v, err := readText(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.CheckCoverage("v.txt", [][]string{{"warm", "soup"}})
		testkit.WantError(t, err, userr.BadInput, "has vectors for 0 of the 2 words")
	}
}

func TestUnequalNumbers(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("took sources of another number")
		}
	}()
	judge(t, "east 1 0\nwest -1 0\n").Similarities([][]string{{"east"}, {"west"}}, [][]string{{"west"}})
}

func TestSignature(t *testing.T) {
	j := judge(t, "east 1 0\nnorth 0 1\n")
	got := j.Signature("vector_extrema")
	want := "vector_extrema|nlg-eval-2.4|level:sentence-mean|cosine-of-extrema|vectors:small,dim:2,words:2,sha256:" + j.vectors.hash +
		"|unknown:mean-vector|best:score|tok:whitespace|case:as-is|dirs:mean|refs:source|version:1"
	if got != want {
		t.Errorf("signature\n%s, want\n%s", got, want)
	}
	got = j.Signature("greedy_matching")
	if !strings.Contains(got, "|mean-of-greatest-cosines,both-ways|") {
		t.Errorf("signature of greedy matching %s", got)
	}
}

func TestSimilarityProperties(t *testing.T) {
	j := judge(t, "ba 1 2 -1\nke -1 0 3\nlo 0 0 0\nmi -2 -4 2\ntu .5 .5 .5\n")
	draw := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("ba ke lo mi tu unknown other")), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		there, there2, there3 := j.Similarities([][]string{a}, [][]string{b})
		back, back2, back3 := j.Similarities([][]string{b}, [][]string{a})
		for k, pair := range [][2]float64{{there[0], back[0]}, {there2[0], back2[0]}, {there3[0], back3[0]}} {
			if !(math.Abs(pair[0]) <= 1) || math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Fatalf("number %d is %v one way and %v the other", k, pair[0], pair[1])
			}
		}
		// oneWay has a shortcut for words that also occur in the other sentence. The shortcut must
		// not change the result.
		sum := 0.0
		for _, pair := range [][2][]string{{a, b}, {b, a}} {
			for _, w := range pair[0] {
				greatest := math.Inf(-1)
				for _, other := range pair[1] {
					greatest = max(greatest, slow(j, w, other))
				}
				sum += greatest / float64(len(pair[0])) / 2
			}
		}
		if len(a) > 0 && len(b) > 0 && math.Abs(sum-there3[0]) > 1e-9 {
			t.Fatalf("greedy matching %v, word by word %v", there3[0], sum)
		}
	})
}

// TestSimilaritiesStayWithinTheirRange checks that rounding moves no similarity outside -1 to 1.
// The test uses parallel and opposite vectors whose lengths have inexact quotients.
func TestSimilaritiesStayWithinTheirRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Float32Range(-3, 3), 7, 7).Draw(t, "vector")
		var text strings.Builder
		for i, scale := range []float32{1, .1, 1.0 / 3, -.7, -1} {
			fmt.Fprintf(&text, "w%d", i)
			for _, x := range numbers {
				fmt.Fprintf(&text, " %v", x*scale)
			}
			text.WriteString("\n")
		}
		j := judge(t, text.String())
		for _, output := range []string{"w0", "w1", "w2", "w3", "w4", "w0 w1 w2", "w3 w4"} {
			for _, reference := range []string{"w0", "w1 w2", "w3", "w4 w4 w3", "unknown"} {
				a, e, g := j.Similarities([][]string{strings.Fields(output)}, [][]string{strings.Fields(reference)})
				for k, v := range []float64{a[0], e[0], g[0]} {
					if !(v >= -1 && v <= 1) {
						t.Fatalf("number %d of %q and %q is %v", k, output, reference, v)
					}
				}
			}
		}
	})
}

func slow(j *Judge, a, b string) float64 {
	vector := func(w string) []float64 {
		row := j.vectors.Vector(w)
		if row == nil {
			row = j.vectors.Unknown()
		}
		var x []float64
		for _, v := range row {
			x = append(x, float64(v))
		}
		return x
	}
	return cosine(vector(a), vector(b))
}

// TestConcurrent uses a judge in several goroutines, for go test -race.
func TestConcurrent(t *testing.T) {
	r, j := openRecorded(t)
	outputs, references := sentences(r.Corpora[1])
	want, _, _ := j.Similarities(outputs, references[0])
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got, _, _ := j.Similarities(outputs, references[0]); !slices.Equal(got, want) {
				t.Error("the numbers differ between goroutines")
			}
		})
	}
	wait.Wait()
}
