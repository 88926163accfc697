package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestStarter checks that the file that init writes has at most 25 lines, that every key has a
// comment, and that no line is longer than 140 characters.
func TestStarter(t *testing.T) {
	all := starter{
		Name: "mine", File: "mine.toml", Dir: "../mine", Labels: corpus.Styles{"calm", "loud", "gruff"},
		Naturalness: "n.tsv", References: "../mine/references", Pretrained: "../minilm",
	}
	for _, s := range []starter{all, {Name: "mine", Labels: corpus.Styles{"calm", "loud"}}} {
		var b strings.Builder
		if err := s.write(&b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 25 {
			t.Errorf("%d lines", n)
		}
		for line := range strings.Lines(b.String()) {
			if _, comment, _ := strings.Cut(line, " # "); strings.Contains(line, " = ") && line[0] != '#' && comment == "" {
				t.Errorf("no comment: %q", line)
			}
			if n := len([]rune(line)); n > 140 || strings.Contains(line, "\t") {
				t.Errorf("%d characters: %q", n, line)
			}
		}
	}
}

// TestInitPretrained checks that `init --pretrained` writes an experiment file that can be planned
// and says what the training needs, and that it refuses a folder without an encoder.
func TestInitPretrained(t *testing.T) {
	encoder, err := filepath.Abs("../pretrained/testdata/bert")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, split := range []corpus.Split{corpus.Train, corpus.Dev, corpus.Test} {
		for style, word := range []string{"calm", "loud"} {
			var text strings.Builder
			for i := range 120 {
				fmt.Fprintf(&text, "the %s letter %s %d was short\n", word, split, i)
			}
			testkit.WriteFile(t, filepath.Join("mine", corpus.FileName(split, style)), text.String())
		}
	}
	status, out, wrong := on(t, false, "", "init", "mine", "--pretrained", encoder)
	if status != 0 || !strings.Contains(out, "its training takes about 1 minute and ") {
		t.Errorf("init: status %d, %s%s", status, out, wrong)
	}
	status, out, wrong = on(t, false, "", "plan", "mine.toml")
	if status != 0 || !strings.Contains(out, "mine: SMLM from the pretrained encoder, ") {
		t.Errorf("plan: status %d, %s%s", status, out, wrong)
	}
	status, _, wrong = on(t, false, "", "init", "mine", "--pretrained", "mine", "--output", "other.toml")
	if status != 2 || !strings.Contains(wrong, "config.json") {
		t.Errorf("a folder without an encoder: status %d, %s", status, wrong)
	}
}
