package experiment

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// notAsPrinted lists the keys whose default differs from the value printed in the paper, with the
// printed value.
func notAsPrinted(t *testing.T) string {
	s := DefaultSettings()
	var keys []string
	for _, k := range []struct {
		key           string
		printed, ours any
	}{
		{"divlstm.lambda_con", 10.0, s.DivLSTM.LambdaCon},
		{"finetune.lambda_rec", 0.0, s.Finetune.LambdaRec},
		{"finetune.reading", recipe.MinMax, s.Finetune.Reading},
	} {
		if k.printed == k.ours {
			t.Errorf("%s has the printed value %v: take it from this list", k.key, k.printed)
		}
		keys = append(keys, fmt.Sprintf("`%s` (printed: %v)", k.key, k.printed))
	}
	return strings.Join(keys, ", ")
}

// TestSettingsDoc checks that docs/settings.md agrees with the settings structs: their tags and
// comments. `go test ./runs/experiment -run SettingsDoc -update` rewrites the file.
func TestSettingsDoc(t *testing.T) {
	d := settingsDoc{t: t, comments: map[string]string{}}
	for _, folder := range []string{".", "../../internal/recipe", "../../masking/policy"} {
		d.read(folder)
	}
	d.say("# Keys of an experiment file\n\n%s\n\n%s\n\n%s\n\n## The profiles\n\n%s\n\n%s\n\n%s\n\n## Outside tables\n",
		wrapped("An experiment file is TOML. Every key that you leave out has the value shown here. In brackets are the "+
			"values that are allowed. Widths and numbers of layers and heads are 1 to 16384. Other numbers without "+
			"bounds are 0 or more. The CNN that measures TST% unseen has no keys: its settings are "+
			"fixed, and `stage.json` shows them."),
		wrapped("A list in place of a single value is a sweep axis: `lambda_eps = [0.15, 0.5]` runs both. Keys that take "+
			"lists anyway and the keys of `[lm]`, `[metrics]` and `[report]` cannot be swept."),
		wrapped("The program writes this page: `go test ./runs/experiment -run SettingsDoc -update`."),
		wrapped("`profile = \"paper\"` uses the printed formulas and values, except for "+notAsPrinted(t)+". "+
			"Conicity has absolute cosines, which are printed without ([decision 004](decisions/004-conicity.md)). "+
			"`profile = \"fitted\"` suits the data ([decision 025](decisions/025-starter.md)). You can set or sweep every key."),
		wrapped("The paper's \"45 million\" parameters are 45,295,974: the code's model at d 512, ff 2048, two layers and "+
			"25,000 + 9 words, with an unused second projection and head."),
		wrapped("Not reproduced from the published code: removing commas, and `amazon-cleaned`; writing the mask token over "+
			"targets on a CPU; the norm of stale gradients in clipping; training the style head in bootstrapping; latent "+
			"vectors and a start token in the Diversity-LSTM, conicity over the sentences of a batch, and sampled scores; "+
			"gradients of the loss, signed and not multiplied by the input; attention that is not trained, a summed "+
			"cross-entropy, and a style head of two layers ([results](results/profiles.md)); in SMLM a token in front, targets one place "+
			"further on, word vectors that are not trained, a loss on codes too, and outputs with &lt;unk>."),
	)
	d.table("", reflect.TypeFor[Experiment]())
	d.say("\n## [datasets.NAME]\n\n%s\n", wrapped(d.linked(d.phrase("DatasetSettings"))+
		" For settings of this data set alone, write any table below as `[datasets.NAME.TABLE]`. Paths are relative to "+
		"the experiment file."))
	d.table("datasets", reflect.TypeFor[DatasetSettings]())
	d.say("\n## [variants.NAME]\n\n%s\n", wrapped("Variants are sets of settings that run side by side. Each takes "+
		"tables such as `[variants.NAME.smlm]`. Its values win over all others."))
	d.whole("track", reflect.TypeFor[TrackSettings]())
	d.say("\n## Trainings\n\n%s\n", wrapped(tablesHave[recipe.Training]()))
	d.trainings(tablesWithAll[recipe.Training]())
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		if slices.Contains(tables, keyOf(f)) {
			d.whole(keyOf(f), f.Type)
		}
	}
	d.whole("slurm", reflect.TypeFor[SlurmSettings]())
	testkit.Golden(t, "../../docs/settings.md", d.text.String())
}

// settingsDoc builds the text of docs/settings.md.
type settingsDoc struct {
	t        *testing.T
	comments map[string]string // comments on structs and fields, by "Struct" or "Struct.Field"
	text     strings.Builder
}

