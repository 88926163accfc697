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
	want.WriteString("| stage | inputs | files |\n|---|---|---|\n")
	for _, d := range all {
		fmt.Fprintf(&want, "| `%s` | %s| %s |\n", d.Name, strings.TrimLeft(d.Inputs+" ", " "), d.Files)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/workspace.md has another table of stages, want\n%s", want.String())
	}
}

// TestNames: every stage has a version, and a name of its own.
func TestNames(t *testing.T) {
	seen := map[stage.Name]bool{}
	for _, name := range Names() {
		if seen[name] || Version(name) < 1 {
			t.Errorf("%s: twice %t, version %d", name, seen[name], Version(name))
		}
		seen[name] = true
	}
	if v := Version("none"); v != 0 {
		t.Errorf("a stage that there is not has version %d", v)
	}
}
