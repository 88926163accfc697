package stages

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestDocs holds the table of docs/workspace.md to the definitions, of which -update writes it.
func TestDocs(t *testing.T) {
	const path = "../../docs/workspace.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| stage | inputs | files |\n|---|---|---|\n"
	before, table, found := strings.Cut(string(text), head)
	_, after, ends := strings.Cut(table, "|\n\n")
	if !found || !ends {
		t.Fatal("docs/workspace.md has no table of stages")
	}
	var want strings.Builder
	want.WriteString(before + head)
	for _, d := range all {
		fmt.Fprintf(&want, "| `%s` | %s| %s |\n", d.Name, strings.TrimLeft(d.Inputs+" ", " "), d.Files)
	}
	testkit.Golden(t, path, want.String()+"\n"+after)
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
