package demo

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Shares of the sentences, in percent.
const (
	shareMixed    = 3  // from the mixed templates
	shareWeak     = 2  // from the weak templates
	shareContrary = 30 // of mixed and weak ones: every style word the other way, so no reader can be sure
	shareStaff    = 14 // about the staff
	shareClass    = 45 // from templates for one class of things, not for all
	shareOpener   = 20
	shareTail     = 30
	shareCloser   = 10
)

// grammar is the parsed tables.
type grammar struct {
	topics    []*topic
	staff     *topic
	templates map[string][][]node
	mixed     [][]node
	weak      [][]node
	openers   [][]node
	tails     [][]node
	closers   [][]node
}

func newGrammar() *grammar {
	all := func(list []string) (out [][]node) {
		for _, t := range list {
			out = append(out, parse(t))
		}
		return out
	}
	g := &grammar{
		staff: &staffTopic, templates: map[string][][]node{}, mixed: all(mixed), weak: all(weak),
		openers: all(openers), tails: all(tails), closers: all(closers),
	}
	for class, list := range templates {
		g.templates[class] = all(list)
	}
	for _, list := range [][]topic{tableTopics, innTopics, quayTopics, townTopics} {
		for i := range list {
			g.topics = append(g.topics, &list[i])
		}
	}
	return g
}

// derive draws a sentence.
func (g *grammar) derive(rng *rand.Rand) derivation {
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	d := &drawer{rng: rng, used: make(map[string][]int)}
	d.topics[0] = g.topics[rng.IntN(len(g.topics))]
	d.topics[1] = d.topics[0]
	for d.topics[1] == d.topics[0] {
		d.topics[1] = g.topics[rng.IntN(len(g.topics))]
	}
	var clause []node
	contrary, plain := false, true
	switch kind := rng.IntN(100); {
	case kind < shareMixed:
		clause, contrary, plain = pick(rng, g.mixed), chance(shareContrary), false
	case kind < shareMixed+shareWeak:
		clause, contrary, plain = pick(rng, g.weak), chance(shareContrary), false
	case chance(shareStaff):
		d.topics[0] = g.staff
		clause = pick(rng, g.templates[g.staff.class])
	case chance(shareClass):
		clause = pick(rng, g.templates[d.topics[0].class])
	default:
		clause = pick(rng, g.templates[""])
	}
	nodes := slices.Clone(clause)
	if chance(shareOpener) {
		if o := pick(rng, g.openers); !clash(o, nodes) {
			nodes = append(slices.Clone(o), nodes...)
		}
	}
	if plain && chance(shareCloser) {
		nodes = append(nodes, pick(rng, g.closers)...)
	} else if chance(shareTail) {
		if t := pick(rng, g.tails); !clash(t, nodes) {
			nodes = append(nodes, t...)
		}
	}
	var out derivation
	for _, n := range nodes {
		p := d.fill(n)
		if n.contrary != contrary {
			p[0], p[1] = p[1], p[0]
		}
		out = append(out, p)
	}
	return append(out, pair{".", "."})
}

func pick(rng *rand.Rand, list [][]node) []node { return list[rng.IntN(len(list))] }

// clash reports whether an opener or tail would repeat a kind of phrase that the sentence has.
func clash(extra, nodes []node) bool {
	return has(extra, "time") && has(nodes, "time") || has(extra, "with") && has(nodes, "with") ||
		has(extra, "aside") && has(nodes, "aside")
}

// drawer fills the slots of one sentence, no entry of a list twice.
type drawer struct {
	rng    *rand.Rand
	topics [2]*topic
	plural [2]bool // number of the thing last drawn of each topic
	used   map[string][]int
}

// fill draws the phrase of a node, gloomy and cheerful; they are equal where the slot has no style.
func (d *drawer) fill(n node) pair {
	if n.slot == "" {
		return n.text
	}
	which, key := 0, n.slot
	if n.second {
		which, key = 1, n.slot+"2"
	}
	t := d.topics[which]
	switch n.slot {
	case "thing":
		i := d.index(key, len(t.things)+len(t.many))
		if d.plural[which] = i >= len(t.things); d.plural[which] {
			return same(t.many[i-len(t.things)])
		}
		return same(t.things[i])
	case "was":
		return d.agree(which, "was", "were")
	case "is":
		return d.agree(which, "is", "are")
	case "it":
		return d.agree(which, "it", "they")
	case "sense":
		return same(t.sense)
	case "adj":
		return t.looks[d.index(key, len(t.looks))]
	case "deed":
		return t.deeds[d.index(key, len(t.deeds))]
	case "where":
		list := places[t.places]
		return same(list[d.index(key, len(list))])
	case "job":
		return same(jobs[d.index(key, len(jobs))])
	case "trait":
		return traits[d.index(key, len(traits))]
	case "manner":
		return manners[d.index(key, len(manners))]
	case "act":
		return acts[d.index(key, len(acts))]
	}
	list := neutral[n.slot]
	if list == nil {
		panic("demo: no slot " + n.slot)
	}
	return same(list[d.index(key, len(list))])
}

// index draws from 0..n-1 what the sentence has not drawn under key.
func (d *drawer) index(key string, n int) int {
	for {
		if i := d.rng.IntN(n); !slices.Contains(d.used[key], i) {
			d.used[key] = append(d.used[key], i)
			return i
		}
	}
}

func (d *drawer) agree(which int, one, many string) pair {
	if d.plural[which] {
		return same(many)
	}
	return same(one)
}

func same(s string) pair { return pair{s, s} }

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
