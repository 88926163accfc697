package metrics

import (
	"math"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

func TestBLEU4ByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		output [][]string
		refs   [][][]string
		want   float64
	}{
		// p1 to p4 are 4/5, 3/4, 2/3 and 1/2, and their product is 1/5. (1/5)^(1/4) = 0.668740. BP
		// is 1, because both lengths are equal.
		{"last word wrong", testkit.Split("a b c d e"), [][][]string{testkit.Split("a b c d f")}, 66.8740305},
		// p1 to p4 are 1. The output has 4 words and the reference 5, so BP = exp(1 - 5/4) =
		// 0.778801.
		{"one word short", testkit.Split("a b c d"), [][][]string{testkit.Split("a b c d e")}, 77.8800783},
		// p1 to p4 are 5/6, 4/5, 3/4 and 2/3, and their product is 1/3. (1/3)^(1/4) = 0.759836. BP
		// is 1, because the output is longer than the reference.
		{"one word long", testkit.Split("a b c d e f"), [][][]string{testkit.Split("a b c d e")}, 75.9835686},
		// Matches are summed over both sentences: p1 to p4 are (4+1)/6, (3+0)/4, 2/2 and 1/1, and
		// their product is 5/8. (5/8)^(1/4) = 0.889140.
		{"two sentences", testkit.Split("a b c d", "x y"), [][][]string{testkit.Split("a b c d", "x z")}, 88.9139705},
		// Matches are clipped. Only 2 of the 4 "a" match, because the reference has 2, so p1 = 5/7.
		// Only 1 of the 3 pairs "aa" matches, besides ab, bc and cd, so p2 = 4/6. Of the triples,
		// aaa does not match, but aab, abc and bcd do, so p3 = 3/5. Of the 4-grams, aabc and abcd
		// match, so p4 = 2/4. The product is 1/7, and (1/7)^(1/4) = 0.614788.
		{"clipped", testkit.Split("a a a a b c d"), [][][]string{testkit.Split("a a b c d")}, 61.4788153},
		// The second reference adds a second "a" and the pair aa to the first, so all words and
		// pairs of the output match: p1 = 5/5 and p2 = 4/4. The triples abc and bcd match: p3 =
		// 2/3. The 4-gram abcd matches: p4 = 1/2. The product is 1/3. BP is 1, because the
		// reference closest in length also has 5 words.
		{"two references", testkit.Split("a a b c d"), [][][]string{testkit.Split("a b c d e"), testkit.Split("a a x y z w")}, 75.9835686},
		// The references have 3 and 5 words, which is equally close to 4. The shorter reference
		// counts, in either order, so BP is 1. With the longer one, BLEU would be 77.88.
		{"tie, shorter first", testkit.Split("a b c d"), [][][]string{testkit.Split("a b c"), testkit.Split("a b c d e")}, 100},
		{"tie, longer first", testkit.Split("a b c d"), [][][]string{testkit.Split("a b c d e"), testkit.Split("a b c")}, 100},
		// Without smoothing, BLEU-4 is 0 if the output is too short for a 4-gram or if no 4-gram
		// matches.
		{"three words", testkit.Split("a b c"), [][][]string{testkit.Split("a b c")}, 0},
		{"no 4-gram matches", testkit.Split("a b c x d"), [][][]string{testkit.Split("a b c d x")}, 0},
		// Letter case matters: "good" does not match "Good", so p1 to p4 are 3/4, 2/3, 1/2 and 0/1.
		{"raw case", testkit.Split("good b c d"), [][][]string{testkit.Split("Good b c d")}, 0},
		{"empty output", testkit.Split(""), [][][]string{testkit.Split("a b")}, 0},
		// One output is empty and the other equals its reference. p1 to p4 are 1, c is 4 and r is
		// 5, so BP = exp(-1/4).
		{"one output empty", testkit.Split("a b c d", ""), [][][]string{testkit.Split("a b c d", "x")}, 77.8800783},
		{"no reference", testkit.Split("a b c d"), nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := BLEU4(c.output, c.refs...); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("BLEU4 = %.7f, want %.7f", got, c.want)
			}
		})
	}
}

func TestBLEU4UnequalSets(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("BLEU4 took a reference set of another length")
		}
	}()
	BLEU4(testkit.Split("a", "b"), testkit.Split("a"))
}

// sentences draws n sentences over a few words, so that n-grams repeat.
func sentences(n int) *rapid.Generator[[][]string] {
	word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	return rapid.SliceOfN(rapid.SliceOfN(word, 0, 9), n, n)
}

