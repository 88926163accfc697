package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the top of the checkout, seen from this package.
const root = "../.."

// walk calls the function visit for every Go and C++ source file of the project. pkg is the folder
// of the file's package.
func walk(t *testing.T, visit func(pkg, path string)) {
	t.Helper()
	walkOf(t, visit, ".go", ".cpp", ".h")
}

// walkOf calls the function visit for every file of the project with one of the endings.
func walkOf(t *testing.T, visit func(folder, path string), endings ...string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !slices.Contains(endings, filepath.Ext(name)) {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		visit(filepath.ToSlash(folder), path)
		return err
	})
	if err != nil {
		t.Fatalf("reading the files of the project: %v", err)
	}
}

// readImports parses the import lines of every Go file of the project, whatever its build
// constraints.
func readImports(t *testing.T) imports {
	t.Helper()
	graph := imports{}
	walk(t, func(pkg, path string) {
		if !strings.HasSuffix(path, ".go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file.Name.Name, "_test") && slices.Contains(testedFromAbove, pkg) {
			return
		}
		graph[pkg] = append(graph[pkg], []string{}...)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			graph[pkg] = append(graph[pkg], imported)
		}
	})
	return graph
}

func TestArrowsPointDown(t *testing.T) {
	graph := readImports(t)
	if len(graph[owner]) == 0 {
		t.Fatalf("no import of %s was found: the walk from %s went wrong", owner, root)
	}
	for _, sentence := range wrongArrows(graph) {
		t.Error(sentence)
	}
}

// TestTorchStaysBelow checks that packages which must build without libtorch do not depend on it,
// not even in tests. It asks the go command, which also lists indirect dependencies.
func TestTorchStaysBelow(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not in PATH")
	}
	for pkg := range below {
		if _, err := os.Stat(filepath.Join(root, pkg)); err != nil {
			t.Errorf("%s has a layer but is not there", pkg)
			continue
		}
		if reachesTorch(pkg) {
			continue
		}
		command := exec.Command("go", "list", "-deps", "-test", "-f", "{{.ImportPath}}", "./"+pkg)
		command.Dir = root
		out, err := command.Output()
		if err != nil {
			t.Errorf("go list -deps ./%s: %v", pkg, err)
			continue
		}
		for path := range strings.FieldsSeq(string(out)) {
			if strings.HasPrefix(path, gotch) || strings.HasPrefix(path, module+"/"+owner) {
				t.Errorf("%s reaches %s, and must build without libtorch", pkg, path)
			}
		}
	}
}

func TestWrongArrowsAreFound(t *testing.T) {
	for _, c := range []struct {
		name string
		from string
		path string
		want string // part of the message; empty if the import is allowed
	}{
		{"down", "runs/stages", module + "/smlm", ""},
		{"leaf", "corpus", module + "/internal/userr", ""},
		{"itself, from an external test", "corpus", module + "/corpus", ""},
		{"standard library", "metrics", "math", ""},
		{"masking explains the Diversity-LSTM", "masking", module + "/divlstm", ""},
		{"owner of gotch", "internal/torch", gotch + "/libtch", ""},
		{"up", "corpus", module + "/metrics", "corpus imports metrics, which is not below it"},
		{"the experiment file needs no libtorch", "runs/experiment", module + "/runs/stages", "runs/experiment imports"},
		{"the judge stays out of training", "smlm", module + "/classifier", "smlm imports classifier"},
		{"a leaf that looks up", "internal/userr", module + "/corpus", "internal/userr imports corpus"},
		{"main holds no logic", "cmd/smlm-exp", module + "/runs", "cmd/smlm-exp imports runs"},
		{"gotch elsewhere", "smlm", gotch + "/ts", "only internal/torch may"},
		{"the root of gotch", "metrics", gotch, "only internal/torch may"},
		{"an unknown package", "extras", "fmt", "extras has no layer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := wrongArrows(imports{c.from: {c.path}})
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("an allowed arrow is refused: %q", got)
			case c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)):
				t.Errorf("got %q, want one sentence with %q", got, c.want)
			}
		})
	}
}

// TestRulesHaveNoCycle checks that the import rules let no package import itself, directly or
// through others.
func TestRulesHaveNoCycle(t *testing.T) {
	const (
		open = 1
		done = 2
	)
	state := map[string]int{}
	var visit func(pkg string, trail []string)
	visit = func(pkg string, trail []string) {
		if state[pkg] == open {
			t.Fatalf("the rules allow a cycle: %s", strings.Join(append(trail, pkg), " -> "))
		}
		if state[pkg] == done {
			return
		}
		state[pkg] = open
		for _, next := range below[pkg] {
			visit(next, append(trail, pkg))
		}
		state[pkg] = done
	}
	for pkg := range below {
		visit(pkg, nil)
	}
}
