package stages

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// TestDocs checks that the list of stages in docs/workspace.md agrees with the definitions. The
// flag -update rewrites the list.
func TestDocs(t *testing.T) {
	const path = "../../docs/workspace.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const head = "Each stage, what it is made from, and its files beside `stage.json`:\n\n"
	before, table, found := strings.Cut(string(text), head)
	_, after, ends := strings.Cut(table, "\n\n")
	if !found || !ends {
		t.Fatal("docs/workspace.md has no list of stages")
	}
	var want strings.Builder
	want.WriteString(before + head)
	for _, d := range all {
		item := fmt.Sprintf("`%s` from %s: %s", d.Name, d.Inputs, d.Files)
		want.WriteString(testkit.Wrapped("- ", strings.Replace(item, " from :", ":", 1)) + "\n")
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
