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

// Tables say how the sentences of a corpus are made.
type Tables struct {
	Labels           []string // the names of styles 0, 1 and so on
	train, dev, test int      // sentences of each style

	topics    []topic
	staff     topic               // has no things, but templates of its own
	templates map[string][]string // of clauses, by the class of their topic; "": for every topic
	styled    map[string][]phrase // lists whose phrases have a style, by slot
	mixed     []string            // templates that blame and praise in one breath; there may be none
	weak      []string            // templates whose style hangs on a word that is neutral elsewhere; likewise
	openers   []string            // neutral, before a clause
	tails     []string            // neutral, after a clause
	closers   []string            // tails with a style
}

// grammar is the parsed tables.
type grammar struct {
	*Tables
	topics    []*topic
	templates map[string][][]node
	mixed     [][]node
	weak      [][]node
	openers   [][]node
	tails     [][]node
	closers   [][]node
}

func newGrammar(tables *Tables) *grammar {
	all := func(list []string) (out [][]node) {
		for _, t := range list {
			out = append(out, parse(t, len(tables.Labels)))
		}
		return out
	}
	g := &grammar{
		Tables: tables, templates: map[string][][]node{}, mixed: all(tables.mixed), weak: all(tables.weak),
		openers: all(tables.openers), tails: all(tables.tails), closers: all(tables.closers),
	}
	for class, list := range tables.templates {
		g.templates[class] = all(list)
	}
	for i := range tables.topics {
		g.topics = append(g.topics, &tables.topics[i])
	}
	return g
}

// derive draws a sentence.
func (g *grammar) derive(rng *rand.Rand) derivation {
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	d := &drawer{grammar: g, rng: rng, used: make(map[string][]int)}
	d.topics[0] = g.topics[rng.IntN(len(g.topics))]
	d.topics[1] = d.topics[0]
	for d.topics[1] == d.topics[0] {
		d.topics[1] = g.topics[rng.IntN(len(g.topics))]
	}
	var clause []node
	contrary, plain := false, true
	switch kind := rng.IntN(100); {
	case len(g.mixed) > 0 && kind < shareMixed:
		clause, contrary, plain = pick(rng, g.mixed), chance(shareContrary), false
	case len(g.weak) > 0 && kind < shareMixed+shareWeak:
		clause, contrary, plain = pick(rng, g.weak), chance(shareContrary), false
	case chance(shareStaff):
		d.topics[0] = &g.staff
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
			p = p.contrary()
		}
		out = append(out, p)
	}
	return append(out, phrase{"."})
}

func pick(rng *rand.Rand, list [][]node) []node { return list[rng.IntN(len(list))] }

// clash reports whether an opener or tail would repeat a kind of phrase that the sentence has.
func clash(extra, nodes []node) bool {
	return slices.ContainsFunc(extra, func(n node) bool { return n.slot != "" && has(nodes, n.slot) })
}

// drawer fills the slots of one sentence, no entry of a list twice.
type drawer struct {
	grammar *grammar
	rng     *rand.Rand
	topics  [2]*topic
	plural  [2]bool // number of the thing last drawn of each topic
	used    map[string][]int
}

// fill draws the phrase of a node.
func (d *drawer) fill(n node) phrase {
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
			return phrase{t.many[i-len(t.things)]}
		}
		return phrase{t.things[i]}
	case "was":
		return d.agree(which, "was", "were")
	case "is":
		return d.agree(which, "is", "are")
	case "it":
		return d.agree(which, "it", "they")
	case "sense":
		return phrase{t.sense}
	case "adj":
		return t.looks[d.index(key, len(t.looks))]
	case "deed":
		return t.deeds[d.index(key, len(t.deeds))]
	case "where":
		list := places[t.places]
		return phrase{list[d.index(key, len(list))]}
	case "job":
		return phrase{jobs[d.index(key, len(jobs))]}
	}
	if list := d.grammar.styled[n.slot]; list != nil {
		return list[d.index(key, len(list))]
	}
	list := neutral[n.slot]
	if list == nil {
		panic("demo: no slot " + n.slot)
	}
	return phrase{list[d.index(key, len(list))]}
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

func (d *drawer) agree(which int, one, many string) phrase {
	if d.plural[which] {
		return phrase{many}
	}
	return phrase{one}
}

// node is a piece of a template: words, a choice by style, or a slot.
type node struct {
	text     phrase // words or a choice; unused in a slot
	slot     string // name of a slot without its 2, "" in a text
	second   bool   // the slot is of the second topic
	contrary bool   // against the style of the sentence
}

// parse reads a template of so many styles; it panics on a malformed one, which the tests would
// see.
func parse(template string, styles int) []node {
	var nodes []node
	for rest := template; rest != ""; {
		open := strings.IndexAny(rest, "{[")
		if open < 0 {
			return append(nodes, node{text: phrase{rest}})
		}
		if open > 0 {
			nodes = append(nodes, node{text: phrase{rest[:open]}})
		}
		end := strings.IndexAny(rest, "}]")
		if end < open {
			panic("demo: no closing bracket in " + template)
		}
		inside := rest[open+1 : end]
		if rest[open] == '[' {
			nodes = append(nodes, node{text: choice(inside, "|", styles)})
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
type derivation []phrase

// render writes the sentence in a style, as words.
func (d derivation) render(style int) []string {
	var b strings.Builder
	for _, p := range d {
		b.WriteString(p.in(style))
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
