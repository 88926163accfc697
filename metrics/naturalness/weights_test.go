package naturalness

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

const ownHead = "__intercept__\t-1\n__about__\town:human-vs-corrupted|features:words+pairs|tok:whitespace|case:lower|sentences:9|heldout:1|heldout-accuracy:0.5000|seed:3\n"

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnigramByHand(t *testing.T) {
	path := writeFile(t, "w.tsv", "__intercept__\t-1\nwarm\t2\n!\t0.5\nsoup\t-0.25\nso-so\t1\n")
	nat, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	spaces := *nat
	spaces.tok = whiteSpaceTokens
	for _, c := range []struct {
		text          string
		regex, spaces float64 // expected arguments of the sigmoid, by tokenisation
	}{
		{"warm soup !", -1 + 2 - .25 + .5, -1 + 2 - .25 + .5},
		{"WARM warm Warm", -1 + 2, -1 + 2}, // in lower case, the three are one word
		// The regex tokeniser splits "warm!". Unknown tokens do not count.
		{"warm! unheard", -1 + 2 + .5, -1},
		{"so-so", -1 + 1, -1 + 1},
		{"", -1, -1},
		{"__intercept__", -1, -1}, // a word of a text cannot be the intercept
	} {
		words := strings.Fields(c.text)
		if got, want := nat.Score(words), 1/(1+math.Exp(-c.regex)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: regex tokens give %v, want %v", c.text, got, want)
		}
		if got, want := spaces.Score(words), 1/(1+math.Exp(-c.spaces)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: white-space tokens give %v, want %v", c.text, got, want)
		}
	}
	// The hash is the first 12 digits of `sha256sum w.tsv`.
	const hash = "76ed405c3115"
	if got, want := nat.Signature(), "naturalness|unigram:w.tsv|sha256:"+hash+
		"|tok:regex|case:lower|agg:mean-of-outputs|version:1"; got != want {
		t.Errorf("signature %q, want %q", got, want)
	}
	if got := spaces.Signature(); !strings.Contains(got, "|tok:whitespace|") {
		t.Errorf("signature %q does not name the tokenisation", got)
	}
}