// read collects the comments on the structs in a folder's Go files, and on their fields.
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

// sentences returns the comment on a struct or a field, without the name at the beginning of the
// comment.
func (d *settingsDoc) sentences(of string) string {
	comment := strings.Join(strings.Fields(d.comments[of]), " ")
	name := of[strings.LastIndexByte(of, '.')+1:]
	rest, ok := strings.CutPrefix(comment, name+" ")
	if !ok || !strings.HasSuffix(rest, ".") {
		d.t.Errorf("the comment on %s is %q, but must be sentences, of which the first begins with %s", of, comment,
			name)
	}
	return rest
}

// phrase returns the comment on a struct or a field as the document shows it below a heading or
// after a key: without "is the" or "is the number of" in front.
func (d *settingsDoc) phrase(of string) string {
	text := d.sentences(of)
	for _, verb := range []string{"is the ", "are the ", "is a ", "is ", "are "} {
		if rest, ok := strings.CutPrefix(text, verb); ok {
			text = rest
			break
		}
	}
	text = strings.TrimPrefix(text, "number of ")
	if first, _, _ := strings.Cut(text, " "); strings.ContainsAny(first, "_()") { // a key or a formula stays as it is
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func (d *settingsDoc) say(form string, args ...any) { fmt.Fprintf(&d.text, form, args...) }

// The function wrapped breaks running text into lines of the usual width of documents.
func wrapped(text string) string { return testkit.Wrapped("", text) }

// The method whole writes the section of a table: its heading, the comment on its struct, and its
// keys.
func (d *settingsDoc) whole(table string, t reflect.Type) {
	d.say("\n## [%s]\n\n%s\n", table, wrapped(d.linked(d.phrase(t.Name()))))
	d.table(table, t)
}

// The method table writes the keys of a table, except the keys that several tables share.
func (d *settingsDoc) table(table string, t reflect.Type) {
	var owners []reflect.Type
	for _, f := range fieldsOf(table, t) {
		owner := ownerOf(t, f.index)
		if owner != reflect.TypeFor[recipe.Training]() && !isFixed(f.path) {
			owners = append(owners, owner)
		}
	}
	if len(owners) > 0 {
		d.rows(table, t, owners...)
	}
}

// rows writes those keys of a table that one of the given structs declares.
func (d *settingsDoc) rows(table string, t reflect.Type, owners ...reflect.Type) {
	d.say("\n")
	listed := map[string]string{} // allowed names -> the first key that listed them
	for _, f := range fieldsOf(table, t) {
		owner := ownerOf(t, f.index)
		if !slices.Contains(owners, owner) || isFixed(f.path) {
			continue
		}
		if at := fieldAt(f.path); at != nil { // only the schema has the default of report.tables
			f.standard = at.standard
		}
		names := strings.Join(f.names, ", ")
		first, ok := listed[names]
		switch {
		case f.names == nil:
		case ok:
			names = "as " + first
		default:
			listed[names] = f.key
			// List only names that the default does not show.
			if f.standard.Kind() == reflect.Slice && f.standard.Len() > 0 {
				shown := wordsOf(f.standard)
				left := lists.Filter(f.names, func(name string) bool { return !slices.Contains(shown, name) })
				names = strings.TrimSuffix("or "+strings.Join(left, ", "), "or ")
			}
		}
		d.row(owner, f, standardOf(f), names)
	}
}

// trainings writes the keys of recipe.Training, each with its most common default and the tables
// that have a different default.
func (d *settingsDoc) trainings(tables []string) {
	d.say("\n")
	training := reflect.TypeFor[recipe.Training]()
	for _, f := range fieldsOf("", training) {
		with := map[string][]string{} // default -> the tables that have it
		var values []string
		for _, table := range tables {
			at := fieldAt(table + "." + f.key)
			if at == nil {
				with[""] = append(with[""], table)
				continue
			}
			value := standardOf(at)
			values = lists.AddOnce(values, value)
			with[value] = append(with[value], table)
		}
		slices.SortStableFunc(values, func(a, b string) int { return len(with[b]) - len(with[a]) })
		others := lists.Map(values[1:], func(value string) string {
			return strings.TrimPrefix(value, " = ") + " in " + strings.Join(with[value], ", ")
		})
		if absent := with[""]; len(absent) > len(tables)/2 {
			has := func(table string) bool { return !slices.Contains(absent, table) }
			others = append(others, "only in "+strings.Join(lists.Filter(tables, has), ", "))
		} else if len(absent) > 0 {
			others = append(others, "none in "+strings.Join(absent, ", "))
		}
		d.row(training, f, values[0], strings.Join(f.names, ", "), others...)
	}
}

// row writes the list item of a key: its default, notes on other defaults, the allowed names or
// numbers, and its meaning.
func (d *settingsDoc) row(owner reflect.Type, f *field, standard, names string, notes ...string) {
	name := owner.FieldByIndex(f.index[len(f.index)-1:]).Name
	meaning := d.phrase(owner.Name() + "." + name)
	if f.names == nil {
		notes = append(notes, interval(f.must))
	} else if !allIn(meaning, f.names) {
		notes = append(notes, names)
	}
	item := "`" + f.key + standard + "`"
	if notes = slices.DeleteFunc(notes, func(note string) bool { return note == "" }); len(notes) > 0 {
		item += " (" + strings.Join(notes, "; ") + ")"
	}
	// A minus sign replaces " - ", so that no wrapped line begins like a list item.
	item += ": " + d.linked(strings.NewReplacer("<", "&lt;", " - ", " − ").Replace(meaning))
	d.say("%s\n", testkit.Wrapped("- ", item))
}

// The method linked turns the decisions and the pages that a sentence names into links.
func (d *settingsDoc) linked(sentence string) string {
	sentence = pageName.ReplaceAllString(sentence, "[$0]($0)")
	return decisionName.ReplaceAllStringFunc(sentence, func(named string) string {
		paths, err := filepath.Glob("../../docs/decisions/" + strings.TrimPrefix(named, "decision ") + "-*.md")
		if err != nil || len(paths) != 1 {
			d.t.Errorf("a comment names %s, but the files are %q", named, paths)
			return named
		}
		return "[" + named + "](decisions/" + filepath.Base(paths[0]) + ")"
	})
}

var pageName = regexp.MustCompile(`\b[a-z]+\.md\b`)

var decisionName = regexp.MustCompile(`\bdecision \d{3}\b`)

// allIn reports whether a sentence contains every name in quotes.
func allIn(sentence string, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !strings.Contains(sentence, strconv.Quote(name))
	})
}

