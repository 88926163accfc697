package demo

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Shares of the sentences, in percent.
const (
	shareMixed    = 2  // from the mixed templates
	shareContrary = 30 // of these: every style word the other way, so no reader can be sure
	shareGuests   = 7  // about the guests
	shareStaff    = 16 // about the staff
	shareClass    = 50 // from templates for one class of things, not for all
	shareOpener   = 14
	shareTail     = 25
	shareCloser   = 14
	shareLook     = 45 // of the adjectives: of the topic, not for everything
	shareNear     = 75 // whose second topic is of the group of the first
)

// Tables say how the sentences of a corpus are made.
type Tables struct {
	Labels           []string // the names of styles 0, 1 and so on
	train, dev, test int      // sentences of each style
	stops            int      // sentences of 100 that end with a full stop; people who type one often leave it out
	exclaims         int      // of the others, so many of 100 end with an exclamation mark

	topics    []topic
	staff     []topic             // have no things, but templates of their own
	templates map[string][]string // of clauses, by the class or the also of a topic; "": for every topic
	styled    map[string][]phrase // lists whose phrases have a style, by slot
	mixed     []string            // templates that blame and praise in one breath; there may be none
	openers   []string            // neutral, before a clause
	tails     []string            // neutral, after a clause
	closers   []string            // tails with a style
}

// grammar is the parsed tables.
type grammar struct {
	*Tables
	topics    []*topic
	templates map[string][][]node
	clauses   map[*topic][][]node // the templates of its class and of what else fits it
	mixed     [][]node
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
		Tables: tables, templates: map[string][][]node{},
		clauses: map[*topic][][]node{}, mixed: all(tables.mixed),
		openers: all(tables.openers), tails: all(tables.tails), closers: all(tables.closers),
	}
	for class, list := range tables.templates {
		g.templates[class] = all(list)
	}
	for i := range tables.topics {
		g.topics = append(g.topics, &tables.topics[i])
		if tables.topics[i].often {
			g.topics = append(g.topics, &tables.topics[i])
		}
	}
	for _, list := range [][]topic{tables.topics, tables.staff} {
		for i := range list {
			t := &list[i]
			for _, name := range append([]string{t.class}, t.also...) {
				g.clauses[t] = append(g.clauses[t], g.templates[name]...)
			}
		}
	}
	return g
}