func TestOwnFileByHand(t *testing.T) {
	nat, err := Load(writeFile(t, "own.tsv", ownHead+
		"__unknown_word__\t-0.5\n__unknown_pair__\t-0.125\nwarm\t2\nsoup\t-0.25\nwarm soup\t1\n warm\t0.75\nsoup "+
		"\t4\n \t9\n"))
	if err != nil {
		t.Fatal(err)
	}
	for text, z := range map[string]float64{
		"warm soup": -1 + 2 - .25 + 1 + .75 + 4,
		"Soup Warm": -1 + 2 - .25 - 3*.125,      // no pair is known, not even those with an edge
		"hot soup":  -1 - .5 - .25 - 2*.125 + 4, // "hot" and its two pairs are unknown
		"hot hot":   -1 - .5 - 3*.125,           // the unknown pairs are "edge hot", "hot hot" and "hot edge"
		// The pairs "edge a", "a b", "b a" and "b edge" count once each.
		"a b a b":             -1 - 2*.5 - 4*.125,
		"":                    -1 + 9,                            // the only pair consists of both edges
		"warm soup warm soup": -1 + 2 - .25 + .75 + 1 - .125 + 4, // the pair "warm soup" counts once
	} {
		if got, want := nat.Score(strings.Fields(text)), 1/(1+math.Exp(-z)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if nat.Training != (Training{Sentences: 9, HeldOut: 1, Accuracy: .5, Seed: 3}) {
		t.Errorf("loaded %+v", nat)
	}
}

func TestWeightsErrors(t *testing.T) {
	const ok = "__intercept__\t1\n"
	const own = ownHead + "__unknown_word__\t0\n__unknown_pair__\t0\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "is empty"},
		{"only an intercept", ok, "has no token"},
		{"no intercept", "warm\t1\n", ":1: \"__intercept__\" must be"},
		{"second intercept", ok + ok, ":2: \"__intercept__\" must be"},
		{"no TAB", ok + "warm 1\n", ":2: the line must be a token"},
		{"two TABs", ok + "warm\t1\t2\n", ":2: the line must be a token"},
		{"empty line", ok + "\nwarm\t1\n", ":2: the line must be a token"},
		{"not a number", ok + "warm\tone\n", ":2: the weight of \"warm\" must be"},
		{"CRLF", ok + "warm\t1\r\n", "but is \"1\\r\""},
		{"infinite", ok + "warm\tInf\n", "finite"},
		{"not a number at all", ok + "warm\tNaN\n", "finite"},
		{"out of range", ok + "warm\t1e999\n", "finite"},
		{"twice", ok + "warm\t1\nwarm\t2\n", ":3: the token \"warm\" has a weight already"},
		{"no token", ok + "\t1\n", ":2: a token must not be empty"},
		{"pair in a published file", ok + "warm soup\t1\n", ":2: a token must not be empty or contain white space"},
		{"not UTF-8", ok + "w\xff\t1\n", ":2: the line is not UTF-8"},
		{"unknown word row in a published file", ok + "__unknown_word__\t1\n", ":2: the rows"},
		{"about on line 3", ok + "warm\t1\n__about__\tx\n", ":3: \"__about__\" must be on the second line"},
		{"about by another", ok + "__about__\tsomething else\n", ":2: \"__about__\" is followed by something"},
		{"unknown rows missing", ownHead + "warm\t1\n", ":3: the rows"},
		{"unknown rows in the wrong order", ownHead + "__unknown_pair__\t1\n", ":3: the rows"},
		{"unknown rows twice", own + "__unknown_word__\t1\n", ":5: the rows"},
		{
			"pair of unlisted words", own + "warm\t1\nwarm soup\t1\n",
			":6: the word \"soup\" of the pair \"warm soup\" has no line",
		},
		{
			"pair twice", own + "warm\t1\nwarm warm\t1\nwarm warm\t1\n",
			":7: the pair \"warm warm\" has a weight already",
		},
		{"three words", own + "warm\t1\nwarm warm warm\t1\n", ":6: the word \"warm warm\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(writeFile(t, "w.tsv", c.text))
			testkit.WantError(t, err, userr.BadInput, c.want)
		})
	}
	_, err := Load(filepath.Join(t.TempDir(), "absent.tsv"))
	testkit.WantError(t, err, userr.BadInput, "does not exist")
	_, err = Load(t.TempDir())
	testkit.WantError(t, err, userr.BadInput, "cannot be read")
}

// TestWeightsMark checks that a byte order mark is not part of the first token.
func TestWeightsMark(t *testing.T) {
	file, err := parseWeights("w", []byte("\ufeff__intercept__\t-1\nwarm\t2\n"))
	if err != nil || len(file.words) != 1 {
		t.Errorf("%+v, %v", file, err)
	}
}

// FuzzWeights checks that any file is either refused as bad input or read as a model. Writing and
// reading the model again must not change it.
func FuzzWeights(f *testing.F) {
	f.Add([]byte("__intercept__\t-1\nwarm\t2\n"))
	f.Add([]byte(ownHead + "__unknown_word__\t0\n__unknown_pair__\t1\nwarm\t2\nwarm warm\t3\n warm\t4\n \t5\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseWeights("w", data)
		if err != nil {
			testkit.WantError(t, err, userr.BadInput, "naturalness weights")
			return
		}
		var first, second bytes.Buffer
		if err := file.write(&first); err != nil {
			t.Fatal(err)
		}
		again, err := parseWeights("w", first.Bytes())
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, first.Bytes())
		}
		if err := again.write(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("written again it differs:\n%s\n%s", first.Bytes(), second.Bytes())
		}
		words := append([]string{"warm", "warm", "x"}, file.words...)
		if a, b := file.score(words), again.score(words); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			t.Errorf("scores differ: %v and %v", a, b)
		}
	})
}
