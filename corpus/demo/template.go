package demo

import "strings"

// node is a piece of a template: words, a choice by style, or a slot.
type node struct {
	text     pair   // words (equal ones) or a choice; unused in a slot
	slot     string // name of a slot without its 2, "" in a text
	second   bool   // the slot is of the second topic
	contrary bool   // against the style of the sentence
}

// parse reads a template; it panics on a malformed one, which the tests would see.
func parse(template string) []node {
	var nodes []node
	for rest := template; rest != ""; {
		open := strings.IndexAny(rest, "{[")
		if open < 0 {
			return append(nodes, node{text: pair{rest, rest}})
		}
		if open > 0 {
			nodes = append(nodes, node{text: pair{rest[:open], rest[:open]}})
		}
		end := strings.IndexAny(rest, "}]")
		if end < open {
			panic("demo: no closing bracket in " + template)
		}
		inside := rest[open+1 : end]
		if rest[open] == '[' {
			gloomy, cheerful, ok := strings.Cut(inside, "|")
			if !ok {
				panic("demo: a choice without | in " + template)
			}
			nodes = append(nodes, node{text: pair{gloomy, cheerful}})
		} else {
			name, contrary := strings.CutPrefix(inside, "!")
			name, second := strings.CutSuffix(name, "2")
			nodes = append(nodes, node{slot: name, second: second, contrary: contrary})
		}
		rest = rest[end+1:]
	}
	return nodes
}

// has reports whether a slot occurs in a template.
func has(nodes []node, slot string) bool {
	for _, n := range nodes {
		if n.slot == slot {
			return true
		}
	}
	return false
}

// derivation is a sentence with every choice made but that of the style.
type derivation []pair

// render writes the sentence in a style, as words.
func (d derivation) render(style int) []string {
	var b strings.Builder
	for _, p := range d {
		b.WriteString(p[style])
		b.WriteByte(' ')
	}
	words := strings.Fields(b.String())
	for i := range len(words) - 1 {
		if words[i] == "a" && (strings.IndexByte("aeiou", words[i+1][0]) >= 0 || words[i+1] == "honest") {
			words[i] = "an"
		}
	}
	return words
}
