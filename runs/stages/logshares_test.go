package stages

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// TestShares: those of a training text, by hand, come back from the file to the bit; a file of
// another vocabulary is refused.
func TestShares(t *testing.T) {
	in := map[string]string{"prepare": t.TempDir(), "mask": t.TempDir(), "vocab": t.TempDir(), SharesInput: ""}
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(in[dir], name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("prepare", "counts.json", `{"name": "made", "labels": ["sad", "glad"]}`)
	texts := [][]corpus.Sentence{{{"a", "b", "a"}, {"b", "a"}}, {{"c", "b"}}}
	masks := [][][]bool{{{true, true, false}, {true, true}}, {{true, false}}}
	for style, text := range texts {
		if err := corpus.WriteLines(filepath.Join(in["prepare"], corpus.FileName(corpus.Train, style)), text); err != nil {
			t.Fatal(err)
		}
		if err := policy.WriteMasks(in["mask"], corpus.Train, style, masks[style]); err != nil {
			t.Fatal(err)
		}
	}
	v := corpus.BuildVocab(texts, 0)
	if err := v.Save(filepath.Join(in["vocab"], "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	got, err := Shares(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		style int
		word  string
		want  float64 // masked so often of all masked words of the style, half a time where never
	}{{0, "a", 2. / 4}, {0, "b", 2. / 4}, {0, "c", .5 / 4}, {1, "c", 1. / 1}, {1, "b", .5 / 1}} {
		if x := got[c.style][v.ID(c.word)]; math.Abs(x-math.Log(c.want)) > 1e-12 {
			t.Errorf("style %d, %s: %v, want log %v", c.style, c.word, x, c.want)
		}
	}
	in[SharesInput] = t.TempDir()
	write(SharesInput, SharesFile, string(SharesText(got)))
	delete(in, "prepare")
	again, err := Shares(in)
	if err != nil || !slices.Equal(again[0], got[0]) || !slices.Equal(again[1], got[1]) {
		t.Errorf("read back they are %v (%v), want %v", again, err, got)
	}
	write(SharesInput, SharesFile, strings.Repeat("x", 17))
	if _, err := Shares(in); err == nil || !strings.Contains(err.Error(), "has 17 bytes") {
		t.Errorf("a file of 17 bytes: %v", err)
	}
}
