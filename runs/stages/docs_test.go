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
	const head = "| kind | inputs | files |\n|---|---|---|\n"
	before, table, found := strings.Cut(string(text), head)
	_, after, ends := strings.Cut(table, "|\n\n")
	if !found || !ends {
		t.Fatal("docs/workspace.md has no table of kinds")
	}
	var want strings.Builder
	want.WriteString(before + head)
	for _, d := range All() {
		fmt.Fprintf(&want, "| `%s` | %s| %s |\n", d.Name, strings.TrimLeft(d.Inputs+" ", " "), d.Files)
	}
	testkit.Golden(t, path, want.String()+"\n"+after)
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
