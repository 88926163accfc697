package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Load reads the experiment file at path and checks all of it. The parameter "set" has overrides
// ("table.key=value"), which are treated like lines of the file. The error is for the user: one
// line per problem, each with file, line and key.
func Load(path string, set []string) (*Experiment, error) { return LoadCopy(path, path, set) }

// LoadCopy is like Load, but reads the text of the file from a copy. path is used for messages and
// relative paths, and need not exist.
func LoadCopy(path, copied string, set []string) (*Experiment, error) {
	text, err := files.Read(copied)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(
			userr.BadInput, "there is no experiment file %q: give the path of one, such as experiments.toml", path,
		)
	case err != nil:
		return nil, userr.New(
			userr.BadInput, "the experiment file %q cannot be read (%w): give the path of a TOML file", path,
			files.Cause(err),
		)
	}
	if what, do := files.Foreign(text); what != "" {
		return nil, userr.New(userr.BadInput, "%s:1: the experiment file is %s: %s", path, what, do)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolving %q: %w", path, err)
	}
	return parseExperiment(path, abs, string(text), set)
}

// loader turns the raw TOML tree into an Experiment and collects the problems.
type loader struct {
	file     string         // path of the file, as the user wrote it
	raw      map[string]any // the file with the overrides applied
	lines    map[string]int
	sets     map[string]string // path of a key -> the override that sets the key
	order    []string          // dotted paths in order of appearance, overrides last
	exp      *Experiment
	problems []problem
	unread   map[string]bool // keys TABLE.KEY whose value could not be read; ".TABLE" for a whole table
}

// problem is an error at a line of the file.
type problem struct {
	line int
	text string // the message: "mine.toml:12: ..."
}

// parseExperiment is Load for the text of a file. file is the path for messages, and abs is the
// absolute path.
func parseExperiment(file, abs, text string, set []string) (*Experiment, error) {
	l := &loader{
		file: file, raw: map[string]any{}, sets: map[string]string{}, exp: &Experiment{Path: abs, File: file, Set: set},
		unread: map[string]bool{},
	}
	var root toml.Primitive
	md, err := toml.Decode(text, &root)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		// If the TOML library fails at a line break, its line number is one too high. Its offset is
		// right.
		line := 1 + strings.Count(text[:min(max(parse.Position.Start, 0), len(text))], "\n")
		return nil, userr.New(
			userr.BadInput, "%s:%d: not valid TOML: %s; correct this line or the one before it", file, line,
			strings.TrimSuffix(wording.FirstLine(parse.Message), "."),
		)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "%s: not valid TOML: %s", file, wording.FirstLine(err.Error()))
	}
	if err := md.PrimitiveDecode(root, &l.raw); err != nil {
		return nil, fmt.Errorf("reading %q: %w", file, err)
	}
	l.lines = linesOf(&md, root)
	for _, k := range md.Keys() {
		l.order = append(l.order, strings.Join(k, "."))
	}
	for _, s := range set {
		if wrong := l.override(s); wrong != "" {
			l.problems = append(l.problems, problem{1 << 30, "--set " + s + ": " + wrong})
		}
	}
	l.top()
	l.section("slurm", &l.exp.Slurm)
	l.section("track", &l.exp.Track)
	l.datasets()
	l.checkPoints()
	l.exp.place = func(path string) string { _, place := l.place(path); return place }
	return l.exp, l.err()
}

// place returns where the key at path is set: file and line, or the override. The line number of an
// override is higher than all lines of the file, so that its errors come last.
func (l *loader) place(path string) (line int, place string) {
	if s, ok := l.sets[path]; ok {
		return 1 << 30, "--set " + s
	}
	if line = lineOf(l.lines, path); line == 0 {
		return 1 << 30, l.file
	}
	return line, fmt.Sprintf("%s:%d", l.file, line)
}

// bad adds a problem with the key at path. The message is the place of the key, followed by the
// sentence.
func (l *loader) bad(path, sentence string, args ...any) {
	line, place := l.place(path)
	p := problem{line, place + ": " + fmt.Sprintf(sentence, args...)}
	l.problems = lists.AddOnce(l.problems, p)
}

// tree returns the table v at a path, or records a problem if v is not a table.
func (l *loader) tree(path string, v any) (tree map[string]any, ok bool) {
	if tree, ok = v.(map[string]any); !ok {
		l.bad(path, "%s is %s, but must be a table: [%s]", path, describeValue(v), path)
	}
	return tree, ok
}

// err returns all problems in the order of the file, or nil.
func (l *loader) err() error {
	if len(l.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(l.problems, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	lines := lists.Map(l.problems, func(p problem) string { return p.text })
	return userr.New(userr.BadInput, "%s", strings.Join(lines, "\n"))
}

// The method unknown reports an unknown key and suggests the nearest known one.
func (l *loader) unknown(path, where string, known []string) {
	table, key := splitLast(path)
	_, table = splitLast(table)
	l.unread[table+"."+wording.Nearest(key, known)] = true
	otherwise := "leave it out, or use one of " + strings.Join(known, ", ")
	if t := tablesWith(key); len(t) > 0 && !isFixed(table+"."+key) {
		otherwise = fmt.Sprintf("leave it out, or move it to [%s], where this name is known", strings.Join(t, "] or ["))
	}
	l.bad(path, "unknown key %q%s: %s", key, where, cmp.Or(wording.Suggest(key, known, ""), otherwise))
}

// unsure reports whether the value of a key could not be read. Checks that depend on this value are
// skipped.
func (l *loader) unsure(path string) bool {
	table, _ := splitLast(path)
	return l.unread[path] || l.unread["."+table]
}

// splitLast splits off the last part of a dotted path.
func splitLast(path string) (parent, key string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
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

// linesOf returns the line of every key and table by dotted path. Lines count from 1. root and md
// hold the decoded TOML text. The library gives positions only in errors, so linesOf decodes every
// value into a type that always returns an error. Tables without a line of their own are not in the
// result (see lineOf).
func linesOf(md *toml.MetaData, root toml.Primitive) map[string]int {
	lines := map[string]int{}
	var walk func(path []string, value toml.Primitive)
	walk = func(path []string, value toml.Primitive) {
		var refused toml.ParseError
		if errors.As(md.PrimitiveDecode(value, refuse{}), &refused) && refused.Position.Line > 0 {
			lines[strings.Join(path, ".")] = refused.Position.Line
		}
		var table map[string]toml.Primitive
		if md.PrimitiveDecode(value, &table) == nil {
			for key, v := range table {
				walk(append(path[:len(path):len(path)], key), v)
			}
		}
	}
	walk(nil, root)
	return lines
}

// refuse is a type that no TOML value can be decoded into.
type refuse struct{}

func (refuse) UnmarshalTOML(any) error { return errors.New("refused") }

// lineOf returns the first line of the key or table at path. If neither path nor a key in it has a
// line, lineOf returns the first line of the nearest parent that has one, or 0.
func lineOf(lines map[string]int, path string) int {
	for {
		first, ok := lines[path]
		for key, n := range lines {
			if path != "" && strings.HasPrefix(key, path+".") && (!ok || n < first) {
				first, ok = n, true
			}
		}
		if ok || path == "" {
			return first
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
}
