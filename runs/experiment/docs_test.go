package experiment

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestSettingsDoc: docs/settings.md is what the structs of settings say. `go test ./runs/experiment
// -run SettingsDoc -update` writes it.
func TestSettingsDoc(t *testing.T) {
	d := settingsDoc{t: t, comments: map[string]string{}}
	for _, folder := range []string{".", "../../internal/recipe", "../../masking/policy"} {
		d.read(folder)
	}
	trained := trainedTables()
	d.say("# Keys of an experiment file\n\n%s\n\n## Outside tables\n", wrapped(
		"Written from the comments and tags of the settings by `go test ./runs/experiment -run SettingsDoc -update`. "+
			"A list in place of a value is a sweep axis, but for keys that are lists already and those of `[lm]`, "+
			"`[metrics]` and `[report]`. [switches.md](switches.md) says more about the keys in which the profiles `paper` "+
			"and `authors` differ.",
	))
	d.table("", reflect.TypeFor[Experiment]())
	d.say("\n## [datasets.NAME]\n\n%s\n", wrapped(d.sentences("DatasetSettings", "[datasets.NAME]")+
		" Any table below may also be a table of one data set, `[datasets.NAME.masking]`, whose values then win."))
	d.table("datasets", reflect.TypeFor[DatasetSettings]())
	d.say("\n## [variants.NAME]\n\nSets of settings side by side: `profile`, and any table below, " +
		"`[variants.NAME.smlm]`, whose values win over all others.\n")
	d.whole("search", reflect.TypeFor[SearchSettings]())
	d.whole("track", reflect.TypeFor[TrackSettings]())
	d.say("\n## Trainings\n\n%s\n", wrapped("The tables `["+strings.Join(trained, "]`, `[")+
		"]` have these keys too, each with defaults of its own."))
	d.trainings(trained)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		d.whole(keyOf(f), f.Type)
	}
	d.whole("slurm", reflect.TypeFor[SlurmSettings]())
	d.say("\n%s\n", wrapped("A table `[slurm.STAGE]` has what tasks need that begin with such a training: `"+
		strings.Join(Trainings, "`, `")+"`. [slurm.md](slurm.md) says more."))
	testkit.Golden(t, "../../docs/settings.md", d.text.String())
}

// settingsDoc is the text of docs/settings.md as far as it is written.
type settingsDoc struct {
	t        *testing.T
	comments map[string]string // of structs and their fields, by "Struct" and "Struct.Field"
	text     strings.Builder
}

// read notes the comments of a folder's structs and their fields.
func (d *settingsDoc) read(folder string) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		d.t.Fatal(folder, err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			d.t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || len(decl.Specs) != 1 {
				return true
			}
			spec, ok := decl.Specs[0].(*ast.TypeSpec)
			if !ok {
				return true
			}
			d.comments[spec.Name.Name] = decl.Doc.Text()
			if of, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range of.Fields.List {
					for _, name := range f.Names {
						d.comments[spec.Name.Name+"."+name.Name] = f.Doc.Text()
					}
				}
			}
			return true
		})
	}
}

// sentences are those of the comment on a struct or a field, with the key in the place of its name.
func (d *settingsDoc) sentences(of, key string) string {
	comment := strings.Join(strings.Fields(d.comments[of]), " ")
	name := of[strings.LastIndexByte(of, '.')+1:]
	rest, ok := strings.CutPrefix(comment, name+" ")
	if !ok || !strings.HasSuffix(rest, ".") {
		d.t.Errorf("the comment on %s is %q, but must be sentences, of which the first begins with %s", of, comment,
			name)
	}
	return "`" + key + "` " + rest
}

func (d *settingsDoc) say(form string, args ...any) { fmt.Fprintf(&d.text, form, args...) }

// wrapped is running text in lines of 120 columns.
func wrapped(text string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column > 0 && column+1+len(word) > 120:
			b.WriteString("\n")
			column = 0
		case column > 0:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// whole writes the section of a table.
func (d *settingsDoc) whole(table string, t reflect.Type) {
	d.say("\n## [%s]\n\n%s\n", table, wrapped(d.sentences(t.Name(), "["+table+"]")))
	d.table(table, t)
}

// table writes the keys of a table, but for those that trainings share.
func (d *settingsDoc) table(table string, t reflect.Type) {
	d.say("\n| key | default | takes |\n|---|---|---|\n")
	for _, f := range fieldsOf(table, t) {
		if owner := ownerOf(t, f.index); owner != reflect.TypeFor[recipe.Training]() {
			d.row(owner, f, valuesOf(f))
		}
	}
}

// trainings writes the keys of recipe.Training with their defaults in each table.
func (d *settingsDoc) trainings(tables []string) {
	d.say("\n| key | takes |\n|---|---|\n")
	training := reflect.TypeFor[recipe.Training]()
	fields := fieldsOf("", training)
	for _, f := range fields {
		d.row(training, f)
	}
	d.say("\n| default of | %s |\n|---|%s\n", strings.Join(tables, " | "), strings.Repeat("---|", len(tables)))
	for _, f := range fields {
		d.say("| `%s` |", f.key)
		for _, table := range tables {
			value := " "
			if at := fieldAt(table + "." + f.key); at != nil {
				value = " " + valuesOf(at) + " "
			}
			d.say("%s|", value)
		}
		d.say("\n")
	}
}

// row writes a key: what it is, some cells, and which values it takes.
func (d *settingsDoc) row(owner reflect.Type, f *field, cells ...string) {
	name := owner.FieldByIndex(f.index[len(f.index)-1:]).Name
	cells = append([]string{d.sentences(owner.Name()+"."+name, f.key)}, cells...)
	takes := f.must
	if f.names != nil {
		takes = strings.Join(f.names, ", ")
	}
	for _, cell := range append(cells, takes) {
		d.say("| %s ", strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(cell))
	}
	d.say("|\n")
}

// valuesOf is a key's default, and that of the profile "authors" where it is another.
func valuesOf(f *field) string {
	value := formatValue(f.paper)
	if f.paper.CanInt() && !f.takes(float64(f.paper.Int())) { // there is none
		return ""
	}
	if other := formatValue(f.authors); other != value {
		value += "; authors: " + other
	}
	return strings.NewReplacer("[", "", "]", "").Replace(value)
}

// ownerOf is the struct that a field is told in: t, or one that t embeds.
func ownerOf(t reflect.Type, index []int) reflect.Type {
	for _, i := range index[:len(index)-1] {
		t = t.Field(i).Type
	}
	return t
}

// trainedTables are those that embed a Training.
func trainedTables() []string {
	of := lists.Where(reflect.VisibleFields(reflect.TypeFor[Settings]()), func(f reflect.StructField) bool {
		_, ok := f.Type.FieldByName("Training")
		return ok
	})
	return lists.Map(of, keyOf)
}
