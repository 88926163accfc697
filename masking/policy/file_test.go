package policy

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	text := [2][]corpus.Sentence{{{"a", "b", "c"}, {"d"}}, {{"e", "f"}}}
	masks := [2][][]bool{{{true, false, true}, {false}}, {{false, true}}}
	for style := range 2 {
		if err := Write(dir, corpus.Dev, style, masks[style]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadFor(dir, corpus.Dev, text)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(append(masks[0], masks[1]...)) {
		t.Fatalf("read %v (%v), want %v", got, err, masks)
	}
	for text0, problem := range map[string]string{
		"101\n":       "1 lines for 2 sentences",
		"101\n00\n":   "line 2 does not fit",
		"101\n0\n1\n": "line 3 does not fit",
		"1x1\n0\n":    `line 1 holds 'x'`,
		"101\n2\n":    `line 2 holds '2'`,
		"":            "0 lines for 2 sentences",
	} {
		if err := os.WriteFile(maskFile(dir, corpus.Dev, 0), []byte(text0), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFor(dir, corpus.Dev, text); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: error %v, want one with %q", text0, err, problem)
		}
	}
	if _, err := Read(dir, corpus.Test, 0); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzDecode: what is taken is what would be written, but for the end of the last line.
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

// TestScored: a method that scores nothing takes explainable attention's scores, every other its
// own.
func TestScored(t *testing.T) {
	for _, m := range Methods {
		if got := m.Scored(); (got != m) != (m == Random || m == NoMasking) || got.Scored() != got {
			t.Errorf("%s takes the scores of %s", m, got)
		}
	}
}
