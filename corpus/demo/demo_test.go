package demo

import (
	"reflect"
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

// TestSentences: sizes, form, nothing twice in any split or style, and rewrites that differ and are
// nowhere else.
func TestSentences(t *testing.T) {
	c := Generate(Seed)
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
				if !fits(words) || words[len(words)-1] != "." || text != strings.ToLower(text) ||
					strings.ContainsAny(text,
						"{}[]|!_/") {
					t.Errorf("%s %d: malformed %q", name, k, text)
				}
			}
		}
	}
	check("train", trainSize, c.Train)
	check("dev", devSize, c.Dev)
	check("test", testSize, c.Test)
	check("reference", testSize, c.Refs)
}

// TestReferencesKeepContent: a rewrite keeps most of its sentence.
func TestReferencesKeepContent(t *testing.T) {
	c := Generate(Seed)
	kept, total, otherLength := 0, 0, 0
	for k := range 2 {
		for i, source := range c.Test[k] {
			left := make(map[string]int)
			for _, w := range c.Refs[k][i] {
				left[w]++
			}
			for _, w := range source {
				total++
				if left[w] > 0 {
					left[w]--
					kept++
				}
			}
			if len(source) != len(c.Refs[k][i]) {
				otherLength++
			}
		}
	}
	share := float64(kept) / float64(total)
	t.Logf("%.3f of the words are kept, %d of %d rewrites have another length", share, otherLength, 2*testSize)
	if share < 0.70 || share > 0.90 {
		t.Errorf("%.3f of the words are kept", share)
	}
}

// TestStyleDependsOnContext: at least ten words are gloomy of one thing and cheerful of another.
func TestStyleDependsOnContext(t *testing.T) {
	var side [2]map[string]bool
	for k := range 2 {
		side[k] = map[string]bool{}
	}
	add := func(list []pair) {
		for _, p := range list {
			for k := range 2 {
				side[k][p[k]] = true
			}
		}
	}
	g := newGrammar()
	for _, topic := range g.topics {
		add(topic.looks)
		add(topic.deeds)
	}
	for _, list := range [][]pair{traits, manners, acts} {
		add(list)
	}
	var both []string
	for w := range side[0] {
		if side[1][w] {
			both = append(both, w)
		}
	}
	t.Logf("%d words of both styles: %v", len(both), both)
	if len(both) < 10 {
		t.Errorf("only %v", both)
	}
}

// TestTablesAreDistinct: no list names a thing, place or pair twice, and no pair is the same word.
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
	style := func(name string, list []pair) {
		for k := range 2 {
			var side []string
			for _, p := range list {
				if p[0] == p[1] {
					t.Errorf("%s: %v has no style", name, p)
				}
				side = append(side, p[k])
			}
			unique(name, side)
		}
	}
	g := newGrammar()
	for _, topic := range g.topics {
		unique(topic.things[0], append(topic.things[:len(topic.things):len(topic.things)], topic.many...))
		style(topic.things[0], topic.looks)
		style(topic.things[0], topic.deeds)
		if places[topic.places] == nil || g.templates[topic.class] == nil {
			t.Errorf("%s: no places %q or no class %q", topic.things[0], topic.places, topic.class)
		}
	}
	for name, list := range neutral {
		unique(name, list)
	}
	for name, list := range places {
		unique(name, list)
	}
	unique("jobs", jobs)
	style("traits", traits)
	style("manners", manners)
	style("acts", acts)
}

func TestParsePanics(t *testing.T) {
	for _, bad := range []string{"the {thing", "a [x]", "} {thing}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", bad)
				}
			}()
			parse(bad)
		}()
	}
}

func TestRenderArticles(t *testing.T) {
	d := derivation{
		{"it was a", "it was a"}, {"rude", "honest"}, {"clerk with a", "clerk with a"}, {"old", "new"}, {"hat", "hat"},
	}
	for style, want := range []string{"it was a rude clerk with an old hat", "it was an honest clerk with a new hat"} {
		if got := strings.Join(d.render(style), " "); got != want {
			t.Errorf("style %d: %q, want %q", style, got, want)
		}
	}
}
