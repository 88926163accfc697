// Package keylines says on which lines the keys of a TOML file stand.
package experiment

import (
	"errors"
	"strings"

	"github.com/BurntSushi/toml"
)

// Of returns the line (from 1) of every key and table of a TOML text that was decoded into root and
// md, by dotted path. The library tells a place only with an error, so every value is decoded into
// a type that refuses it. Tables that no line names of their own have none (see Line).
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

// refuse takes no value.
type refuse struct{}

func (refuse) UnmarshalTOML(any) error { return errors.New("refused") }

// Line returns the line of path, of the first key in it or of its nearest parent that has one, 0
// when there is none.
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
