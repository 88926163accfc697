package page

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Example is one sentence and what a system made of it.
type Example struct {
	Dataset, System, Direction string    // Direction: "negative to positive"
	Source                     []string  // words
	Scores                     []float64 // of each word; high ones are masked; nil for a system that has none
	Masked                     []bool    // nil for a system that masks nothing
	Output                     []string  // words; nil where there is none
	Origins                    []Origin  // of each word of the output; nil for a system that does not say
	Guide                      float64   // the guide's p(style asked for | output); 0 where it is not known
	Threshold                  float64   // (1+lambda)/n, from which on a word was masked; 0 where it is not known
}

// group is the examples of one data set and direction.
type group struct {
	ID, Title string
	Sentences []sentence
}

// sentence is one example as it is printed.
type sentence struct {
	System    string
	Words     []word
	HasScores bool
	HasMasks  bool
	Output    []outputWord
	Guide     string // "" where it is not known
	Threshold string
}

type word struct {
	Text   string
	Masked bool
	Score  string       // "" where there is none
	Shade  template.CSS // opacity of the mark behind the word, as a custom property
}

// groups keeps the order of first appearance.
func groups(examples []Example) ([]group, error) {
	var list []group
	at := map[string]int{}
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
		g, known := at[title]
		if !known {
			g = len(list)
			at[title] = g
			list = append(list, group{ID: fmt.Sprintf("examples-%d", g+1), Title: title})
		}
		s, err := e.sentence()
		if err != nil {
			return nil, fmt.Errorf("example %d, of %s: %w", i+1, e.System, err)
		}
		list[g].Sentences = append(list[g].Sentences, s)
	}
	return list, nil
}

// strongest is the opacity behind the word of the highest score: black and white text can still be
// read on it.
const strongest = 0.6

func (e *Example) sentence() (sentence, error) {
	s := sentence{System: e.System, HasScores: e.Scores != nil, HasMasks: e.Masked != nil}
	if e.Guide > 0 {
		s.Guide = shortScore(e.Guide)
	}
	if e.Threshold > 0 {
		s.Threshold = strconv.FormatFloat(e.Threshold, 'f', 3, 64)
	}
	highest := 0.0
	for i, v := range e.Scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return s, fmt.Errorf("the score of word %d is %v, which is no number", i+1, v)
		}
		highest = max(highest, v)
	}
	for i, text := range e.Source {
		w := word{Text: text, Masked: e.Masked != nil && e.Masked[i]}
		if e.Scores != nil {
			w.Score = shortScore(e.Scores[i])
			if highest > 0 {
				w.Shade = template.CSS(fmt.Sprintf("--a:%.2f", strongest*max(0, e.Scores[i])/highest))
			}
		}
		s.Words = append(s.Words, w)
	}
	var err error
	s.Output, err = e.outputs()
	return s, err
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
