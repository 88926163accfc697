package experiment

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// notBare matches values that contain TOML syntax: quotes, brackets, line breaks or comments. Any
// other value that is not valid TOML is taken as a string without quotes.
var notBare = regexp.MustCompile(`^["'\[{]|[\n#]`)

// override applies one "--set a.b=value" to the raw tree, like a line of the file. The result says
// what is wrong with the override, or is "".
func (l *loader) override(set string) (wrong string) {
	key, value, found := strings.Cut(set, "=")
	if value = strings.TrimSpace(value); !found || strings.TrimSpace(key) == "" || value == "" {
		return "write table.key=value, such as masking.lambda_eps=0.3"
	}
	if strings.ContainsRune(set, '\n') {
		return "write it on one line"
	}
	path := dottedKey(key)
	if path == nil {
		return "the part before the = is not a key such as masking.lambda_eps"
	}
	var tree map[string]any
	_, err := toml.Decode(key+" = "+value, &tree)
	if err != nil && !notBare.MatchString(value) {
		_, err = toml.Decode(key+` = "`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)+`"`, &tree)
	}
	if err != nil && strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") {
		return "this is not a TOML list: words in it need quotes, in a shell as '" + key + "=[\"a\", \"b\"]'"
	}
	if err != nil {
		return "this is not a TOML value: write a number, true, false, a word, \"a string\" or a list such as [0.15, 0.5]"
	}
	leaf := descend(tree, path)
	if _, isTable := leaf.(map[string]any); isTable {
		return "set one key at a time, not a table"
	}
	if what := map[string]string{"datasets": "data set", "variants": "variant"}[path[0]]; len(path) > 1 && what != "" {
		known, _ := l.raw[path[0]].(map[string]any)
		if _, ok := known[path[1]]; !ok {
			names := slices.Sorted(maps.Keys(known))
			return "the file has no " + what + " \"" + path[1] + "\": " + wording.Suggest(path[1], names, "it has "+
				cmp.Or(strings.Join(names, ", "), "none"))
		}
	}
	node := l.raw
	for i, part := range path[:len(path)-1] {
		if _, ok := node[part]; !ok {
			node[part] = map[string]any{}
			l.sets[strings.Join(path[:i+1], ".")] = set
		}
		child, ok := node[part].(map[string]any)
		if !ok {
			return "in the file " + part + " is not a table"
		}
		node = child
	}
	node[path[len(path)-1]] = leaf
	dotted := strings.Join(path, ".")
	l.sets[dotted] = set
	l.order = lists.AddOnce(l.order, dotted)
	return ""
}

// dottedKey splits a TOML key such as a."b c".d. It returns nil for an invalid key.
func dottedKey(key string) toml.Key {
	var tree map[string]any
	md, err := toml.Decode(key+" = 0", &tree)
	if err != nil {
		return nil
	}
	var path toml.Key // the longest key; the others are its parents
	for _, k := range md.Keys() {
		if len(k) > len(path) {
			path = k
		}
	}
	return path
}

func descend(tree map[string]any, path toml.Key) any {
	var node any = tree
	for _, part := range path {
		node = node.(map[string]any)[part]
	}
	return node
}
