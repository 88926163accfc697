package experiment

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
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
	d.say("# Keys of an experiment file\n\n%s\n\n%s\n\n%s\n\n## Outside tables\n", wrapped(
		"An experiment file is TOML. Every key that you leave out has its default. Where the profile `authors` has another "+
			"default than `paper`, both are given; [switches.md](switches.md) explains these keys. A range `[0, 1)` contains 0 but not 1."),
		wrapped("A list in place of a single value is a sweep axis: `lambda_eps = [0.15, 0.5]` runs both. Keys that take "+
			"lists anyway and the keys of `[lm]`, `[metrics]` and `[report]` cannot be swept."),
		wrapped("The program writes this page from its own settings: `go test ./runs/experiment -run SettingsDoc -update`."),
	)
	d.table("", reflect.TypeFor[Experiment]())
	d.say("\n## [datasets.NAME]\n\n%s\n", wrapped(d.sentences("DatasetSettings", "`[datasets.NAME]`")+
		" For settings of this data set alone, write any table below as `[datasets.NAME.TABLE]`, such as "+
		"`[datasets.NAME.masking]`. Paths are relative to the experiment file."))
	d.table("datasets", reflect.TypeFor[DatasetSettings]())
	d.say("\n## [variants.NAME]\n\n%s\n", wrapped("Variants are sets of settings that run side by side. Each takes "+
		"`profile` and any table below, such as `[variants.NAME.smlm]`. Its values win over all others."))
	d.whole("search", reflect.TypeFor[SearchSettings]())
	d.whole("track", reflect.TypeFor[TrackSettings]())
	d.say("\n## Trainings\n\n%s\n", wrapped(tablesHave[recipe.Training]()+" Each has its own defaults."))
	d.trainings(tablesWithAll[recipe.Training]())
	d.say("\n## Pretrained encoders\n\n%s\n", wrapped(tablesHave[PretrainedStart]()+" They start a model from a "+
		"pretrained encoder. Set lr from 0.0001 to 0.0003 then, and a warmup."))
	d.rows("smlm", reflect.TypeFor[SMLMSettings](), reflect.TypeFor[PretrainedStart]())
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		d.whole(keyOf(f), f.Type)
	}
	d.whole("slurm", reflect.TypeFor[SlurmSettings]())
	d.say("\n%s\n", wrapped("A table `[slurm.STAGE]` overrides these keys for tasks that begin with that training. STAGE "+
		"is `"+strings.Join(Trainings, "`, `")+"` ([slurm.md](slurm.md))."))
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

// sentences are those of the comment on a struct or a field, with what in the place of its name.
func (d *settingsDoc) sentences(of, what string) string {
	comment := strings.Join(strings.Fields(d.comments[of]), " ")
	name := of[strings.LastIndexByte(of, '.')+1:]
	rest, ok := strings.CutPrefix(comment, name+" ")
	if !ok || !strings.HasSuffix(rest, ".") {
		d.t.Errorf("the comment on %s is %q, but must be sentences, of which the first begins with %s", of, comment,
			name)
	}
	return strings.TrimSpace(what + " " + rest)
}

