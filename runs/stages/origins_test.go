package stages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"pgregory.net/rapid"
)

// aWord is one that an output may have.
var aWord = rapid.SampledFrom([]string{"good", "<unk>", "\"", "&", "'s", "é"})

// anOutput draws what guided refill with slots may make of a sentence: of each word itself, one or
// more others, or nothing. The ids mean nothing; words are those of the output.
func anOutput(rt *rapid.T) (out guided.Output, words []string) {
	logQ := rapid.Custom(func(rt *rapid.T) float64 { return -rapid.Float64Range(0, 20).Draw(rt, "-log q") })
	out.Sure = rapid.Float64Range(0, 1).Draw(rt, "sure")
	for k := range rapid.IntRange(1, 6).Draw(rt, "places") {
		w := guided.Word{Place: k, Origin: rapid.SampledFrom([]guided.Origin{
			guided.Kept, guided.Restored, guided.Refilled, guided.Added, guided.Deleted,
		}).Draw(rt, "origin")}
		further := 0
		switch w.Origin {
		case guided.Restored:
			w.Sure = rapid.Float64Range(0, 1).Draw(rt, "guide")
		case guided.Refilled, guided.Added:
			further = rapid.IntRange(0, 3).Draw(rt, "further")
			w.Asked = logQ.Draw(rt, "asked")
		case guided.Deleted:
			w.ID, w.Asked = guided.Empty, logQ.Draw(rt, "asked")
			w.Negated = rapid.Bool().Draw(rt, "negated")
		}
		out.Words = append(out.Words, w)
		for range further {
			out.Words = append(out.Words, guided.Word{Place: k, Origin: guided.Inserted, Asked: logQ.Draw(rt, "asked")})
		}
	}
	for range out.Standing() {
		words = append(words, aWord.Draw(rt, "word"))
	}
	return out, words
}

// What is written comes back, style by style, to the last bit; the words spell the outputs, and
// stand where they stood.
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
				for k, place := range o.Places() {
					if w := out.Words[k]; place != w.Place || o.Words[k].Origin != w.Origin {
						rt.Fatalf("word %d, %+v, comes from place %d as %+v", k, w, place, o.Words[k])
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
	line := func(words string) string {
		o := Origins{}
		for _, w := range strings.Fields(words) {
			o.Words = append(o.Words, Word{Word: w, Origin: guided.Kept})
		}
		text, err := o.Line()
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	good, poor := line("a good place"), line("a poor place")
	for _, c := range []struct{ name, text, want string }{
		{"another word", good + line("a bad place"), `line 2: its words differ from those of the output, "a poor place"`},
		{"a word less", line("a good") + poor, `line 1: its words differ from those of the output, "a good place"`},
		{"cut off", good, "line 2: EOF; run the transfer again"},
		{"longer", good + poor + poor, "has more lines than there are outputs, 2"},
		{"no JSON", good + "words\n", "line 2: invalid character"},
	} {
		if err := os.WriteFile(filepath.Join(dir, originsFile), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadOrigins(dir, outputs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