// derive draws a sentence from decks, which it leaves for the next one.
func (g *grammar) derive(rng *rand.Rand, decks map[dealt][]int) derivation {
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	d := &drawer{grammar: g, rng: rng, used: make(map[string][]int), decks: decks}
	d.topics[0] = pick(rng, g.topics)
	near := chance(shareNear)
	var clause []node
	contrary, plain := false, true
	switch guests := g.templates["guests"]; {
	case len(g.mixed) > 0 && chance(shareMixed):
		clause, contrary, plain = pick(rng, g.mixed), chance(shareContrary), false
	case len(guests) > 0 && chance(shareGuests):
		clause = pick(rng, guests)
	case chance(shareStaff):
		d.topics[0] = &g.staff[rng.IntN(len(g.staff))]
		clause = pick(rng, g.clauses[d.topics[0]])
	case d.topics[0].own || chance(shareClass):
		clause = pick(rng, g.clauses[d.topics[0]])
	default:
		clause = pick(rng, g.templates[""])
	}
	d.topics[1] = d.topics[0]
	for d.topics[1] == d.topics[0] || near && d.topics[1].group != d.topics[0].group {
		d.topics[1] = pick(rng, g.topics)
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
	for i, n := range nodes {
		d.behindA = i > 0 && nodes[i-1].slot == "" && endsInA(nodes[i-1].text.in(0))
		p := d.fill(n)
		if n.last {
			p = p[len(p)-1:]
		}
		if n.contrary != contrary {
			p = p.contrary()
		}
		out = append(out, p)
	}
	switch {
	case chance(g.stops):
		return append(out, phrase{"."})
	case chance(g.exclaims):
		return append(out, phrase{"!"})
	}
	return out
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// clash reports whether an opener or tail would repeat a kind of phrase that the sentence has, or
// say when something was that the sentence says is so.
func clash(extra, nodes []node) bool {
	if has(extra, "time") && (has(nodes, "is") || slices.ContainsFunc(nodes, func(n node) bool {
		return n.slot == "" && slices.ContainsFunc(strings.Fields(n.text.in(0)), func(word string) bool {
			return word == "will" || word == "would"
		})
	})) {
		return true
	}
	return slices.ContainsFunc(extra, func(n node) bool { return n.slot != "" && has(nodes, n.slot) })
}

// drawer fills the slots of one sentence, no entry of a list twice.
type drawer struct {
	grammar *grammar
	rng     *rand.Rand
	topics  [2]*topic
	plural  [2]bool // number of the thing last drawn of each topic
	decks   map[dealt][]int
	behindA bool // the slot stands behind "a"
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
		single := len(t.things) + len(t.mass)
		i := d.index(key, single+len(t.many))
		d.plural[which] = i >= single
		return phrase{slices.Concat(t.things, t.mass, t.many)[i]}
	case "one":
		d.plural[which] = false
		return phrase{t.things[d.index("thing", len(t.things))]}
	case "some":
		list := slices.Concat(t.mass, t.many)
		return phrase{list[d.index(key, len(list))]}
	case "several":
		return phrase{t.many[d.index(key, len(t.many))]}
	case "was":
		return d.agree(which, "was", "were")
	case "is":
		return d.agree(which, "is", "are")
	case "it":
		return d.agree(which, "it", "they")
	case "sense":
		return phrase{pick(d.rng, t.senses)}
	case "senses":
		now := present[pick(d.rng, t.senses)]
		return d.agree(which, now+"s", now)
	case "look":
		return d.styled("adj"+key[len(n.slot):], t.looks)
	case "adj":
		if good := d.grammar.Tables.styled["good"]; good != nil && d.rng.IntN(100) >= shareLook {
			return d.styled("good"+key[len(n.slot):], good)
		}
		return d.styled(key, t.looks)
	case "deed":
		return d.styled(key, t.deeds)
	case "where":
		list := places[t.places]
		return phrase{list[d.index(key, len(list))]}
	case "job":
		return phrase{t.jobs[d.index(key, len(t.jobs))]}
	}
	if list := d.grammar.Tables.styled[n.slot]; list != nil {
		return d.styled(key, list)
	}
	list := neutral[n.slot]
	if list == nil {
		panic("demo: no slot " + n.slot)
	}
	return phrase{list[d.index(key, len(list))]}
}

// index deals from 0..n-1 what the sentence has not drawn under key. Of every list each entry comes
// up before one comes up again, so that words without a style are as frequent in each style.
func (d *drawer) index(key string, n int) int {
	which := 0
	if strings.HasSuffix(key, "2") {
		which = 1
	}
	deck := dealt{d.topics[which], strings.TrimSuffix(key, "2"), n}
	for {
		cards := d.decks[deck]
		at := slices.IndexFunc(cards, func(i int) bool { return !slices.Contains(d.used[key], i) })
		if at < 0 {
			d.decks[deck] = append(cards, d.rng.Perm(n)...)
			continue
		}
		i := cards[at]
		d.decks[deck] = slices.Delete(cards, at, at+1)
		d.used[key] = append(d.used[key], i)
		return i
	}
}

// dealt names a list of n entries: that of a topic.
type dealt struct {
	topic *topic
	slot  string
	n     int
}

// present has the present tense of verbs of perception.
var present = map[string]string{
	"felt": "feel", "looked": "look", "seemed": "seem", "sounded": "sound", "tasted": "taste",
}

// styled draws what the sentence has not drawn under key; behind "a" what wants the same article in
// every style.
func (d *drawer) styled(key string, list []phrase) phrase {
	for {
		p := list[d.index(key, len(list))]
		if !d.behindA || !slices.ContainsFunc(p, func(word string) bool { return wantsAn(word) != wantsAn(p[0]) }) {
			return p
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
	last     bool   // the slot has the word of the last style in every style
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
			name, last := strings.CutPrefix(name, "+")
			name, second := strings.CutSuffix(name, "2")
			nodes = append(nodes, node{slot: name, second: second, contrary: contrary, last: last})
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
		if words[i] == "a" && wantsAn(words[i+1]) {
			words[i] = "an"
		}
	}
	return words
}

// endsInA reports whether the last word of a text is "a".
func endsInA(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && words[len(words)-1] == "a"
}

// wantsAn reports whether the article before a word is "an".
func wantsAn(word string) bool { return strings.IndexByte("aeiou", word[0]) >= 0 || word == "honest" }
