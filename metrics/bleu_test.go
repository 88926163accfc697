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
		// p1..p4 = 4/5, 3/4, 2/3, 1/2; their product 1/5; (1/5)^(1/4) = 0.668740; equal lengths.
		{"last word wrong", testkit.Split("a b c d e"), [][][]string{testkit.Split("a b c d f")}, 66.8740305},
		// Every p is 1; c = 4, r = 5: exp(1 - 5/4) = 0.778801.
		{"one word short", testkit.Split("a b c d"), [][][]string{testkit.Split("a b c d e")}, 77.8800783},
		// p = 5/6, 4/5, 3/4, 2/3; product 1/3; (1/3)^(1/4) = 0.759836; a long output has no brevity
		// penalty.
		{"one word long", testkit.Split("a b c d e f"), [][][]string{testkit.Split("a b c d e")}, 75.9835686},
		// Sums over the corpus: p = (4+1)/6, (3+0)/4, 2/2, 1/1; product 5/8; (5/8)^(1/4) =
		// 0.889140.
		{"two sentences", testkit.Split("a b c d", "x y"), [][][]string{testkit.Split("a b c d", "x z")}, 88.9139705},
		// Clipping: "a" is 4 times in the output and twice in the reference: p1 = 5/7 ("a" 2, b
		// c d). Pairs of "a a a a b c d": aa 3 (clipped to 1), ab, bc, cd: 4/6. Threes: aaa 0 of 2,
		// aab, abc, bcd: 3/5. Fours: aaaa 0, aaab 0, aabc, abcd: 2/4. Product 1/7; (1/7)^(1/4) =
		// 0.614788.
		{"clipped", testkit.Split("a a a a b c d"), [][][]string{testkit.Split("a a b c d")}, 61.4788153},
		// An n-gram counts at most as often as in the reference that has it most often: p1 = 5/5
		// ("a" twice in the second), p2 = 4/4 (aa from the second), p3 = abc, bcd = 2/3, p4 = abcd
		// = 1/2; product 1/3; closest length 5: no brevity penalty.
		{"two references", testkit.Split("a a b c d"), [][][]string{testkit.Split("a b c d e"), testkit.Split("a a x y z w")}, 75.9835686},
		// Lengths 3 and 5 are equally close to 4: the shorter counts, so BP = 1 (with 5, BLEU would
		// be 77.88), in either order of the references.
		{"tie, shorter first", testkit.Split("a b c d"), [][][]string{testkit.Split("a b c"), testkit.Split("a b c d e")}, 100},
		{"tie, longer first", testkit.Split("a b c d"), [][][]string{testkit.Split("a b c d e"), testkit.Split("a b c")}, 100},
		// No smoothing: three words have no 4-gram at all, and a corpus without a matching one has
		// p4 = 0.
		{"three words", testkit.Split("a b c"), [][][]string{testkit.Split("a b c")}, 0},
		{"no 4-gram matches", testkit.Split("a b c x d"), [][][]string{testkit.Split("a b c d x")}, 0},
		// Letter case matters: with "Good" p = 3/4, 2/3, 1/2, 0/1.
		{"raw case", testkit.Split("good b c d"), [][][]string{testkit.Split("Good b c d")}, 0},
		{"empty output", testkit.Split(""), [][][]string{testkit.Split("a b")}, 0},
		// One output is empty and the other perfect: every p is 1, c = 4, r = 4 + 1: exp(-1/4).
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

// TestAllReferences checks that "r-BLEU all" is BLEU with all sets as references, that with one set
// it equals r-BLEU, and that it is absent without sets. TestBLEUAgainstSacrebleu compares such BLEU
// with sacrebleu.
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
	if got := both.Signatures["r_bleu_all"]; got != BLEUSignature(4, "2") {
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

// TestBLEUAgainstSacrebleu compares with sacrebleu's values for the sentences of content.json,
// recorded by testdata/parity/corpusbleu.py.
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
