package page

import (
	"fmt"
	"math"
	"strconv"
)

// Origin says why a word of an output is there.
type Origin struct {
	How    How
	Source string  // the word that stood there
	P      float64 // the model's of a word that it chose
	Guide  float64 // the guide's of a sentence in which a word was restored; 0 where it is not known
}

// How a word came to its place.
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
