package demo

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// The chances, in percent, that a sentence has these features.
const (
	chanceMixed    = 2  // uses a mixed template, which praises one thing and blames another
	chanceContrary = 30 // swaps the styles of a mixed template, so that the style cannot be known for sure
	chanceGuests   = 7  // uses a template about guests
	chanceStaff    = 16 // uses a template about staff
	chanceOwn      = 50 // uses a template of the topic, not a general one
	chanceNear     = 75 // takes the second topic from the area of the first
	chanceOpener   = 14
	chanceCloser   = 14
	chanceTail     = 25
	chanceLook     = 45 // fills {adj} with an adjective of the topic, not a general one
	chanceStop     = 60 // ends with a full stop; people often leave it out
	chanceExclaim  = 15 // ends with an exclamation mark if there is no full stop
)

// agreeing maps words to their singular and plural. These words must agree with the thing that the
// sentence named last.
var agreeing = map[string][2]string{"was": {"was", "were"}, "is": {"is", "are"}, "it": {"it", "they"}}

// present maps the past forms of verbs, which fill the template slot {sense}, to their present
// forms.
var present = map[string]string{
	"felt": "feel", "looked": "look", "seemed": "seem", "sounded": "sound", "tasted": "taste",
}

// sentence is a sentence in both styles.
type sentence struct {
	*maker
	topics [2]*topic
	plural [2]bool // for each topic, whether the thing named last is plural
	used   map[deck][]phrase
	parts  []phrase
}

// sentence draws a sentence.
func (m *maker) sentence() *sentence {
	first, near := pick(m.rng, m.topics), m.chance(chanceNear)
	var template []node
	mixed, contrary := false, false
	switch {
	case m.chance(chanceMixed):
		template = pick(m.rng, m.templates["mixed"])
		mixed, contrary = true, m.chance(chanceContrary)
	case m.chance(chanceGuests):
		template = pick(m.rng, m.templates["guests"])
	case m.chance(chanceStaff):
		first = pick(m.rng, m.staff)
		template = pick(m.rng, first.templates)
	case !first.general || m.chance(chanceOwn):
		template = pick(m.rng, first.templates)
	default:
		template = pick(m.rng, m.templates["general"])
	}
	second := first
	for second == first || near && second.area != first.area {
		second = pick(m.rng, m.topics)
	}
	s := &sentence{
		maker: m, topics: [2]*topic{first, second}, used: map[deck][]phrase{}, parts: make([]phrase, 0, maxWords),
	}
	for _, n := range m.extend(template, !mixed) {
		p := s.fill(n)
		if n.cheerful {
			p[0] = p[1]
		}
		if n.contrary != contrary {
			p[0], p[1] = p[1], p[0]
		}
		s.parts = append(s.parts, p)
	}
	switch {
	case m.chance(chanceStop):
		s.parts = append(s.parts, phrase{".", "."})
	case m.chance(chanceExclaim):
		s.parts = append(s.parts, phrase{"!", "!"})
	}
	return s
}

// extend may put an opening phrase before a template and a closing phrase, called closer or tail,
// after it. Chance decides whether it does.
func (m *maker) extend(template []node, closer bool) []node {
	if m.chance(chanceOpener) {
		if opener := pick(m.rng, m.templates["openers"]); !clash(opener, template) {
			template = slices.Concat(opener, template)
		}
	}
	if closer && m.chance(chanceCloser) {
		return slices.Concat(template, pick(m.rng, m.templates["closers"]))
	}
	if m.chance(chanceTail) {
		if tail := pick(m.rng, m.templates["tails"]); !clash(tail, template) {
			return slices.Concat(template, tail)
		}
	}
	return template
}

// clash reports whether an opener or tail does not go with a template. This is so if both have the
// same slot, or if the opener or tail names a time and the template is not about the past.
func clash(extra, template []node) bool {
	for _, n := range extra {
		for _, other := range template {
			same := n.slot != "" && n.slot == other.slot
			notPast := other.slot == "is" || other.text[0] == "will" || other.text[0] == "would"
			if same || n.slot == "time" && notPast {
				return true
			}
		}
	}
	return false
}

func (m *maker) chance(percent int) bool { return m.rng.IntN(100) < percent }

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// fill returns the phrase of a node.
func (s *sentence) fill(n node) phrase {
	if n.slot == "" {
		return n.text
	}
	t, slot := s.topics[n.topic], n.slot
	if forms, ok := agreeing[slot]; ok {
		return s.agree(n.topic, forms)
	}
	switch slot {
	case "sense":
		return pick(s.rng, t.words["sense"])
	case "senses":
		verb := present[pick(s.rng, t.words["sense"])[0]]
		return s.agree(n.topic, [2]string{verb + "s", verb})
	case "adj":
		slot = "good"
		if s.chance(chanceLook) {
			slot = "look"
		}
	}
	p := s.deal(t, slot)
	if slot == "thing" || slot == "one" {
		s.plural[n.topic] = slices.Contains(t.words["several"], p)
	}
	return p
}

func (s *sentence) agree(topic int, forms [2]string) phrase {
	if s.plural[topic] {
		return phrase{forms[1], forms[1]}
	}
	return phrase{forms[0], forms[0]}
}

// deal takes the next phrase from a deck, but skips phrases that the sentence has used. After "a"
// it also skips a phrase that needs "a" in one style and "an" in the other.
func (s *sentence) deal(t *topic, slot string) phrase {
	list := t.words[slot]
	if list == nil {
		list = s.lists[slot]
	}
	name := deck{t, slot}
	used := name
	if slot == "one" {
		used.slot = "thing" // the slots "one" and "thing" do not repeat each other's phrases
	}
	unused := func(p phrase) bool { return !slices.Contains(s.used[used], p) }
	for {
		index := slices.IndexFunc(s.decks[name], unused)
		if index < 0 {
			if !slices.ContainsFunc(list, unused) {
				panic("demo: too few phrases for {" + slot + "} of " + t.name)
			}
			for _, i := range s.rng.Perm(len(list)) {
				s.decks[name] = append(s.decks[name], list[i])
			}
			continue
		}
		p := s.decks[name][index]
		s.decks[name] = slices.Delete(s.decks[name], index, index+1)
		s.used[used] = append(s.used[used], p)
		afterA := len(s.parts) > 0 && s.parts[len(s.parts)-1][0] == "a"
		if !afterA || wantsAn(p[0]) == wantsAn(p[1]) {
			return p
		}
	}
}

// render returns the words of the sentence in a style.
func (s *sentence) render(style int) []string {
	words := make([]string, 0, maxWords)
	for _, p := range s.parts {
		words = slices.AppendSeq(words, strings.FieldsSeq(p[style]))
	}
	for i := range len(words) - 1 {
		if words[i] == "a" && wantsAn(words[i+1]) {
			words[i] = "an"
		}
	}
	return words
}

// wantsAn reports whether the article before a word is "an".
func wantsAn(word string) bool { return strings.IndexByte("aeiou", word[0]) >= 0 || word == "honest" }
