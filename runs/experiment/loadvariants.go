package experiment

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// overlay is one [variants.NAME] as the file has it.
type overlay struct {
	name        string
	profile     string
	changes     []string
	assignments map[string]assignment
}

// variants reads [variants.NAME] in the order of the file. Without any there is one nameless
// overlay that changes nothing.
func (l *loader) variants() []overlay {
	plain := []overlay{{profile: l.exp.Profile}}
	v, ok := l.raw["variants"]
	if !ok {
		return plain
	}
	named, isTable := v.(map[string]any)
	if !isTable || len(named) == 0 {
		l.bad("variants", "variants is %s, but must be tables: [variants.NAME]", describeValue(v))
		return plain
	}
	var out []overlay
	for _, name := range l.inOrder("variants", named) {
		path := "variants." + name
		if !goodName.MatchString(name) || strings.Contains(name, ".") {
			l.bad(path, "the variant's name %q must be letters, digits, dashes or underscores", name)
		}
		if tree, ok := l.tree(path, named[name]); ok {
			out = append(out, l.variant(name, tree))
		}
	}
	if len(out) == 0 {
		return plain
	}
	return out
}

func (l *loader) variant(name string, tree map[string]any) overlay {
	path := "variants." + name
	o := overlay{name: name, profile: l.exp.Profile}
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		switch {
		case key == "profile":
			s, ok := tree[key].(string)
			if !ok {
				l.bad(path+".profile", "%s.profile is %s, but must be a string", path, describeValue(tree[key]))
				continue
			}
			l.checkProfile(path+".profile", s)
			o.profile, o.changes = s, append(o.changes, "profile = "+s)
		case key == "report":
			l.bad(path+".report", "[report] is for the whole experiment and cannot be set for one variant: take it out")
		case !slices.Contains(tables, key):
			l.unknown(path+"."+key, " in ["+path+"]", append([]string{"profile"}, tables...))
		}
	}
	delete(tree, "report")
	o.assignments = l.assignments(tree, path+".")
	for _, f := range schema {
		if a, ok := o.assignments[f.path]; ok {
			values := lists.Map(a.values, formatValue)
			o.changes = append(o.changes, f.path+" = "+strings.Join(values, ", "))
		}
	}
	return o
}

func (l *loader) checkProfile(path, profile string) {
	if !slices.Contains(Profiles, profile) {
		l.unread["profile"] = true
		l.bad(path, "%s is %q, but must be %s%s", path, profile, wording.Choice(Profiles),
			wording.DidYouMean(profile, Profiles))
	}
}

// inOrder lists the tables [parent.NAME] in the order in which the file first names them.
func (l *loader) inOrder(parent string, named map[string]any) []string {
	first := func(name string) int {
		path := parent + "." + name
		return slices.IndexFunc(l.order, func(p string) bool { return p == path || strings.HasPrefix(p, path+".") })
	}
	names := slices.Sorted(maps.Keys(named))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(first(a), first(b)) })
	return names
}