// interval returns the bounds in a must tag as an interval, such as "1–10" or "> 0, ≤ 1".
func interval(must string) string {
	// The page states these bounds once, at the top.
	if must == "0 or more" || must == fmt.Sprintf("from 1 to %d", recipe.Widest) {
		return ""
	}
	var low, high string
	for _, form := range []struct{ words, symbols string }{
		{"from %s to %s", "%s–%s"},
		{"at least %s and below %s", "%s–<%s"},
		{"above %s and at most %s", "> %s, ≤ %s"},
		{"above %s and below %s", "> %s, < %s"},
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

// standardOf returns a key's default as in an experiment file, such as " = 0.15", or "" if the key
// has no default.
func standardOf(f *field) string {
	if f.standard.CanInt() && !f.takes(float64(f.standard.Int())) ||
		f.standard.IsZero() && f.standard.Kind() == reflect.String ||
		f.standard.Kind() == reflect.Slice && f.standard.Len() == 0 {
		return ""
	}
	return " = " + tomlOf(f.standard)
}

// wordsOf returns the entries of a list as text.
func wordsOf(v reflect.Value) (words []string) {
	for i := 0; v.Kind() == reflect.Slice && i < v.Len(); i++ {
		words = append(words, formatValue(v.Index(i)))
	}
	return words
}

// tomlOf returns a value in TOML syntax.
func tomlOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Slice:
		var entries []string
		for i := range v.Len() {
			entries = append(entries, tomlOf(v.Index(i)))
		}
		return "[" + strings.Join(entries, ", ") + "]"
	}
	return formatValue(v)
}

// ownerOf returns the struct that declares a field: t, or a struct that t embeds.
func ownerOf(t reflect.Type, index []int) reflect.Type {
	for _, i := range index[:len(index)-1] {
		t = t.Field(i).Type
	}
	return t
}

// tablesWithAll returns the tables whose struct embeds T.
func tablesWithAll[T any]() []string {
	embedded := reflect.TypeFor[T]().Name()
	of := lists.Filter(reflect.VisibleFields(reflect.TypeFor[Settings]()), func(f reflect.StructField) bool {
		_, ok := f.Type.FieldByName(embedded)
		return ok && slices.Contains(tables, keyOf(f))
	})
	return lists.Map(of, keyOf)
}

// tablesHave returns a sentence that lists the tables whose struct embeds T.
func tablesHave[T any]() string {
	return "The tables `[" + strings.Join(tablesWithAll[T](), "]`, `[") + "]` have these keys too."
}
