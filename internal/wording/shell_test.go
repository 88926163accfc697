package wording

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCommand checks that a shell reads the words of a command line back unchanged.
func TestCommand(t *testing.T) {
	words := []string{"my data", "$(touch x)", "it's", "", "a;b", "`date`", "*", "plain-name.toml"}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\n' "+Command(words...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSuffix(string(out), "\n"); got != strings.Join(words, "\n") {
		t.Errorf("the shell reads %q", got)
	}
}

// TestPath checks that a path cannot be taken for an option.
func TestPath(t *testing.T) {
	for path, want := range map[string]string{"-dash": "./-dash", "--x.toml": "./--x.toml", "a-b": "a-b", "/-a": "/-a"} {
		if got := Path(path); got != want {
			t.Errorf("Path(%q) = %q", path, got)
		}
	}
}
