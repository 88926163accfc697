package policy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"pgregory.net/rapid"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	text := [][]corpus.Sentence{{{"a", "b", "c"}, {"d"}}, {{"e", "f"}}}
	masks := [][][]bool{{{true, false, true}, {false}}, {{false, true}}}
	for style := range 2 {
		if err := WriteMasks(dir, corpus.Dev, style, masks[style]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadSplitMasks(dir, corpus.Dev, text)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(append(masks[0], masks[1]...)) {
		t.Fatalf("read %v (%v), want %v", got, err, masks)
	}
	for text0, problem := range map[string]string{
		"101\n":       "1 lines for 2 sentences",
		"101\n00\n":   "line 2 does not fit",
		"101\n0\n1\n": "line 3 does not fit",
		"1x1\n0\n":    `line 1 contains 'x'`,
		"101\n2\n":    `line 2 contains '2'`,
		"":            "0 lines for 2 sentences",
	} {
		if err := os.WriteFile(maskFile(dir, corpus.Dev, 0), []byte(text0), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSplitMasks(dir, corpus.Dev, text); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: error %v, want one with %q", text0, err, problem)
		}
	}
	if _, err := readMasks(dir, corpus.Test, 0); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzDecode checks that encoding the masks of a decoded text gives this text again. Only a missing
// newline at the end is added.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "\n", "101\n0\n", "1", "1\r\n", "0 1\n", "\x00", "2\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		masks, err := decode(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("not one sentence: %q", err)
			}
			return
		}
		if n := len(text); n > 0 && text[n-1] != '\n' {
			text = append(slices.Clone(text), '\n')
		}
		if got := encode(masks); !bytes.Equal(got, text) {
			t.Errorf("%q is read as the masks of %q", text, got)
		}
	})
}

// TestScored checks which scores a method uses: its own, or those of explainable attention if it
// does not score words.
func TestScored(t *testing.T) {
	for _, m := range Methods {
		if got := m.Scored(); (got != m) != (m == Random || m == NoMasking) || got.Scored() != got {
			t.Errorf("%s takes the scores of %s", m, got)
		}
	}
}

func TestShuffledKeepsTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mask := rapid.SliceOf(rapid.Bool()).Draw(t, "mask")
		seed := rapid.Uint64().Draw(t, "seed")
		given := slices.Clone(mask)
		scores := make([]float32, len(mask))
		got := Shuffled(mask, scores, rand.New(rand.NewPCG(seed, 0)))
		if len(got) != len(mask) || count(got) != count(mask) {
			t.Fatalf("%v became %v", mask, got)
		}
		if !slices.Equal(mask, given) {
			t.Fatal("the mask given was changed")
		}
		if !slices.Equal(got, Shuffled(mask, scores, rand.New(rand.NewPCG(seed, 0)))) {
			t.Fatal("another result for the same seed")
		}
		if len(mask) == 0 {
			return
		}
		never := rapid.IntRange(0, len(mask)-1).Draw(t, "never")
		mask[never], scores[never] = false, Never
		got = Shuffled(mask, scores, rand.New(rand.NewPCG(seed, 0)))
		if got[never] || count(got) != count(mask) {
			t.Fatalf("%v without word %d became %v", mask, never, got)
		}
	})
	// Every position is equally likely: in 8000 draws, each of 4 words is masked 2000 times on
	// average, with a standard deviation of 39.
	rng := rand.New(rand.NewPCG(1, 1))
	var at [4]int
	for range 8000 {
		at[slices.Index(Shuffled([]bool{true, false, false, false}, make([]float32, 4), rng), true)]++
	}
	for i, n := range at {
		if n < 1800 || n > 2200 {
			t.Errorf("place %d is drawn %d times of 8000", i, n)
		}
	}
}

func TestCount(t *testing.T) {
	got := Count([][]bool{{true, true}, {false}, {true, false, false}, {}})
	if want := (Counts{Sentences: 4, Words: 6, Masked: 3, All: 1, None: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got.Share() != .5 || (Counts{}).Share() != 0 {
		t.Errorf("shares %v and %v", got.Share(), (Counts{}).Share())
	}
}
