package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Example is one sentence with a system's output or, without an output, with the scores that one
// method gave its words.
type Example struct {
	Method                     string    // method that scored the words; set only if System and Output are empty
	Dataset, System, Direction string    // Direction: "negative to positive"
	Source                     []string  // words
	Scores                     []float64 // score of each source word; nil means none
	Masked                     []bool    // whether each source word is masked; nil if the system masks nothing
	Output                     []string  // words; nil means none
	Origins                    []Origin  // origins of the output's words and of deleted source words; nil if unknown
	New                        []bool    // whether each output word is missing from the source; nil if unknown
	Guide                      float64   // the guide's p(target style | output); 0 if unknown
	Rule                       string    // which words are masked, such as "from 0.287 on"; "" if unknown
}

// A group holds the examples of one data set and direction.
type group struct {
	ID, Title string
	Cards     []card
}

// A card shows a source sentence with the outputs of all systems.
type card struct {
	source   string
	Readings []reading
}

// A reading shows the source sentence with scores and masks, and the systems that have the same
// scores and masks.
type reading struct {
	Name      string // "Source" or the method that scored the words
	Words     []word
	HasScores bool
	Rule      string // as in Example
	Systems   []written
}

// The type written shows the output of one system.
type written struct {
	System string
	Output []outputWord
	Guide  string // "" if unknown
}

type word struct {
	Text   string
	Masked bool
	Score  string       // "" if there is none
	Shade  template.CSS // CSS property: opacity of the colour behind the word
}

// groups sorts examples into groups, cards and readings, each in order of first appearance.
func groups(examples []Example) (list []group) {
	for _, e := range examples {
		title := e.Dataset
		if e.Direction != "" {
			title += ": " + e.Direction
		}
		read, output := e.printed()
		g := place(&list, func(g *group) bool { return g.Title == title })
		g.Title, g.ID = title, cmp.Or(g.ID, fmt.Sprintf("examples-%d", len(list)))
		source := strings.Join(e.Source, " ")
		c := place(&g.Cards, func(c *card) bool { return c.source == source })
		c.source = source
		r := place(&c.Readings, func(r *reading) bool {
			return r.Name == read.Name && r.Rule == read.Rule && slices.Equal(r.Words, read.Words)
		})
		r.Name, r.Words, r.HasScores, r.Rule = read.Name, read.Words, read.HasScores, read.Rule
		if e.Method == "" {
			r.Systems = append(r.Systems, output)
		}
	}
	return list
}

// place returns the first element of list that meets the condition. If there is none, it appends an
// empty element to list and returns this element.
func place[T any](list *[]T, is func(*T) bool) *T {
	for i := range *list {
		if is(&(*list)[i]) {
			return &(*list)[i]
		}
	}
	var none T
	*list = append(*list, none)
	return &(*list)[len(*list)-1]
}

// The method printed returns the example in the form in which the page shows it.
func (e *Example) printed() (r reading, w written) {
	r, w.System = reading{Name: cmp.Or(e.Method, "Source"), HasScores: e.Scores != nil, Rule: e.Rule}, e.System
	if e.Guide > 0 {
		w.Guide = shortScore(e.Guide)
	}
	highest := 0.0
	for _, v := range e.Scores {
		highest = max(highest, v)
	}
	for i, text := range e.Source {
		word := word{Text: text, Masked: i < len(e.Masked) && e.Masked[i]}
		// Negative scores are not shown: they mark words that are never masked.
		if i < len(e.Scores) && e.Scores[i] >= 0 {
			word.Score = shortScore(e.Scores[i])
			if highest > 0 {
				word.Shade = template.CSS(palette.Heat(e.Scores[i], highest))
			}
		}
		r.Words = append(r.Words, word)
	}
	w.Output = e.outputs()
	return r, w
}

// shortScore formats a number with two decimals, so that it fits under a word: "0.21".
func shortScore(v float64) string { return table.Minuses(strconv.FormatFloat(v, 'f', 2, 64)) }

// Origin says where a word of the output comes from, or that a source word was deleted.
type Origin struct {
	How    How
	Source string  // the source word at this place
	P      float64 // probability that SMLM gave a filled word
}

// How is the way in which a word came into the output. The values are those of guided.Origin,
// repeated here because package report must not import package guided.
type How string

// The page draws a line under or through words with these values, except Kept.
const (
	Kept      How = "kept"
	Filled    How = "filled"
	Rephrased How = "rephrased"
	Deleted   How = "deleted" // a source word without an output word
)

// outputWord is an output word as the page shows it, or a deleted source word.
type outputWord struct {
	Text string
	How  How    // "" if the word is not marked
	New  bool   // set if the source lacks the word
	P    string // "" if SMLM did not choose the word
	Note string // explains the mark
}

// outputs returns the words of the output and, between them, deleted source words at their places.
func (e *Example) outputs() []outputWord {
	origins := e.Origins
	if origins == nil {
		origins = slices.Repeat([]Origin{{How: Kept}}, len(e.Output))
	}
	words, k := make([]outputWord, len(origins)), 0
	for i, o := range origins {
		w := &words[i]
		if o.How == Deleted {
			w.Text = o.Source
		} else {
			w.Text, w.New = e.Output[k], k < len(e.New) && e.New[k]
			k++
		}
		if o.How == Kept {
			continue
		}
		w.How = o.How
		switch o.How {
		case Filled:
			w.Note = "filled by SMLM in place of “" + o.Source + "”: p = " + strconv.FormatFloat(o.P, 'g', 3, 64)
			w.P = shortScore(o.P)
		case Rephrased:
			w.Note = "rephrased in place of “" + o.Source + "”"
		case Deleted:
			w.Note = "deleted, with nothing in its place"
		}
	}
	return words
}
