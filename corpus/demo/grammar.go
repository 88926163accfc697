package demo

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The comment at the top of each file describes its format.
var (
	//go:embed words.txt
	wordsFile string
	//go:embed topics.txt
	topicsFile string
	//go:embed templates.txt
	templatesFile string
)

// phrase is a piece of a sentence in two versions: gloomy, then cheerful.
type phrase [2]string

// topic is a kind of thing that guests write about.
type topic struct {
	name      string
	area      string // most sentences with two topics take both from the same area
	general   bool   // set if the general templates fit the topic
	templates [][]node
	words     map[string][]phrase // by slot
}

// grammar is the content of words.txt, topics.txt and templates.txt.
type grammar struct {
	lists     map[string][]phrase // the lists in words.txt, by name
	templates map[string][][]node // by section
	topics    []*topic            // the kinds of things; a frequent topic is in the list twice
	staff     []*topic            // the kinds of people who serve guests
}

// load reads the files of the demo corpus.
var load = sync.OnceValue(func() *grammar { return newGrammar(wordsFile, topicsFile, templatesFile) })

// newGrammar reads the text of the three files. It panics if a text is malformed.
func newGrammar(words, topics, templates string) *grammar {
	g := &grammar{lists: map[string][]phrase{}, templates: map[string][][]node{}}
	for _, s := range parseSections(words) {
		for _, line := range s.lines {
			name, value := setting(line)
			g.lists[name] = g.list(value)
		}
	}
	for _, s := range parseSections(templates) {
		for _, line := range s.lines {
			g.templates[s.name] = append(g.templates[s.name], parse(line))
		}
	}
	for _, s := range parseSections(topics) {
		g.addTopic(s)
	}
	return g
}

func (g *grammar) addTopic(s section) {
	t, often := &topic{name: s.name, general: true, words: map[string][]phrase{}}, false
	for _, line := range s.lines {
		switch name, value := setting(line); name {
		case "templates":
			for name := range strings.SplitSeq(value, ", ") {
				if g.templates[name] == nil {
					panic("demo: no section of templates " + name)
				}
				t.templates = append(t.templates, g.templates[name]...)
			}
		case "area":
			t.area = value
		case "general":
			t.general = value == "yes"
		case "often":
			often = value == "yes"
		default:
			t.words[name] = g.list(value)
		}
	}
	if t.words["one"] == nil {
		g.staff = append(g.staff, t)
		return
	}
	t.words["some"] = slices.Concat(t.words["mass"], t.words["several"])
	t.words["thing"] = slices.Concat(t.words["one"], t.words["some"])
	g.topics = append(g.topics, t)
	if often {
		g.topics = append(g.topics, t)
	}
}

// list reads a list such as "one phrase, gloomy phrase|cheerful phrase, {name of another list}".
func (g *grammar) list(text string) []phrase {
	var list []phrase
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if !strings.HasPrefix(item, "{") {
			list = append(list, newPhrase(item))
			continue
		}
		other := g.lists[strings.Trim(item, "{}")]
		if other == nil {
			panic("demo: no list " + item)
		}
		list = append(list, other...)
	}
	return list
}

// newPhrase reads "gloomy words|cheerful words". Text without "|" is the same in both styles.
func newPhrase(text string) phrase {
	gloomy, cheerful, differ := strings.Cut(text, "|")
	if !differ {
		cheerful = gloomy
	}
	n := len(strings.Fields(gloomy))
	if n == 0 || n != len(strings.Fields(cheerful)) || strings.ContainsAny(gloomy+cheerful, "(){}[]|") {
		panic("demo: malformed phrase " + text)
	}
	return phrase{gloomy, cheerful}
}

// node is a piece of a template: a phrase or a slot.
type node struct {
	text     phrase
	slot     string // name of the slot without the marks "!", "+" and "2"; "" for a phrase
	topic    int    // index of the slot's topic: 0 for the first topic of the sentence, 1 for the second
	contrary bool   // set if the slot takes the opposite style
	cheerful bool   // set if the slot takes the cheerful word in both styles
}

var pieces = regexp.MustCompile(`\([^)]*\)|\S+`)

// parse reads a template.
func parse(template string) []node {
	var nodes []node
	for _, piece := range pieces.FindAllString(template, -1) {
		inside := strings.Trim(piece, "(){}")
		switch {
		case strings.HasPrefix(piece, "{") && strings.HasSuffix(piece, "}"):
			var n node
			n.slot, n.contrary = strings.CutPrefix(inside, "!")
			n.slot, n.cheerful = strings.CutPrefix(n.slot, "+")
			var second bool
			if n.slot, second = strings.CutSuffix(n.slot, "2"); second {
				n.topic = 1
			}
			nodes = append(nodes, n)
		case strings.HasPrefix(piece, "(") && strings.HasSuffix(piece, ")") && strings.Contains(piece, "|"):
			nodes = append(nodes, node{text: newPhrase(inside)})
		default:
			nodes = append(nodes, node{text: newPhrase(piece)})
		}
	}
	return nodes
}

// section is a heading such as [food] with the lines below it.
type section struct {
	name  string
	lines []string
}

// parseSections returns the sections of a file. It skips comments and empty lines. An indented line
// continues the line before it.
func parseSections(text string) []section {
	var sections []section
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		if content == "" || content[0] == '#' {
			continue
		}
		if content[0] == '[' {
			sections = append(sections, section{name: strings.Trim(content, "[]")})
			continue
		}
		if len(sections) == 0 {
			panic("demo: no heading above " + content)
		}
		lines := &sections[len(sections)-1].lines
		if line[0] == ' ' && len(*lines) > 0 {
			(*lines)[len(*lines)-1] += " " + content
			continue
		}
		*lines = append(*lines, content)
	}
	return sections
}

// setting splits a line "name = value".
func setting(line string) (name, value string) {
	name, value, ok := strings.Cut(line, " = ")
	if !ok {
		panic("demo: not name = value: " + line)
	}
	return name, value
}
