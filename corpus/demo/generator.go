package demo

import (
	"math/rand/v2"
	"slices"
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