// phrase is the comment on a field as a cell of its row: without "is the" in front.
func (d *settingsDoc) phrase(of string) string {
	text := d.sentences(of, "")
	for _, verb := range []string{"is the ", "are the ", "is a ", "is ", "are "} {
		if rest, ok := strings.CutPrefix(text, verb); ok {
			text = rest
			break
		}
	}
	if first, _, _ := strings.Cut(text, " "); strings.ContainsAny(first, "_()") { // a key or a formula
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
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
	d.say("\n## [%s]\n\n%s\n", table, wrapped(d.sentences(t.Name(), "`["+table+"]`")))
	d.table(table, t)
}

// table writes the keys of a table, but for those that several tables share.
func (d *settingsDoc) table(table string, t reflect.Type) {
	var owners []reflect.Type
	for _, f := range fieldsOf(table, t) {
		owner := ownerOf(t, f.index)
		shared := owner == reflect.TypeFor[recipe.Training]() || owner == reflect.TypeFor[PretrainedStart]() ||
			table == "cnn" // its shape is the guide's
		if !shared {
			owners = append(owners, owner)
		}
	}
	if len(owners) > 0 {
		d.rows(table, t, owners...)
	}
}

// rows writes the keys of a table that some structs have.
func (d *settingsDoc) rows(table string, t reflect.Type, owners ...reflect.Type) {
	d.say("\n| key | meaning | default | values |\n|---|---|---|---|\n")
	for _, f := range fieldsOf(table, t) {
		if owner := ownerOf(t, f.index); slices.Contains(owners, owner) {
			if at := fieldAt(f.path); at != nil { // of report.tables it has the default
				f.paper, f.authors = at.paper, at.authors
			}
			d.row(owner, f, valuesOf(f))
		}
	}
}

// trainings writes the keys of recipe.Training, with their defaults in each table where these
// differ.
func (d *settingsDoc) trainings(tables []string) {
	d.say("\n| key | meaning | default | values |\n|---|---|---|---|\n")
	training := reflect.TypeFor[recipe.Training]()
	var differ []string
	for _, f := range fieldsOf("", training) {
		row, same := fmt.Sprintf("| `%s` |", f.key), map[string]bool{}
		for _, table := range tables {
			value := ""
			if at := fieldAt(table + "." + f.key); at != nil {
				value = valuesOf(at)
				same[value] = true
			}
			row += fmt.Sprintf(" %s |", value)
		}
		standard := "below"
		if len(same) > 1 {
			differ = append(differ, strings.ReplaceAll(row, "  ", " "))
		} else {
			standard = valuesOf(fieldAt("smlm." + f.key))
		}
		d.row(training, f, standard)
	}
	d.say("\n| default of | %s |\n|---|%s\n%s\n", strings.Join(tables, " | "), strings.Repeat("---|", len(tables)),
		strings.Join(differ, "\n"))
}

// row writes a key: what it is, some cells, and which values it takes.
func (d *settingsDoc) row(owner reflect.Type, f *field, cells ...string) {
	name := owner.FieldByIndex(f.index[len(f.index)-1:]).Name
	cells = append([]string{"`" + f.key + "`", d.phrase(owner.Name() + "." + name)}, cells...)
	takes := interval(f.must)
	if f.names != nil && !allIn(cells[1], f.names) {
		takes = strings.Join(f.names, ", ")
	}
	for _, cell := range append(cells, takes) {
		d.say("| %s ", strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(cell))
	}
	d.say("|\n")
}

// allIn says whether a sentence has all names in quotes.
func allIn(sentence string, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !strings.Contains(sentence, strconv.Quote(name))
	})
}

// interval writes a must tag as mathematics does.
func interval(must string) string {
	var low, high string
	for _, form := range []struct{ words, symbols string }{
		{"from %s to %s", "%s–%s"},
		{"at least %s and below %s", "[%s, %s)"},
		{"above %s and at most %s", "(%s, %s]"},
		{"above %s and below %s", "(%s, %s)"},
	} {
		if n, err := fmt.Sscanf(must, form.words, &low, &high); err == nil && n == 2 && !strings.HasPrefix(low, "-") {
			return fmt.Sprintf(form.symbols, low, high)
		}
	}
	if low, ok := strings.CutSuffix(must, " or more"); ok {
		return "≥ " + low
	}
	return strings.NewReplacer("from ", "", "above ", "> ", aName, "").Replace(must)
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

// tablesWithAll are the tables that embed a struct.
func tablesWithAll[T any]() []string {
	embedded := reflect.TypeFor[T]().Name()
	of := lists.Where(reflect.VisibleFields(reflect.TypeFor[Settings]()), func(f reflect.StructField) bool {
		_, ok := f.Type.FieldByName(embedded)
		return ok
	})
	return lists.Map(of, keyOf)
}

// tablesHave says which tables those are.
func tablesHave[T any]() string {
	return "The tables `[" + strings.Join(tablesWithAll[T](), "]`, `[") + "]` have these keys too."
}
