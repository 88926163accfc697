package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/smlm-exp/smlm-exp/corpus"
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
	d, err := s.trained.transferred()
	if err != nil {
		return nil, err
	}
	return &view{Title: "Transfer", Page: "transfer", Script: "transfer.js", Data: d}, nil
}

// transferRequest is what the page asks.
type transferRequest struct {
	Model string `json:"model"`
	To    string `json:"to"`
	Text  string `json:"text"`
}

// transferAnswer is a sentence in the style asked for.
type transferAnswer struct {
	From       string            `json:"from"`
	To         string            `json:"to"`
	Source     []string          `json:"source"`
	Unknown    []bool            `json:"unknown,omitempty"` // words that the vocabulary does not have
	Masked     []string          `json:"masked"`
	Output     []outputWord      `json:"output"`
	Guide      float64           `json:"guide,omitempty"`
	Text       string            `json:"text"` // the output as its user spells
	Candidates []candidateAnswer `json:"candidates"`
	Warning    string            `json:"warning,omitempty"`
}

// outputWord is a word and why it is there.
type outputWord struct {
	Word string `json:"word"`
	How  string `json:"how,omitempty"` // refilled, added, restored; changed where only that is known
	Note string `json:"note,omitempty"`
}

// candidateAnswer is another output, and what speaks for it.
type candidateAnswer struct {
	Text       string       `json:"text"`
	Words      []outputWord `json:"words"`
	Written    bool         `json:"written"`
	LogQ       float64      `json:"log_q"`
	Guide      float64      `json:"guide"`
	Fluency    float64      `json:"fluency"`
	Similarity float64      `json:"similarity"`
	Total      float64      `json:"total"`
}

func (s *Server) transfer(r *http.Request) (any, error) {
	var q transferRequest
	if err := readJSON(r, &q); err != nil {
		return nil, err
	}
	text, err := cut(q.Text)
	if err != nil {
		return nil, err
	}
	m, err := s.trained.rewriter(q.Model, q.To)
	if err != nil {
		return nil, err
	}
	m.request.Why = true
	if m.request.Settings.Decoding.Copies() {
		m.request.Candidates = candidates
	}
	var done stages.Rewritten
	err = s.models.use(r.Context(), "transfer "+q.Model+" to "+q.To, s.models.rewriting(m.request),
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
	a := &transferAnswer{
		From: m.labels[m.request.From], To: q.To, Source: text.Words, Unknown: done.Unknown, Masked: done.Masked,
		Output: outputOf(text.Words, done.Output, done.Origins), Text: text.Restore(done.Output),
		Warning: warningOf(text.Words, &done), Candidates: []candidateAnswer{},
	}
	if done.Origins != nil {
		a.Guide = done.Origins.Guide
	}
	for _, c := range done.Candidates {
		a.Candidates = append(a.Candidates, candidateAnswer{
			Text: text.Restore(c.Output), Words: outputOf(text.Words, c.Output, c.Origins), Written: c.Written,
			LogQ: c.LogQ, Guide: c.Guide, Fluency: c.Fluency, Similarity: c.Similarity, Total: c.Total,
		})
	}
	return a, nil
}

// outputOf says of every word of an output where it comes from, as far as is known.
func outputOf(source, output []string, origins *stages.Origins) []outputWord {
	out := make([]outputWord, len(output))
	if origins == nil {
		for i, w := range changes(source, output) {
			if out[i].Word = w.Text; w.New {
				out[i].How, out[i].Note = "changed", "not the source's"
			}
		}
		return out
	}
	for i, w := range origins.Words {
		out[i] = outputWord{Word: w.Word}
		switch how := string(w.Origin); {
		case how == "kept":
		case how == "restored":
			out[i].How, out[i].Note = how, fmt.Sprintf("restored: the guide is %.2f sure", w.Guide)
		default:
			out[i].How, out[i].Note = how, fmt.Sprintf("%s, p %.2f", how, w.P)
		}
	}
	return out
}

// warningOf says where the models know nearly nothing of a sentence.
func warningOf(words []string, done *stages.Rewritten) string {
	known, all, few := done.Familiar(words)
	if !few {
		return ""
	}
	return fmt.Sprintf("The models know %d of the %d words, and copy the others: is it of the language and kind of the "+
		"training text?", known, all)
}
