package stages

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestDocs holds the table of docs/workspace.md to the definitions.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/workspace.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| kind | inputs | files |\n|---|---|---|\n")
	for _, d := range all {
		fmt.Fprintf(&want, "| `%s` | %s| %s |\n", d.Name, strings.TrimLeft(d.Inputs+" ", " "), d.Files)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/workspace.md has another table of kinds, want\n%s", want.String())
	}
}

// TestKinds: every kind has a version, and a name of its own.
func TestKinds(t *testing.T) {
	seen := map[stage.Kind]bool{}
	for _, k := range Names() {
		if seen[k] || Version(k) < 1 {
			t.Errorf("%s: twice %t, version %d", k, seen[k], Version(k))
		}
		seen[k] = true
	}
	if v := Version("none"); v != 0 {
		t.Errorf("a kind that there is not has version %d", v)
	}
}
