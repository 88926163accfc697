package demo

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestGenerateIsDeterministic(t *testing.T) {
	a := Moods.Generate(7)
	if !reflect.DeepEqual(a, Moods.Generate(7)) {
		t.Error("the same seed makes another corpus")
	}
	if reflect.DeepEqual(a.Test, Moods.Generate(8).Test) {
		t.Error("another seed makes the same corpus")
	}
}

// TestSentences: sizes, form, nothing twice in any split or style, and rewrites that differ and are
// nowhere else.
func TestSentences(t *testing.T) {
	tables := Moods
	c := tables.Generate(Seed)
	seen := make(map[string]bool)
	check := func(name string, want int, parts [][][]string) {
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
					clause, mark = strings.CutSuffix(text, " .")
				}
				if !fits(words) || !mark && tables.stops == 100 || text != strings.ToLower(text) ||
					strings.ContainsAny(clause, "{}[]|!_/") {
					t.Errorf("%s %d: malformed %q", name, k, text)
				}
			}
		}
	}
	check("train", tables.train, c.Train)
	check("dev", tables.dev, c.Dev)
	check("test", tables.test, c.Test)
	if n := len(tables.Labels); len(c.Refs) != n*(n-1) {
		t.Errorf("references of %d directions", len(c.Refs))
	}
	check("reference", tables.test, c.Refs)
}

// TestReferencesExchangeWords: a rewrite has as many words as its sentence and most of the same,
// and never wants another article.
func TestReferencesExchangeWords(t *testing.T) {
	c := Moods.Generate(Seed)
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
		2*Moods.test)
	if share < 0.70 || share > 0.90 {
		t.Errorf("%.3f of the words are kept", share)
	}
	if several < Moods.test/2 || several > 3*Moods.test/2 {
		t.Errorf("%d of %d sentences have several words with a style", several, 2*Moods.test)
	}
}

// TestContentIsBalanced: what guests write about, and who serves them, is as frequent in gloomy
// as in cheerful training text, so that no classifier is helped by it.
func TestContentIsBalanced(t *testing.T) {
	var counts [2]map[string]int
	for k, sentences := range Moods.Generate(Seed).Train {
		counts[k] = map[string]int{}
		for _, words := range sentences {
			for _, w := range words {
				counts[k][w]++
			}
		}
	}
	content := map[string]bool{"the": true, "was": true, "our": true, ".": true}
	for _, topic := range slices.Concat(Moods.topics, Moods.staff) {
		for _, w := range slices.Concat(topic.things, topic.mass, topic.many, topic.jobs) {
			content[w] = true
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

// TestStyleDependsOnContext: at least five words are gloomy of one thing and cheerful of another.
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
	for _, topic := range newGrammar(Moods).topics {
		add(topic.looks)
		add(topic.deeds)
	}
	for _, list := range [][]phrase{traits, manners, acts} {
		add(list)
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

// TestTablesAreDistinct: no list names a thing, place or phrase twice, and no phrase is the same in
// two styles.
func TestTablesAreDistinct(t *testing.T) {
	unique := func(name string, list []string) {
		seen := map[string]bool{}
		for _, w := range list {
			if w == "" || seen[w] {
				t.Errorf("%s: %q twice or empty", name, w)
			}
			seen[w] = true
		}
	}
	tables := Moods
	style := func(name string, list []phrase) {
		for _, p := range list {
			if len(p) != len(tables.Labels) {
				t.Errorf("%s: %v is not of %v", name, p, tables.Labels)
			}
			unique(name, p)
		}
		for k := range tables.Labels {
			var side []string
			for _, p := range list {
				side = append(side, p.in(k))
			}
			unique(name, side)
		}
	}
	g := newGrammar(tables)
	for _, topic := range g.topics {
		unique(topic.things[0], slices.Concat(topic.things, topic.many))
		style(topic.things[0], topic.looks)
		style(topic.things[0], topic.deeds)
		if places[topic.places] == nil || g.templates[topic.class] == nil {
			t.Errorf("%s: no places %q or no class %q", topic.things[0], topic.places, topic.class)
		}
		for _, name := range topic.also {
			if g.templates[name] == nil {
				t.Errorf("%s: no templates %q", topic.things[0], name)
			}
		}
	}
	for name, list := range tables.styled {
		style(name, list)
	}
	for name, list := range neutral {
		unique(name, list)
	}
	for name, list := range places {
		unique(name, list)
	}
}

func TestParsePanics(t *testing.T) {
	for _, bad := range []string{"the {thing", "a [x]", "a [x|y|z]", "} {thing}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", bad)
				}
			}()
			parse(bad, 2)
		}()
	}
}

func TestRenderArticles(t *testing.T) {
	d := derivation{
		{"it was a"}, {"rude", "honest"}, {"clerk with a"}, {"old", "new"}, {"hat"},
	}
	for style, want := range []string{"it was a rude clerk with an old hat", "it was an honest clerk with a new hat"} {
		if got := strings.Join(d.render(style), " "); got != want {
			t.Errorf("style %d: %q, want %q", style, got, want)
		}
	}
}
