package cli

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// TestStarter checks that the file that init writes has at most 25 lines, that every key has a
// comment, and that no line is longer than 140 characters.
func TestStarter(t *testing.T) {
	all := starter{
		Name: "mine", File: "mine.toml", Dir: "../mine", Labels: corpus.Styles{"calm", "loud", "gruff"},
		Naturalness: []string{"n.tsv"}, References: "../mine/references",
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
