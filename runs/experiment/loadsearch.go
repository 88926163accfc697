package experiment

import (
	"maps"
	"reflect"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// search reads [search] and draws its points. Where it is wrong there are none.
func (l *loader) search() {
	v, ok := l.raw["search"]
	if !ok {
		return
	}
	tree, ok := l.tree("search", v)
	if !ok {
		return
	}
	s := &Search{SearchSettings: standard[SearchSettings]("search"), raw: tree}
	before := len(l.problems)
	l.table("search", tree, &s.SearchSettings, "space")
	s.Wrong(func(key string) bool { return tree[key] != nil }, func(key, sentence string) {
		switch {
		case key == "":
			l.bad("search", "[search] %s", sentence)
		case !l.unread["search."+key]:
			l.bad("search."+key, "search.%s %s", key, sentence)
		}
	})
	if f := fieldAt(s.Budget); s.Budget != "" && (f == nil || f.typ.Kind() != reflect.Int || whyNotDrawn(f) != "") {
		l.bad("search.budget", "search.budget is %q, but must be a key that takes whole numbers and can be swept, "+
			"such as smlm.epochs", s.Budget)
	}
	l.ranges(s, tree["space"])
	if _, ok := l.raw["variants"]; ok {
		l.bad("variants", "[search] draws the points, so there can be no [variants]: take one of them out")
	}
	if len(l.problems) > before {
		return
	}
	var wrong string
	if s.Rungs, wrong = s.SearchSettings.Rungs(); wrong != "" {
		l.bad("search.points", "search.points %s", wrong)
		return
	}
	slices.SortFunc(s.drawn, func(a, b drawn) int { return placeOf(a.Key) - placeOf(b.Key) })
	ranges := lists.Map(s.drawn, func(d drawn) searchRange { return d.searchRange })
	var err error
	if s.points, err = drawPoints(ranges, s.Points, uint64(s.Seed)); err != nil {
		l.bad("search.points", "search.points is %d, but %v: draw fewer, or widen [search.space]", s.Points, err)
		return
	}
	l.exp.Search = s
}

// table reads the keys of a table that is for the whole experiment into a struct, which has its
// defaults already, but for those of other, which somebody else reads.
func (l *loader) table(name string, tree map[string]any, into any, other ...string) {
	of := reflect.ValueOf(into).Elem()
	fields := fieldsOf(name, of.Type())
	known := lists.Map(fields, func(f *field) string { return f.key })
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		at := name + "." + key
		i := slices.Index(known, key)
		if i < 0 {
			if !slices.Contains(other, key) {
				l.unknown(at, " in ["+name+"]", append(known, other...))
			}
			continue
		}
		f := fields[i]
		value, wrong := convertValue(tree[key], f.typ)
		sentences := []string{wrong}
		if wrong == "" {
			sentences = f.wrong(value)
			of.FieldByIndex(f.index).Set(value)
		}
		for _, sentence := range sentences {
			l.bad(at, "%s %s", at, sentence)
			l.unread[at] = true
		}
	}
}

// whyNotDrawn says why no points may be drawn of a key, "": they may.
func whyNotDrawn(f *field) string {
	switch {
	case slices.Contains([]string{"vocab", "classifier", "fasttext", "fluency", "lm", "metrics"}, f.table):
		return "belongs to what measures outputs, so that points could not be compared: take it out"
	case !f.sweepable():
		return "cannot be swept: take it out"
	}
	return ""
}

