package stages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"pgregory.net/rapid"
)

// aWord draws a word of an output.
var aWord = rapid.SampledFrom([]string{"good", "<unk>", "\"", "&", "'s", "é"})

// anOutput draws a result of guided decoding: each source word is kept, replaced by one or more
// words, or deleted. The result "words" has the words of the output. The ids in the result "out"
// have no meaning.
func anOutput(rt *rapid.T) (out guided.Output, words []string) {
	out.Style = rapid.Float64Range(0, 1).Draw(rt, "style")
	for k := range rapid.IntRange(1, 6).Draw(rt, "places") {
		w := guided.Word{Place: k, Origin: rapid.SampledFrom([]guided.Origin{
			guided.Kept, guided.Filled, guided.Rephrased, guided.Deleted,
		}).Draw(rt, "origin")}
		n := 1
		switch w.Origin {
		case guided.Filled:
			w.LogQ = -rapid.Float64Range(0, 20).Draw(rt, "-log q")
		case guided.Rephrased:
			n = rapid.IntRange(1, 4).Draw(rt, "words")
		case guided.Deleted:
			w.ID = corpus.EosID
		}
		out.Words = append(out.Words, slices.Repeat([]guided.Word{w}, n)...)
	}
	for range out.Remaining() {
		words = append(words, aWord.Draw(rt, "word"))
	}
	return out, words
}

// TestOriginsComeBack: origins are read back exactly as they were written, direction by direction.
// They have the words of the outputs, at the same places.
func TestOriginsComeBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		directions := rapid.IntRange(1, 6).Draw(rt, "directions")
		want, outputs := make([][]*Origins, directions), make([][][]string, directions)
		for direction := range want {
			for range rapid.IntRange(1, 4).Draw(rt, "outputs") {
				out, words := anOutput(rt)
				o := origins(out, words)
				want[direction] = append(want[direction], o)
				outputs[direction] = append(outputs[direction], words)
				for k, w := range out.Words {
					got := o.Words[k]
					if got.Place != w.Place || got.Origin != w.Origin || (got.P > 0) != (w.Origin == guided.Filled) {
						rt.Fatalf("word %d, %+v, is %+v", k, w, got)
					}
				}
			}
		}
		if err := WriteOrigins(dir, slices.Concat(want...)); err != nil {
			rt.Fatal(err)
		}
		got, err := ReadOrigins(dir, outputs)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Error(d)
		}
	})
}

func TestOriginsOfOtherOutputs(t *testing.T) {
	dir := t.TempDir()
	outputs := [][][]string{{{"a", "good", "place"}}, {{"a", "poor", "place"}}}
	if all, err := ReadOrigins(dir, outputs); err != nil || all != nil {
		t.Errorf("of a plain transfer: %v, %v", all, err)
	}
	for _, text := range []string{"{}\n", "{}\nwords\n"} {
		if err := os.WriteFile(filepath.Join(dir, originsFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadOrigins(dir, outputs); err == nil || !strings.Contains(err.Error(), "run the transfer again") {
			t.Errorf("%q is read: %v", text, err)
		}
	}
}

// spelled returns the words of the output.
func (o *Origins) spelled() (words []string) {
	for _, w := range o.Words {
		if w.Origin != guided.Deleted {
			words = append(words, w.Word)
		}
	}
	return words
}
