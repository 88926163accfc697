package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
)

// Example is one sentence and what a system made of it.
type Example struct {
	Dataset, System, Direction string    // Direction: "negative to positive"
	Source                     []string  // words
	Scores                     []float64 // of each word; high ones are masked; nil for a system that has none
	Masked                     []bool    // nil for a system that masks nothing
	Output                     []string  // words; nil where there is none
	Origins                    []Origin  // of each word of the output; nil for a system that does not say
	New                        []bool    // words of the output that the source has not; nil: not known
	Guide                      float64   // the guide's p(style asked for | output); 0 where it is not known
	Threshold                  float64   // (1+lambda)/n, from which on a word was masked; 0 where it is not known
}

// group is the examples of one data set and direction.
type group struct {
	ID, Title string
	Cards     []card
}

// card is a source with all that systems made of it.
type card struct {
	source   string
	Readings []reading
}

// reading is a source as systems that share scores and masks read it.
type reading struct {
	Words     []word
	HasScores bool
	Threshold string
	Systems   []written
}

// written is what a system made of it.
type written struct {
	System string
	Output []outputWord
	Guide  string // "" where it is not known
}

type word struct {
	Text   string
	Masked bool
	Score  string       // "" where there is none
	Shade  template.CSS // opacity of the mark behind the word, as a custom property
}

// groups keeps the order of first appearance, of groups, of sources within them, and of readings.
func groups(examples []Example) ([]group, error) {
	var list []group
	for i, e := range examples {
		if e.Scores != nil && len(e.Scores) != len(e.Source) || e.Masked != nil && len(e.Masked) != len(e.Source) {
			return nil, fmt.Errorf("example %d, of %s, has %d words, %d scores and %d masks: they must be as many",
				i+1, e.System, len(e.Source), len(e.Scores), len(e.Masked))
		}
		if e.Origins != nil && len(e.Origins) != len(e.Output) {
			return nil, fmt.Errorf("example %d, of %s, has %d words in its output and %d origins: they must be as many",
				i+1, e.System, len(e.Output), len(e.Origins))
		}
		title := e.Dataset
		if e.Direction != "" {
			title += ": " + e.Direction
		}
		read, output, err := e.printed()
		if err != nil {
			return nil, fmt.Errorf("example %d, of %s: %w", i+1, e.System, err)
		}
		g := place(&list, func(g *group) bool { return g.Title == title })
		g.Title, g.ID = title, cmp.Or(g.ID, fmt.Sprintf("examples-%d", len(list)))
		source := strings.Join(e.Source, " ")
		c := place(&g.Cards, func(c *card) bool { return c.source == source })
		c.source = source
		r := place(&c.Readings, func(r *reading) bool {
			return r.Threshold == read.Threshold && slices.Equal(r.Words, read.Words)
		})
		r.Words, r.HasScores, r.Threshold = read.Words, read.HasScores, read.Threshold
		r.Systems = append(r.Systems, output)
	}
	return list, nil
}

// place finds an element, or appends one.
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

// printed is the example as the page has it.
func (e *Example) printed() (r reading, w written, err error) {
	r, w.System = reading{HasScores: e.Scores != nil}, e.System
	if e.Guide > 0 {
		w.Guide = shortScore(e.Guide)
	}
	if e.Threshold > 0 {
		r.Threshold = strconv.FormatFloat(e.Threshold, 'f', 3, 64)
	}
	highest := 0.0
	for i, v := range e.Scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return r, w, fmt.Errorf("the score of word %d is %v, which is no number", i+1, v)
		}
		highest = max(highest, v)
	}
	for i, text := range e.Source {
		word := word{Text: text, Masked: e.Masked != nil && e.Masked[i]}
		if e.Scores != nil {
			word.Score = shortScore(e.Scores[i])
			if highest > 0 {
				word.Shade = template.CSS(drawing.Heat(e.Scores[i], highest))
			}
		}
		r.Words = append(r.Words, word)
	}
	w.Output, err = e.outputs()
	return r, w, err
}

// shortScore is a number small enough to stand under a word: ".21".
func shortScore(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.Replace(s, "-", "−", 1)
	if math.Abs(v) < 1 {
		s = strings.Replace(s, "0.", ".", 1)
	}
	return s
}

// Origin says why a word of an output is there.
type Origin struct {
	How    How
	Source string  // the word that stood there
	P      float64 // the model's of a word that it chose
	Guide  float64 // the guide's of a sentence in which a word was restored; 0 where it is not known
}

// How a word came to its place. The values are those of guided.Origin, which report may not import.
type How string

// The ways. Each of the last three is marked by another line under the word.
const (
	Kept     How = "kept"
	Restored How = "restored"
	Refilled How = "refilled"
	Added    How = "added"
)

// outputWord is a word of an output as it is printed.
type outputWord struct {
	Text string
	How  How    // "" of a word that is not marked
	New  bool   // the source has it not
	P    string // "" of a word that the model did not choose
	Note string // what its mark says, in words
}

// outputs are the words of the output.
func (e *Example) outputs() ([]outputWord, error) {
	words := make([]outputWord, len(e.Output))
	for k, text := range e.Output {
		words[k].Text = text
		words[k].New = k < len(e.New) && e.New[k]
		if e.Origins == nil || e.Origins[k].How == Kept {
			continue
		}
		o, w := e.Origins[k], &words[k]
		if math.IsNaN(o.P) || math.IsNaN(o.Guide) {
			return nil, fmt.Errorf("the probabilities of word %d of the output are %v and %v", k+1, o.P, o.Guide)
		}
		w.How = o.How
		p := strconv.FormatFloat(o.P, 'g', 3, 64)
		switch {
		case o.How == Restored:
			w.Note = "restored: it was masked"
			if o.Guide > 0 {
				w.Note += "; the guide then was " + strconv.FormatFloat(o.Guide, 'g', 3, 64) + " sure"
			}
			continue
		case o.How == Added:
			w.Note = "masked because the guide doubted, and refilled"
		case o.How == Refilled:
			w.Note = "refilled"
		default:
			return nil, fmt.Errorf("word %d of the output is %q, which no word can be", k+1, o.How)
		}
		if o.Source == text {
			w.Note += " with the same word"
		} else {
			w.Note += " in place of “" + o.Source + "”"
		}
		w.Note += ": p = " + p
		w.P = shortScore(o.P)
	}
	return words, nil
}
