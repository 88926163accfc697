package demo

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestGenerateIsDeterministic(t *testing.T) {
	a := Generate(7)
	if !reflect.DeepEqual(a, Generate(7)) {
		t.Error("the same seed makes another corpus")
	}
	if reflect.DeepEqual(a.Test, Generate(8).Test) {
		t.Error("another seed makes the same corpus")
	}
}

// TestGenerated checks the sizes of the splits and the form of sentences. No sentence may occur
// twice in any split or style. Rewrites must differ from their sentences and occur nowhere else.
func TestGenerated(t *testing.T) {
	c := Generate(Seed)
	seen := make(map[string]bool)
	check := func(name string, want int, parts [][][]string) {
		if len(parts) != len(Labels) {
			t.Errorf("%s has %d styles", name, len(parts))
		}
		for k, sentences := range parts {
			if len(sentences) != want {
				t.Errorf("%s %d: %d sentences, want %d", name, k, len(sentences), want)
			}
			for _, words := range sentences {
				text := strings.Join(words, " ")
				if seen[text] {
					t.Errorf("%s %d: %q occurs twice", name, k, text)
				}
				seen[text] = true
				clause, mark := strings.CutSuffix(text, " !")
				if !mark {
					clause, _ = strings.CutSuffix(text, " .")
				}
				if len(words) < minWords || len(words) > maxWords || text != strings.ToLower(text) ||
					strings.ContainsAny(clause, "{}()[]|!_/+=#") {
					t.Errorf("%s %d: malformed %q", name, k, text)
				}
			}
		}
	}
	check("train", 30000, c.Train)
	check("dev", 400, c.Dev)
	check("test", 200, c.Test)
	check("reference", 200, c.Refs)
}

// TestMore checks that the additional sentences have no duplicates and that most of them are not in
// the corpus.
func TestMore(t *testing.T) {
	known, seen := map[string]bool{}, map[string]bool{}
	for _, sentences := range Generate(Seed).Train {
		for _, words := range sentences {
			known[strings.Join(words, " ")] = true
		}
	}
	old := 0
	for style, sentences := range MoreSentences(500) {
		if len(sentences) != 500 {
			t.Errorf("style %d: %d sentences", style, len(sentences))
		}
		for _, words := range sentences {
			text := strings.Join(words, " ")
			if seen[text] {
				t.Errorf("style %d: %q occurs twice", style, text)
			}
			seen[text] = true
			if known[text] {
				old++
			}
		}
	}
	if old > 100 {
		t.Errorf("%d of 1,000 sentences are in the corpus", old)
	}
}

// TestReferencesExchangeWords checks that a rewrite has as many words as its sentence, shares most
// of them, and never changes "a" into "an" or back.
func TestReferencesExchangeWords(t *testing.T) {
	c := Generate(Seed)
	kept, total, several := 0, 0, 0
	for k := range 2 {
		for i, source := range c.Test[k] {
			other := c.Refs[k][i]
			if len(other) != len(source) {
				t.Fatalf("%v has another length than %v", other, source)
			}
			exchanged := 0
			for j, w := range source {
				total++
				if w == other[j] {
					kept++
					continue
				}
				exchanged++
				if w == "a" || w == "an" {
					t.Errorf("%v has another article than %v", other, source)
				}
			}
			if exchanged > 1 {
				several++
			}
		}
	}
	share := float64(kept) / float64(total)
	t.Logf("%.3f of the words are kept, %d of %d sentences have several words with a style", share, several,
		2*TestSentences)
	if share < 0.70 || share > 0.90 {
		t.Errorf("%.3f of the words are kept", share)
	}
	if several < TestSentences/2 || several > 3*TestSentences/2 {
		t.Errorf("%d of %d sentences have several words with a style", several, 2*TestSentences)
	}
}

// TestContentIsBalanced checks that the nouns for things and staff are equally frequent in gloomy
// and cheerful training text, so that they do not help a classifier.
func TestContentIsBalanced(t *testing.T) {
	var counts [2]map[string]int
	for k, sentences := range Generate(Seed).Train {
		counts[k] = map[string]int{}
		for _, words := range sentences {
			for _, w := range words {
				counts[k][w]++
			}
		}
	}
	content := map[string]bool{"the": true, "was": true, "our": true, ".": true}
	for _, topic := range slices.Concat(load().topics, load().staff) {
		for _, p := range slices.Concat(topic.words["thing"], topic.words["job"]) {
			content[p[0]] = true
		}
	}
	tested := 0
	for w := range content {
		a, b := float64(counts[0][w]), float64(counts[1][w])
		if a+b < 30 {
			continue
		}
		tested++
		if math.Abs(a-b) > 0.3*(a+b) {
			t.Errorf("%q is in gloomy text %.0f times, in cheerful text %.0f", w, a, b)
		}
	}
	if tested < 100 {
		t.Errorf("only %d words were frequent enough", tested)
	}
}

// TestStyleDependsOnContext checks that at least five words are gloomy about one thing and cheerful
// about another.
func TestStyleDependsOnContext(t *testing.T) {
	var side [2]map[string]bool
	for k := range 2 {
		side[k] = map[string]bool{}
	}
	add := func(list []phrase) {
		for _, p := range list {
			for k := range 2 {
				side[k][p[k]] = true
			}
		}
	}
	g := load()
	for _, topic := range g.topics {
		add(topic.words["look"])
		add(topic.words["deed"])
	}
	for _, name := range []string{"trait", "manner", "act"} {
		add(g.lists[name])
	}
	var both []string
	for w := range side[0] {
		if side[1][w] {
			both = append(both, w)
		}
	}
	t.Logf("%d words of both styles: %v", len(both), both)
	if len(both) < 5 {
		t.Errorf("only %v", both)
	}
}