// ranges reads [search.space].
func (l *loader) ranges(s *Search, v any) {
	tree, _ := v.(map[string]any)
	if len(tree) == 0 {
		l.bad("search", "[search.space] is missing or empty: give keys to draw, such as smlm.lr = {log = [1e-4, 1e-2]}")
	}
	for _, table := range l.inOrder("search.space", tree) {
		at := "search.space." + table
		keys, isTable := tree[table].(map[string]any)
		switch {
		case fieldAt(table) != nil:
			l.bad("search.space", "[search.space] has %q in quotes: write %s without them", table, table)
			continue
		case !slices.Contains(tables, table):
			l.unknown(at, " in [search.space]", tables)
			continue
		case !isTable:
			l.bad(at, "%s is %s, but must be a key of [%s] with its range", at, describeValue(tree[table]), table)
			continue
		}
		for _, key := range l.inOrder(at, keys) {
			path := table + "." + key
			switch f := fieldAt(path); {
			case f == nil:
				l.unknown(at+"."+key, " in ["+at+"]", keysOf(table))
			case path == s.Budget:
				l.bad(at+"."+key, "%s is the budget of [search]: take one of them out", at+"."+key)
			case whyNotDrawn(f) != "":
				l.bad(at+"."+key, "%s %s", at+"."+key, whyNotDrawn(f))
			default:
				l.oneRange(s, f, at+"."+key, keys[key])
			}
		}
	}
}

// oneRange reads the range of one key.
func (l *loader) oneRange(s *Search, f *field, at string, v any) {
	takes := map[reflect.Kind]takes{reflect.Int: takesWholeNumbers, reflect.Float64: takesNumbers}[f.typ.Kind()]
	r := searchRange{Key: f.path, Whole: takes == takesWholeNumbers}
	how, list, wrong := readRange(v, takes)
	if wrong != "" {
		l.bad(at, "%s %s", at, wrong)
		return
	}
	values, ok := l.values(at, f, list)
	if !ok {
		return
	}
	r.How, r.N = how, len(values)
	if how != oneOf {
		bounds := lists.Map(values, func(v reflect.Value) float64 {
			return v.Convert(reflect.TypeFor[float64]()).Float()
		})
		if wrong := r.Between(bounds); wrong != "" {
			l.bad(at, "%s %s", at, wrong)
			return
		}
	}
	for _, value := range values {
		for _, sentence := range f.wrong(value) {
			l.bad(at, "%s %s", at, sentence)
		}
	}
	s.drawn = append(s.drawn, drawn{r, values})
}

// searched gives a data set the points of the search. where is where the file sets a key.
func (l *loader) searched(v *variant, where map[string]string) {
	s := l.exp.Search
	if s == nil {
		return
	}
	for _, a := range v.axes {
		l.bad(where[a.path], "%s is a list, but [search] draws the points: give one value, or draw by "+
			"search.space.%s = {choice = [...]}", where[a.path], a.path)
	}
	v.axes, v.search = s.axes(), s
	for _, a := range v.axes {
		if at, ok := where[a.path]; ok && at != "" {
			l.bad(at, "%s is set, and [search] sets it too: take one of them out", at)
		}
		where[a.path] = "search.space." + a.path
		if a.path == s.Budget {
			where[a.path] = "search.budget"
		}
	}
	l.checkChooser(v)
}

// checkChooser refuses a search that does not say by which outputs it chooses.
func (l *loader) checkChooser(v *variant) {
	s, base := l.exp.Search, &v.base
	if slices.ContainsFunc([]string{"smlm.models", "smlm.decoding", "masking.train_on", "masking.methods"}, l.unsure) {
		return
	}
	if n := len(base.Masking.TrainOn); n != 1 {
		l.bad("search", "[search] chooses by outputs of one masking method, but masking.train_on has %d: name one there", n)
	}
	model := l.chooser("model", s.Model, base.SMLM.Models)
	if model == "" {
		return
	}
	ways := lists.Map(base.Outputs(model), func(u recipe.Decoding) string { return string(u) })
	s.Model, s.Decoding = model, l.chooser("decoding", s.Decoding, ways)
}

// chooser is the name that the file gives, or the only one there is; "" after a problem.
func (l *loader) chooser(key, name string, of []string) string {
	switch {
	case slices.Contains(of, name):
		return name
	case name != "":
		l.bad("search."+key, "search.%s is %q, but the experiment has %s%s", key, name, wording.Choice(of),
			wording.DidYouMean(name, of))
	case len(of) == 1:
		return of[0]
	default:
		l.bad("search", "[search] has no %s: say by whose outputs it chooses, %s", key, wording.Choice(of))
	}
	return ""
}
