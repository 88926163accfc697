package stages

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/runs"
)

// scores is the attention of three sentences of 4, 2 and 1 words.
var scores = [][]float32{{0.1, 0.6, 0.25, 0.05}, {0.5, 0.5}, {1}}

func TestMasker(t *testing.T) {
	surplus := newMasker(runs.MaskStage{Policy: "surplus", LambdaEps: 0}, 0).masks(scores)
	want := "[[false true true false] [true true] [true]]" // A_i >= 1/n: 1/4, 1/2, 1
	if got := fmt.Sprint(surplus); got != want {
		t.Errorf("surplus at 0: %s, want %s", got, want)
	}
	random := newMasker(runs.MaskStage{Policy: "surplus", Random: true, Seed: 3}, 0).masks(scores)
	for i := range random {
		if a, b := masking.Count(random[i:i+1]), masking.Count(surplus[i:i+1]); a != b {
			t.Errorf("sentence %d: the random mask covers %+v, the surplus mask %+v", i, a, b)
		}
	}
	if again := newMasker(runs.MaskStage{Policy: "surplus", Random: true, Seed: 3}, 0).masks(scores); fmt.Sprint(again) != fmt.Sprint(random) {
		t.Error("the same seed drew other masks")
	}
	parts := newMasker(runs.MaskStage{Policy: "surplus", Random: true, Seed: 3}, 0)
	if again := append(parts.masks(scores[:1]), parts.masks(scores[1:])...); fmt.Sprint(again) != fmt.Sprint(random) {
		t.Error("sentences given in two parts have other masks")
	}
}

func TestMaskFiles(t *testing.T) {
	dir := t.TempDir()
	d := &corpus.Dataset{}
	d.Text[corpus.Dev] = [2][]corpus.Sentence{{{"a", "b", "c"}, {"d"}}, {{"e", "f"}}}
	masks := [2][][]bool{{{true, false, true}, {false}}, {{false, true}}}
	for style := range 2 {
		if err := writeMasks(dir, corpus.Dev, style, masks[style]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readMasks(dir, d, corpus.Dev)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(append(masks[0], masks[1]...)) {
		t.Fatalf("read %v (%v), want %v", got, err, masks)
	}
	for text, problem := range map[string]string{
		"101\n":       "1 lines for 2 sentences",
		"101\n00\n":   "line 2 does not fit",
		"101\n0\n1\n": "line 3 does not fit",
	} {
		if err := os.WriteFile(maskFile(dir, corpus.Dev, 0), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readMasks(dir, d, corpus.Dev); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: error %v, want one with %q", text, err, problem)
		}
	}
}