// TestListsAreDistinct checks that no list contains a phrase twice, and that in each list either
// all phrases have a style or none has.
func TestListsAreDistinct(t *testing.T) {
	check := func(name string, list []phrase) {
		styled := 0
		for _, p := range list {
			if p[0] != p[1] {
				styled++
			}
		}
		if styled != 0 && styled != len(list) {
			t.Errorf("%s: %d of %d phrases have a style", name, styled, len(list))
		}
		for k, label := range Labels {
			seen := map[string]bool{}
			for _, p := range list {
				if seen[p[k]] {
					t.Errorf("%s: %q twice in %s text", name, p[k], label)
				}
				seen[p[k]] = true
			}
		}
	}
	g := load()
	for name, list := range g.lists {
		check(name, list)
	}
	for _, topic := range slices.Concat(g.topics, g.staff) {
		for slot, list := range topic.words {
			check(topic.name+": "+slot, list)
		}
	}
}

// TestSlotsHaveLists checks that each slot of a template has a list in every topic of the template,
// and that every list is used.
func TestSlotsHaveLists(t *testing.T) {
	g, used := load(), map[string]bool{"good": true, "mass": true} // lists for the slots {adj} and {thing}
	check := func(templates [][]node, topics ...*topic) {
		if len(templates) == 0 {
			t.Errorf("no templates for %s", topics[0].name)
		}
		for _, n := range slices.Concat(templates...) {
			name := n.slot
			switch name {
			case "", "was", "is", "it":
				continue
			case "senses":
				name = "sense"
			case "adj":
				name = "look"
			}
			used[name] = true
			about := topics
			if n.topic == 1 {
				about = g.topics
			}
			for _, topic := range about {
				if topic.words[name] == nil && g.lists[name] == nil {
					t.Errorf("%s has no list for {%s}", topic.name, n.slot)
				}
			}
		}
	}
	for _, name := range []string{"mixed", "guests", "openers", "tails", "closers"} {
		check(g.templates[name], g.topics...)
	}
	for _, topic := range g.topics {
		check(topic.templates, topic)
		if topic.general {
			check(g.templates["general"], topic)
		}
	}
	for _, topic := range g.staff {
		check(topic.templates, topic)
	}
	for _, topic := range slices.Concat(g.topics, g.staff) {
		for name := range topic.words {
			if !used[name] {
				t.Errorf("no template has {%s} of %s", name, topic.name)
			}
		}
	}
	for name := range g.lists {
		if !used[name] && !strings.Contains(wordsFile+topicsFile, "{"+name+"}") {
			t.Errorf("no template has {%s}", name)
		}
	}
}

// TestAreasHaveSeveralTopics checks that every area has at least two topics, so that each topic has
// a related one.
func TestAreasHaveSeveralTopics(t *testing.T) {
	names := map[string]map[string]bool{}
	for _, topic := range load().topics {
		if names[topic.area] == nil {
			names[topic.area] = map[string]bool{}
		}
		names[topic.area][topic.name] = true
	}
	for area, topics := range names {
		if area == "" || len(topics) < 2 {
			t.Errorf("area %q has the topics %v", area, topics)
		}
	}
}

// TestVerbsHaveAPresent checks that each verb for the template slot {sense} has a present form. The
// slot {senses} takes the present form.
func TestVerbsHaveAPresent(t *testing.T) {
	for _, topic := range load().topics {
		for _, p := range topic.words["sense"] {
			if present[p[0]] == "" {
				t.Errorf("%s: %s has no present tense", topic.name, p[0])
			}
		}
	}
}

// TestMalformedFilesPanic checks that the panic message shows the faulty text.
func TestMalformedFilesPanic(t *testing.T) {
	const words, topics, templates = "[a]\nmood = sad|glad\n", "[soup]\ntemplates = food\none = soup\n", "[food]\na {one}\n"
	newGrammar(words, topics, templates)
	cases := []struct{ words, topics, templates, shown string }{
		{words, topics, "[food]\nthe {thing\n", "{thing"},
		{words, topics, "[food]\nthe } {thing}\n", "}"},
		{words, topics, "[food]\na (x)\n", "(x)"},
		{words, topics, "[food]\na (x|y|z)\n", "x|y|z"},
		{words, topics, "[food]\na (x|y z)\n", "x|y z"},
		{words, topics, "[food]\na (x|)\n", "x|"},
		{"mood = sad|glad\n", topics, templates, "mood"},
		{"[a]\nmood: sad|glad\n", topics, templates, "mood: sad|glad"},
		{"[a]\nmood = sad|glad, , bad|good\n", topics, templates, "phrase"},
		{words, "[soup]\ntemplates = drink\n", templates, "drink"},
		{words, "[soup]\nlook = {moods}\n", templates, "{moods}"},
	}
	for _, c := range cases {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, c.shown) {
					t.Errorf("%q, %q, %q: the panic says %q, want %q in it", c.words, c.topics, c.templates, said, c.shown)
				}
			}()
			newGrammar(c.words, c.topics, c.templates)
		}()
	}
}

func TestRenderArticles(t *testing.T) {
	s := sentence{parts: []phrase{
		{"it was a", "it was a"}, {"rude", "honest"}, {"clerk with a", "clerk with a"}, {"old", "new"}, {"hat", "hat"},
	}}
	for style, want := range []string{"it was a rude clerk with an old hat", "it was an honest clerk with a new hat"} {
		if got := strings.Join(s.render(style), " "); got != want {
			t.Errorf("style %d: %q, want %q", style, got, want)
		}
	}
}
