// Package demo makes the demo corpus: guests' notes about the harbour town of Pellow, which does
// not exist. A seed and the grammar in this package's tables make every sentence; nothing is read
// from disk and nothing was taken from another corpus.
package demo

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Seed is the seed of the corpus that ships.
const Seed = 1871

// Shortest and longest sentence, in words with the full stop.
const (
	minWords = 4
	maxWords = 14
)

// Moods is the grammar of the corpus "demo".
var Moods = &Tables{
	Labels: []string{"gloomy", "cheerful"},
	train:  30000, dev: 400, test: 200, stops: 60, exclaims: 15,
	topics: slices.Concat(tableTopics, innTopics, quayTopics, townTopics), staff: staffTopics,
	templates: templates, mixed: mixed, openers: openers, tails: tails, closers: closers,
	styled: map[string][]phrase{
		"good": goods, "trait": traits, "manner": manners, "skill": skills, "act": acts, "feel": feels, "noun": nouns,
		"made": made, "est": ests, "cost": costs, "ease": eases, "price": prices, "view": views,
		"talked": talked, "sighed": sighed, "frowned": frowned, "yawned": yawned, "adverb": adverbs, "smell": smells,
		"cooked": cooked, "scent": scents, "effect": effects, "filled": filled, "slept": slept, "treat": treats, "moved": moved,
	},
}

// Corpus is what Generate makes: sentences as words, by style, and Refs by direction: from style 0
// to 1, to 2 and so on, then from style 1. The i-th of Refs is the i-th of Test in the style that
// the direction goes to.
type Corpus struct {
	Train, Dev, Test, Refs [][][]string
}

// Generate makes the corpus of a seed: the same on every machine. No sentence occurs twice, in
// whatever split or style, and no sentence has its rewrite anywhere but among the references.
func (t *Tables) Generate(seed uint64) *Corpus {
	rng, seen := rand.New(rand.NewPCG(seed, 0)), map[string]bool{}
	n := len(t.Labels)
	c := &Corpus{Train: make([][][]string, n), Dev: make([][][]string, n), Test: make([][][]string, n)}
	for style := range n {
		fresh := t.fresh(rng, seen)
		refs := make([][][]string, n)
		for range t.test {
			s := fresh()
			c.Test[style] = append(c.Test[style], s[style])
			for to := range n {
				refs[to] = append(refs[to], s[to])
			}
		}
		c.Refs = append(c.Refs, slices.Delete(refs, style, style+1)...)
		for range t.dev {
			c.Dev[style] = append(c.Dev[style], fresh()[style])
		}
		for range t.train {
			c.Train[style] = append(c.Train[style], fresh()[style])
		}
	}
	return c
}

// More makes n more sentences of each style by another seed, none twice. They may be sentences of
// the corpus of Seed, or their rewrites.
func (t *Tables) More(n int) [][][]string {
	more, rng, seen := make([][][]string, len(t.Labels)), rand.New(rand.NewPCG(Seed+1, 0)), map[string]bool{}
	for style := range t.Labels {
		fresh := t.fresh(rng, seen)
		for range n {
			more[style] = append(more[style], fresh()[style])
		}
	}
	return more
}

// fresh returns what makes sentences from decks of its own, each in every style, of which none was
// seen.
func (t *Tables) fresh(rng *rand.Rand, seen map[string]bool) func() [][]string {
	g, decks := newGrammar(t), map[dealt][]int{}
	return func() [][]string {
		for {
			d := g.derive(rng, decks)
			rendered, texts := make([][]string, len(t.Labels)), make([]string, len(t.Labels))
			usable := true
			for k := range rendered {
				rendered[k] = d.render(k)
				texts[k] = strings.Join(rendered[k], " ")
				usable = usable && !seen[texts[k]] && fits(rendered[k]) && !slices.Contains(texts[:k], texts[k])
			}
			if !usable {
				continue
			}
			for _, text := range texts {
				seen[text] = true
			}
			return rendered
		}
	}
}

func fits(words []string) bool { return len(words) >= minWords && len(words) <= maxWords }
