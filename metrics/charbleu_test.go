package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

func TestMeanByHand(t *testing.T) {
	for _, c := range []struct {
		name           string
		masked, source string
		want           float64
	}{
		// The masked line contains all characters, pairs, triples and the one 4-gram of the source,
		// so p1 to p4 are 1. With r = 5 and c = 4, BP = exp(1 - 5/4).
		{"masked line longer", "abcdx", "abcd", 77.8800783},
		// BP is 1, because c = 5 > r = 4. p1 to p4 are 4/5, 3/4, 2/3 and 1/2, and their product is
		// 1/5. The fourth root is 0.668740.
		{"source longer", "abcd", "abcdx", 66.8740305},
		// The space counts. The masked line "ab" has two of the three characters of "a b", but none
		// of its pairs and not its triple. The product is 2/3 * (1e-9/2) * (1e-9/1) * (1e-9/1).
		{"a space", "ab", "a b", 100 * math.Pow(2.0/3*1e-9/2*1e-9*1e-9, 0.25)},
		// Three characters have no 4-gram, so p4 is 1e-9 over a denominator of 1.
		{"three characters", "abc", "abc", 100 * math.Pow(1e-9, 0.25)},
		{"nothing in common", "xyz", "abcd", 0},
		{"empty source", "a", "", 0},
		{"both empty", "", "", 0},
		{"empty masked line", "", "abcd", 0},
		// Characters are code points, not bytes. There are four, so the one 4-gram is found.
		{"code points", "é汤🍲x", "é汤🍲x", 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CharBLEU(testkit.Split(c.masked), testkit.Split(c.source)); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("Mean = %.7f, want %.7f", got, c.want)
			}
		})
	}
	// The result is the mean over sentences, here of 100 and 0, not BLEU over the corpus.
	if got := CharBLEU(testkit.Split("abcd", "xyz"), testkit.Split("abcd", "abcd")); got != 50 {
		t.Errorf("the mean of 100 and 0 is %v", got)
	}
	if got := CharBLEU(nil, nil); got != 0 {
		t.Errorf("Mean of nothing is %v", got)
	}
}

// TestMeanAgainstNLTK compares CharBLEU with NLTK's values, which testdata/parity/charbleu.py
// recorded.
func TestMeanAgainstNLTK(t *testing.T) {
	text, err := os.ReadFile("../testdata/parity/charbleu.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][3]any
	if err := json.Unmarshal(text, &pairs); err != nil {
		t.Fatal(err)
	}
	if len(pairs) < 200 {
		t.Fatalf("%d pairs are recorded", len(pairs))
	}
	worst, sum := 0.0, 0.0
	var masked, source []string
	for _, p := range pairs {
		m, s, want := p[0].(string), p[1].(string), 100*p[2].(float64)
		masked, source, sum = append(masked, m), append(source, s), sum+want
		got := CharBLEU(testkit.Split(m), testkit.Split(s))
		worst = max(worst, math.Abs(got-want))
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("Mean(%q, %q) = %.12f, NLTK %.12f", m, s, got, want)
		}
	}
	got, want := CharBLEU(testkit.Split(masked...), testkit.Split(source...)), sum/float64(len(pairs))
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("the mean is %.12f, that of NLTK's values %.12f", got, want)
	}
	t.Logf("largest deviation from NLTK over %d pairs: %.1e percent points", len(pairs), worst)
}

func TestMeanUnequalSets(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Mean took one masked line for two sources")
		}
	}()
	CharBLEU(testkit.Split("a"), testkit.Split("a", "b"))
}

func TestMeanProperties(t *testing.T) {
	word := rapid.StringMatching(`[ab<>é🍲]{1,5}`)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		lines := rapid.SliceOfN(rapid.SliceOfN(word, 0, 9), n, n)
		masked, source := lines.Draw(t, "masked"), lines.Draw(t, "source")
		if got := CharBLEU(masked, source); got < 0 || got > 100 {
			t.Fatalf("Mean %v is outside 0-100", got)
		}
		for i := range source {
			source[i] = append(source[i], "four")
		}
		if got := CharBLEU(source, source); math.Abs(got-100) > 1e-9 {
			t.Fatalf("Mean of a text against itself is %v", got)
		}
		// Masking lowers the score, because "#" is in no word.
		hidden := make([][]string, n)
		for i, s := range source {
			for j, w := range s {
				if (i+j)%2 == 0 {
					w = strings.Repeat("#", len([]rune(w)))
				}
				hidden[i] = append(hidden[i], w)
			}
		}
		if got := CharBLEU(hidden, source); got > 100-1e-3 {
			t.Fatalf("Mean of a masked text is %v", got)
		}
	})
}

// FuzzMean checks that any two texts, even in invalid UTF-8, score from 0 to 100. A text of at
// least four characters must score 100 against itself.
func FuzzMean(f *testing.F) {
	f.Add("the <mask> was cold", "the soup was cold")
	f.Add("", "a")
	f.Add("\xff\xfe", "\xff\xfe\xfd\xfc")
	f.Fuzz(func(t *testing.T, masked, source string) {
		if got := CharBLEU(testkit.Split(masked), testkit.Split(source)); math.IsNaN(got) || got < 0 || got > 100 {
			t.Errorf("Mean(%q, %q) = %v", masked, source, got)
		}
		if whole := strings.Join(strings.Fields(source), " "); len([]rune(whole)) >= maxOrder {
			if got := CharBLEU(testkit.Split(source), testkit.Split(source)); math.Abs(got-100) > 1e-9 {
				t.Errorf("Mean of %q against itself is %v", source, got)
			}
		}
	})
}

// TestMeanOfMany checks that processing the sentences in blocks does not change the result.
func TestMeanOfMany(t *testing.T) {
	var masked, source [][]string
	sum := 0.0
	for i := range 2345 {
		line := []string{fmt.Sprint("number", i*7919), "of", fmt.Sprint(i % 13)}
		source, masked = append(source, line), append(masked, []string{line[0], "<mask>", line[2]})
		sum += CharBLEU(masked[i:], source[i:])
	}
	if got, want := CharBLEU(masked, source), sum/float64(len(source)); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, the mean of the sentences is %v", got, want)
	}
}
