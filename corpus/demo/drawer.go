package demo

import (
	"math/rand/v2"
	"slices"
)

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
