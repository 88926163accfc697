package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestRunShowsSentences checks what `run` prints after its table: a test sentence of each
// direction, its masks and the output of the system that dev outputs chose, in at most 100 columns.
// The last line says why this system was chosen.
func TestRunShowsSentences(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "mine.toml", strings.NewReplacer("[smlm]\n",
		"[smlm]\ndecoding = [\"copied\", \"guided\"]\n", `["results"]`, `["results", "examples"]`).Replace(attackedFile))
	status, out, wrong := on(t, false, "", "run", "mine.toml", "--quiet")
	if status != 0 {
		t.Fatal(wrong)
	}
	_, said, found := strings.Cut(out, "\nTest sentences, rewritten by SMLM")
	if !found {
		t.Fatalf("no sentences:\n%s", out)
	}
	lines := strings.Split(said, "\n")[1:]
	for i, want := range []string{
		"  gloomy    ", "  masked    ", "  cheerful  ", "", "  cheerful  ", "  masked    ", "  gloomy    ", "", "This system has the highest Mean on the dev set.", "",
	} {
		if got := lines[i]; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
	if !strings.Contains(lines[1], corpus.MaskToken) || lines[0][12:] == lines[2][12:] {
		t.Errorf("nothing was masked or rewritten:\n%s", said)
	}
}

func TestCutTo(t *testing.T) {
	for line, want := range map[string]string{
		"short  ":                      "short",
		strings.Repeat("é", 100):       strings.Repeat("é", 100),
		strings.Repeat("word ", 30):    strings.Repeat("word ", 19) + "word…",
		strings.Repeat("é", 101) + "x": strings.Repeat("é", 99) + "…",
	} {
		if got := cutTo(line, 100); got != want || utf8.RuneCountInString(got) > 100 {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}
