package rewrite

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Answer is the result for a user's text, as JSON: a line of `transfer --json`. Source, Masked and
// Output are tokenized as in the corpora, with one space between words. Origins is nil if the
// origins of the output's words are unknown.
type Answer struct {
	Source string `json:"source"`
	Masked string `json:"masked"`
	Output string `json:"output"`
	From   string `json:"from"`
	To     string `json:"to"`
	*stages.Origins
	Text       string      `json:"text"`              // the output in the user's spelling
	Unknown    []string    `json:"unknown,omitempty"` // source words that are not in the vocabulary
	Candidates []Candidate `json:"candidates,omitempty"`
}

// Candidate is a stages.Candidate as JSON.
type Candidate struct {
	Output string `json:"output"`
	Text   string `json:"text"`
	*stages.Origins
	Odd   int     `json:"odd"`
	Cost  float64 `json:"cost"`
	Score float64 `json:"score"`
}

// NewAnswer converts the result for a text. The caller sets the style labels.
func NewAnswer(text *corpus.Source, is *stages.Rewritten) Answer {
	a := Answer{
		Source: strings.Join(text.Words, " "), Masked: strings.Join(is.Masked, " "), Output: strings.Join(is.Output, " "),
		Origins: is.Origins, Text: text.Restore(is.Output, is.Places),
	}
	for k, unknown := range is.Unknown {
		if unknown {
			a.Unknown = append(a.Unknown, text.Words[k])
		}
	}
	for _, c := range is.Candidates {
		a.Candidates = append(a.Candidates, Candidate{
			Output: strings.Join(c.Output, " "), Text: text.Restore(c.Output, c.Places), Origins: c.Origins,
			Odd: c.Odd, Cost: c.Cost, Score: c.Score,
		})
	}
	return a
}
