package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMapNamesWhatIs checks that the files and folders named in docs/map.md, docs/equations.md and
// CONTRIBUTING.md exist. It also checks the functions that an entry of docs/equations.md names: the
// Go file named before a function must declare it.
func TestMapNamesWhatIs(t *testing.T) {
	var text []byte
	for _, doc := range []string{"docs/map.md", "docs/equations.md", "CONTRIBUTING.md"} {
		one, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, one...)
	}
	path := regexp.MustCompile("`([a-z0-9/]+(?:\\.go|/))`|`([A-Za-z]+)(?:\\.([A-Za-z]+))?`")
	files, equations := 0, 0
	indented := regexp.MustCompile(`\n +`) // continuation lines of a list item
	for _, line := range strings.Split(indented.ReplaceAllString(string(text), " "), "\n") {
		folder, source := "", ""
		// An entry consists of a name, a source in brackets, files with functions, and tests.
		equation := strings.HasPrefix(line, "- **")
		if equation {
			_, line, _ = strings.Cut(line, "). ")
			line, _, _ = strings.Cut(line, ". ")
			equations++
		}
		for _, m := range path.FindAllStringSubmatch(line, -1) {
			switch name := m[1]; {
			case strings.HasSuffix(name, ".go"):
				if strings.Contains(name, "/") {
					folder = filepath.Dir(name)
				} else if folder != "" {
					name = folder + "/" + name
				}
				content, err := os.ReadFile(filepath.Join(root, name))
				if err != nil && folder != "" {
					t.Errorf("a document names %s, which is not there", name)
				}
				source = string(content)
				files++
			case name != "":
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("a document names the folder %s, which is not there", name)
				}
			case equation && source != "":
				function := m[2]
				if m[3] != "" {
					function = m[3]
				}
				if !regexp.MustCompile(`(?m)^(?:func|type|var|const)[^\n]*\b` + function + `\b`).MatchString(source) {
					t.Errorf("docs/equations.md finds %s in a file of %s that has none", function, folder)
				}
			}
		}
	}
	if files < 60 || equations < 25 {
		t.Fatalf("only %d files and %d equations were found in docs/map.md and docs/equations.md", files, equations)
	}
}
