package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// usedOutside is the minimum share of exported top-level names that other packages must use. A name
// that no other package uses should not be exported.
const usedOutside = .95

// TestExportedNamesAreUsed checks that other packages or their tests use enough of the exported
// functions, types, variables and constants. A type also counts as used if it is in the signature
// of an exported function or in an exported field, because other packages get values of the type in
// this way.
func TestExportedNamesAreUsed(t *testing.T) {
	// exported holds the exported names of each package. named holds the names that are used, as
	// "package.Name".
	exported, named := map[string][]string{}, map[string]bool{}
	walk(t, func(pkg, file string) {
		if !strings.HasSuffix(file, ".go") {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			exported[pkg] = append(exported[pkg], exportedNames(parsed)...)
			for _, name := range offered(parsed) {
				named[pkg+"."+name] = true
			}
		}
		imported := importedAs(parsed)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && imported[x.Name] != "" {
					named[imported[x.Name]+"."+s.Sel.Name] = true
				}
			}
			return true
		})
	})
	all, used := 0, 0
	var unused []string
	for pkg, names := range exported {
		for _, name := range names {
			all++
			if named[pkg+"."+name] {
				used++
			} else {
				unused = append(unused, pkg+"."+name)
			}
		}
	}
	if all < 100 {
		t.Fatalf("only %d exported names were found: the walk from %s went wrong", all, root)
	}
	if share := float64(used) / float64(all); share < usedOutside {
		slices.Sort(unused)
		t.Errorf("%d of %d exported names (%.1f %%) are used by another package, at least %.0f %% should be; "+
			"unused:\n%s",
			used, all, 100*share, 100*usedOutside, strings.Join(unused, "\n"))
	}
}

// exportedNames lists the exported names that a file declares, without methods and fields.
func exportedNames(file *ast.File) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id)
					}
				}
			}
		}
	}
	return names
}

// offered lists the names that occur in the signatures of a file's exported functions, in its
// exported types, and in the types of their exported fields.
func offered(file *ast.File) (names []string) {
	all := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
			return true
		})
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				all(d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok || !t.Name.IsExported() {
					continue
				}
				fields, ok := t.Type.(*ast.StructType)
				if !ok {
					all(t.Type)
					continue
				}
				for _, f := range fields.Fields.List {
					if len(f.Names) == 0 || f.Names[0].IsExported() {
						all(f.Type)
					}
				}
			}
		}
	}
	return names
}

// importedAs returns the packages of the project that a file imports. The keys are the names by
// which the file calls the packages, and the values are the folders of the packages.
func importedAs(file *ast.File) map[string]string {
	out := map[string]string{}
	for _, s := range file.Imports {
		full, _ := strconv.Unquote(s.Path.Value)
		folder, ours := strings.CutPrefix(full, module+"/")
		if !ours {
			continue
		}
		name := path.Base(folder)
		if s.Name != nil {
			name = s.Name.Name
		}
		out[name] = folder
	}
	return out
}
