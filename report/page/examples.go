package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Example is one sentence and what a system made of it.
type Example struct {
	Method                     string    // what scored the words, of an example without System and output
	Dataset, System, Direction string    // Direction: "negative to positive"
	Source                     []string  // words
	Scores                     []float64 // of each word; high ones are masked; nil for a system that has none
	Masked                     []bool    // nil for a system that masks nothing
	Output                     []string  // words; nil where there is none
	Origins                    []Origin  // of the output's words, and deleted ones; nil for a system that does not say
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
	Name      string // "Source", or the method that scored the words
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
		if n := e.standing(); e.Origins != nil && n != len(e.Output) {
			return nil, fmt.Errorf("example %d, of %s, has %d words in its output and %d origins: they must be as many",
				i+1, e.System, len(e.Output), n)
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
			return r.Name == read.Name && r.Threshold == read.Threshold && slices.Equal(r.Words, read.Words)
		})
		r.Name, r.Words, r.HasScores, r.Threshold = read.Name, read.Words, read.HasScores, read.Threshold
		if e.Method == "" {
			r.Systems = append(r.Systems, output)
		}
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
	r, w.System = reading{Name: cmp.Or(e.Method, "Source"), HasScores: e.Scores != nil}, e.System
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
		if e.Scores != nil && e.Scores[i] >= 0 { // of others it is never masked
			word.Score = shortScore(e.Scores[i])
			if highest > 0 {
				word.Shade = template.CSS(palette.Heat(e.Scores[i], highest))
			}
		}
		r.Words = append(r.Words, word)
	}
	w.Output, err = e.outputs()
	return r, w, err
}

// shortScore is a number small enough to stand under a word: "0.21".
func shortScore(v float64) string { return table.Minuses(strconv.FormatFloat(v, 'f', 2, 64)) }

// Origin says why a word of an output is there, or that one of the source is deleted.
type Origin struct {
	How    How
	Source string  // the word that stood there
	P      float64 // SMLM's of a filled word
}

// How a word came to its place. The values are those of guided.Origin, which report may not import.
type How string

// The ways. Each but the first is marked by another line, under the word or through it.
const (
	Kept      How = "kept"
	Filled    How = "filled"
	Rephrased How = "rephrased"
	Deleted   How = "deleted" // it stands for no word of the output
)

// standing counts the origins that are of words of the output.
func (e *Example) standing() (n int) {
	for _, o := range e.Origins {
		if o.How != Deleted {
			n++
		}
	}
	return n
}

// outputWord is a word of an output as it is printed, or a deleted one of the source.
type outputWord struct {
	Text string
	How  How    // "" of a word that is not marked
	New  bool   // the source has it not
	P    string // "" of a word that the model did not choose
	Note string // what its mark says, in words
}

// outputs are the words of the output, and among them those of the source that are deleted.
func (e *Example) outputs() ([]outputWord, error) {
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
		if math.IsNaN(o.P) {
			return nil, fmt.Errorf("the probability of word %d of the output is %v", i+1, o.P)
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
		default:
			return nil, fmt.Errorf("word %d of the output is %q, which no word can be", i+1, o.How)
		}
	}
	return words, nil
}
