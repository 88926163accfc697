package experiment

import (
	"fmt"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// docs/settings.md is written from the doc comments of the settings, which are the one place where
// a key is described: go test ./runs/experiment -run SettingsDoc -update.
func TestSettingsDoc(t *testing.T) {
	comments := settingComments(t)
	paper, authors := DefaultSettings(), AuthorsSettings()
	var b strings.Builder
	b.WriteString("# Keys of an experiment file\n\nWritten from `runs/experiment/settings*.go` by `go test " +
		"./runs/experiment -run SettingsDoc -update`. " +
		"A list in place of\na value is a sweep axis, but for keys that are lists already and those of `[lm]`, " +
		"`[metrics]` and `[report]`.\n" +
		"[switches.md](switches.md) says more about the keys in which the two profiles differ.\n\n## Outside " +
		"tables\n\n" +
		"`name` of the folder of the tables, where it is left out the file's without its ending; `seeds`, " +
		"a list, whose\nfirst is also that of the selector and of what measures every row: put new seeds behind it, and " +
		"nothing is trained\nagain; `profile`, `paper` or `authors`; `workspace`, a folder; `threads`, 0 for all cores; " +
		"`devices`, `auto` (the first\nCUDA device that can be used, else the CPU), `cpu`, `cuda` or `cuda:N`; " +
		"`checkpoint_seconds` between two checkpoints of\na training, 300; `wordnet`, the folder of WordNet's database " +
		"(looked for in the usual places); `vectors`, a file of word\nvectors for data sets that name none.\n\n" +
		"## [datasets.NAME]\n\nAny table below may also be a table of one data set, `[datasets.NAME.masking]`, " +
		"whose values then win.\n\n| key | |\n|---|---|\n")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[DatasetSettings]()) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", keyOf(f), comments["DatasetSettings."+f.Name])
	}
	b.WriteString(
		"\n## [variants.NAME]\n\nSets of settings side by side: `profile`, and any table below, " +
			"`[variants.NAME.smlm]`, whose values win over all others.\n",
	)
	for _, of := range []struct {
		table    string
		defaults any
	}{{"search", defaultSearch()}, {"track", TrackSettings{}}} {
		value := reflect.ValueOf(of.defaults)
		about := value.Type().Name()
		fmt.Fprintf(&b, "\n## [%s]\n\n%s\n| key | default | |\n|---|---|---|\n", of.table, paragraph(t, comments[about]))
		for _, f := range reflect.VisibleFields(value.Type()) {
			shown := formatValue(value.FieldByIndex(f.Index))
			if shown == "0" {
				shown = ""
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", keyOf(f), shown, comments[about+"."+f.Name])
		}
	}
	table := ""
	for _, f := range schema {
		if f.table != table {
			table = f.table
			about := reflect.TypeFor[Settings]().Field(f.index[0]).Type.Name()
			fmt.Fprintf(&b, "\n## [%s]\n\n%s\n| key | default | |\n|---|---|---|\n", table, paragraph(t, comments[about]))
		}
		value := valueOf(&paper, f)
		if other := valueOf(&authors, f); other != value {
			value += "; authors: " + other
		}
		comment, ok := comments[commentKey(f)]
		if !ok {
			comment = plainComments[f.key]
		}
		if comment == "" {
			t.Errorf("%s has no comment", f.path)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.key, cell(value), comment)
	}
	fmt.Fprintf(&b, "\n## [slurm]\n\n%sA table `[slurm.KIND]` has what tasks need that begin with such a training:\n%s.\n"+
		"[slurm.md](slurm.md) says more.\n\n| key | |\n|---|---|\n",
		paragraph(t, comments["SlurmSettings"]), "`"+strings.Join(Trainings, "`, `")+"`")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[SlurmSettings]()) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", keyOf(f), comments["SlurmSettings."+f.Name])
	}
	testkit.Golden(t, "../../docs/settings.md", b.String())
}

// paragraph is the comment of a table's type: what it says of the table, in lines of 120 columns.
func paragraph(t *testing.T, comment string) string {
	name, text, _ := strings.Cut(comment, " ")
	if text == "" {
		t.Errorf("%q says nothing of a table", name)
	}
	if about, is := strings.CutPrefix(text, "is "); is {
		text = strings.ToUpper(about[:1]) + about[1:]
	} else {
		text = "These " + text
	}
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		if column > 0 && column+1+len(word) > 120 {
			b.WriteString("\n")
			column = 0
		} else if column > 0 {
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}

// plainComments are of keys whose Go name says it all.
var plainComments = map[string]string{
	"epochs": "passes over the training set", "embedding": "width of a word's vector", "layers": "Transformer " +
		"layers", "heads": "of attention", "dim": "of a word's vector and every state",
}

// commentKey names a field as settingComments does.
func commentKey(f *field) string {
	owner, name := reflect.TypeFor[Settings](), ""
	for _, i := range f.index {
		name = owner.Name() + "." + owner.Field(i).Name
		owner = owner.Field(i).Type
	}
	return name
}

// settingComments returns the comment of each field of the settings, by struct and Go name, fit for
// a cell of a Markdown table.
func settingComments(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	var files []string
	for _, pattern := range []string{"*settings*.go", "../../internal/recipe/*.go", "../../masking/policy/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if decl, ok := n.(*ast.GenDecl); ok && decl.Doc != nil && len(decl.Specs) == 1 {
				if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok {
					out[spec.Name.Name] = cell(strings.TrimSpace(decl.Doc.Text()))
				}
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			fields, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range fields.Fields.List {
				text := strings.TrimSpace(f.Doc.Text() + f.Comment.Text())
				for _, name := range f.Names {
					if text != "" {
						out[spec.Name.Name+"."+name.Name] = cell(strings.TrimPrefix(text, name.Name+" is "))
					}
				}
			}
			return true
		})
	}
	return out
}

func cell(s string) string {
	return strings.Join(
		strings.FieldsFunc(
			strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s),
			func(r rune) bool { return r == '\n' },
		),
		" ",
	)
}
