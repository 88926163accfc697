package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// candidates is how many outputs a sentence gets beside the one that is written.
const candidates = 5

// transferData is the page of transfer.
type transferData struct {
	Models []modelChoice
	Chosen string
}

type modelChoice struct {
	choice
	labels corpus.Styles
}

// Styles are the labels of the styles that the model writes, as JSON.
func (m modelChoice) Styles() (string, error) {
	text, err := json.Marshal(m.labels)
	return string(text), err
}

func (s *Server) transferPage(http.ResponseWriter, *http.Request) (*view, error) {
	return &view{Title: "Transfer", Page: "transfer", Script: "transfer.js", Data: s.trained.transferred()}, nil
}

// transferRequest is what the page asks.
type transferRequest struct {
	Model string `json:"model"`
	// From is the label of the sentence's style, corpus.None of none of the styles; "": the other
	// of two, else what the model takes the sentence for.
	From string `json:"from"`
	To   string `json:"to"`
	Text string `json:"text"`
}

// transferAnswer is a line of `transfer --json`, and what the page says besides.
type transferAnswer struct {
	rewrite.Answer
	Changed []bool `json:"changed,omitempty"` // words of the output that are not the source's, where no more is known
	Warning string `json:"warning,omitempty"`
	Fewer   string `json:"fewer,omitempty"` // why there are fewer candidates than the page asks for
}

func (s *Server) transfer(r *http.Request) (any, error) {
	var q transferRequest
	if err := readJSON(r, &q); err != nil {
		return nil, err
	}
	if _, err := cut(q.Text, corpus.Cutting{Characters: true}); err != nil { // before models are looked for
		return nil, err
	}
	m, err := s.trained.rewriter(q.Model, q.From, q.To)
	if err != nil {
		return nil, err
	}
	text, err := cut(q.Text, m.Cutting())
	if err != nil {
		return nil, err
	}
	m.Request.Why = true
	if m.Request.Settings.Decoding.Copies() {
		m.Request.Candidates = candidates
	}
	var done stages.Rewritten
	name := fmt.Sprintf("transfer %s from %q to %q", q.Model, m.FromLabel(nil), q.To) // labels may have " to " in them
	err = s.models.use(r.Context(), name, s.models.rewriting(m),
		func(ctx context.Context, open *session) error {
			all, err := open.transfer.Rewrite(ctx, [][]string{text.Words})
			if err == nil {
				done = all[0]
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	a := &transferAnswer{Answer: rewrite.NewAnswer(text, &done), Warning: warningOf(text.Words, &done)}
	a.From, a.To = m.FromLabel(&done), q.To
	if why := done.WhyFewer(m.Request.Candidates); why != "" {
		a.Fewer = fmt.Sprintf("Only %d of %d candidates exist, because %s.", len(done.Candidates), m.Request.Candidates, why)
	}
	if done.Origins == nil {
		a.Changed = report.Replaced(text.Words, done.Output)
	}
	return a, nil
}

// warningOf says where the models know nearly nothing of a sentence.
func warningOf(words []string, done *stages.Rewritten) string {
	known, all, few := done.Familiar(words)
	if !few {
		return ""
	}
	return fmt.Sprintf("The models know %d of the %s and copy the others. Is the sentence in the language and the "+
		"domain of the training text?", known, wording.Count(all, "word"))
}