func TestBLEU4Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		out, ref, ref2 := sentences(n).Draw(t, "out"), sentences(n).Draw(t, "ref"), sentences(n).Draw(t, "ref2")
		bleu := BLEU4(out, ref, ref2)
		if bleu < 0 || bleu > 100 {
			t.Fatalf("BLEU %v is outside 0-100", bleu)
		}
		order := rapid.Permutation(rangeOf(n)).Draw(t, "order")
		permute := func(s [][]string) [][]string {
			var p [][]string
			for _, i := range order {
				p = append(p, s[i])
			}
			return p
		}
		if again := BLEU4(permute(out), permute(ref), permute(ref2)); again != bleu {
			t.Fatalf("permuting the sentences changes BLEU from %v to %v", bleu, again)
		}
		if other := BLEU4(out, ref2, ref); other != bleu {
			t.Fatalf("exchanging the reference sets changes BLEU from %v to %v", bleu, other)
		}
		long := append(out, []string{"a", "b", "a", "c"})
		if same := BLEU4(long, long); math.Abs(same-100) > 1e-9 {
			t.Fatalf("BLEU of a text against itself is %v", same)
		}
	})
}

func rangeOf(n int) []int {
	var s []int
	for i := range n {
		s = append(s, i)
	}
	return s
}

// TestAllReferences checks that "r-BLEU all" is BLEU against all reference sets and equals r-BLEU
// if there is only one set. Without reference sets, the metric is absent.
func TestAllReferences(t *testing.T) {
	source := [][]string{{"a", "b", "c", "d", "e"}, {"f", "g", "h", "i"}}
	output := [][]string{{"a", "b", "c", "d", "x"}, {"f", "g", "h", "y"}}
	sets := [][][]string{{{"a", "b", "c", "d", "x"}, {"z", "g", "h", "i"}}, {{"q", "b", "c", "d", "e"}, {"f", "g", "h", "y"}}}
	in := func(first [][][]string, all [][][]string, target int) Input {
		return Input{
			From: "x", To: "y", Source: source, Output: output, References: first, AllReferences: all, Target: target,
		}
	}
	score := func(all ...[][]string) *Scores {
		s, err := Score([]Input{in(sets[:1], all, 1), in(sets[:1], all, 0)}, Instruments{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	both := score(sets...)
	if got, want := both.Metrics["r_bleu_all"], BLEU4(output, sets...); got != want || got != 100 {
		t.Errorf("over both sets %v, want %v, which is all", got, want)
	}
	if got := both.Signatures["r_bleu_all"]; got != BLEUSignature("2")+textForm {
		t.Errorf("signature %q", got)
	}
	if one := score(sets[0]); one.Metrics["r_bleu_all"] != one.Metrics["r_bleu"] || one.Metrics["r_bleu"] >= 100 {
		t.Errorf("over one set %v, r-BLEU %v", one.Metrics["r_bleu_all"], one.Metrics["r_bleu"])
	}
	if _, known := score().Metrics["r_bleu_all"]; known {
		t.Error("without further sets there is an r-BLEU over all")
	}
	short := in(sets[:1], [][][]string{sets[0][:1]}, 1)
	if _, err := Score([]Input{short, in(sets[:1], nil, 0)}, Instruments{}); err == nil {
		t.Error("a set of another length is taken")
	}
}

// TestBLEUAgainstSacrebleu compares the BLEU of the sentences in content.json with sacrebleu's
// values, which testdata/parity/corpusbleu.py recorded.
func TestBLEUAgainstSacrebleu(t *testing.T) {
	var recorded []struct {
		Name       string
		First, All [maxOrder]float64
	}
	readParity(t, "corpusbleu.json", &recorded)
	corpora := recordedCorpora(t)
	if len(recorded) != len(corpora) {
		t.Fatalf("%d corpora are recorded, content.json has %d", len(recorded), len(corpora))
	}
	worst := 0.0
	for i, c := range corpora {
		outputs, references := c.texts()
		for what, pair := range map[string][2][maxOrder]float64{
			"first reference": {bleu(outputs, references[0]), recorded[i].First},
			"all references":  {bleu(outputs, references...), recorded[i].All},
		} {
			for n := range maxOrder {
				deviation := math.Abs(pair[0][n] - pair[1][n])
				worst = max(worst, deviation)
				if !(deviation <= 1e-6) {
					t.Errorf("%s, %s: BLEU-%d %.9f, sacrebleu has %.9f", c.Name, what, n+1, pair[0][n], pair[1][n])
				}
			}
		}
	}
	t.Logf("largest deviation of BLEU-1 to BLEU-4 from sacrebleu, in percent: %.1e", worst)
}
