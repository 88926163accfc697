package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// mostText is the most bytes of a sentence that somebody types.
const mostText = 8 << 10

// explainData is the page of a sentence's scores.
type explainData struct {
	Points []choice
	Styles []string // of all data sets
	Eps    float64  // of the first point
}

func (s *Server) explainPage(http.ResponseWriter, *http.Request) (*view, error) {
	d := s.trained.explained()
	return &view{Title: "Explain masks", Page: "explain", Script: "explain.js", Data: d}, nil
}

// explainRequest is what the page asks.
type explainRequest struct {
	Point string `json:"point"`
	Text  string `json:"text"`
	Style string `json:"style"` // "": what the model takes the sentence for
	// LambdaEps takes the place of the file's for every method, where it is there.
	LambdaEps *float64 `json:"lambda_eps"`
}

// explainAnswer is a line of `mask explain --format json`, and what decides anew without asking.
type explainAnswer struct {
	Sentence json.RawMessage `json:"sentence"`
	Policies []policyAnswer  `json:"policies"` // of the methods of the sentence
	Missing  []string        `json:"missing"`  // methods that are not trained
	Labels   corpus.Styles   `json:"labels"`
}

// policyAnswer is a policy: where it is the surplus, a word is masked from
// (1 + LambdaEps) / N * Slack on, or, Strict, above that.
type policyAnswer struct {
	Surplus   bool    `json:"surplus"`
	LambdaEps float64 `json:"lambda_eps"`
	N         int     `json:"n"`
	Slack     float64 `json:"slack"`
	Strict    bool    `json:"strict"`
}

func (s *Server) explain(r *http.Request) (any, error) {
	var q explainRequest
	if err := readJSON(r, &q); err != nil {
		return nil, err
	}
	if q.LambdaEps != nil {
		if err := rewrite.CheckLambdaEps("lambda_eps", *q.LambdaEps); err != nil {
			return nil, err
		}
	}
	if _, err := cut(q.Text, corpus.Cutting{Characters: true}); err != nil { // before models are looked for
		return nil, err
	}
	m, err := s.trained.explainer(q.Point)
	if err != nil {
		return nil, err
	}
	text, err := cut(q.Text, m.Cutting())
	if err != nil {
		return nil, err
	}
	if q.LambdaEps != nil {
		if err := m.SetLambdaEps("lambda_eps", *q.LambdaEps); err != nil {
			return nil, err
		}
	}
	style := -1
	if q.Style != "" {
		if style = m.Labels.Index(q.Style); style < 0 && q.Style == rewrite.None {
			return nil, userr.New(userr.BadInput, "scores say how much a word speaks for a style, so there are none for "+
				"%q: choose %s, or the style that the model predicts", rewrite.None, strings.Join(m.Labels, " or "))
		} else if style < 0 {
			return nil, noStyle(m.of, m.Labels)
		}
	}
	var scored stages.Explained
	err = s.models.use(r.Context(), "explain "+q.Point, s.models.explaining(m.Explaining),
		func(ctx context.Context, open *session) error {
			all, err := open.explain.Explain(ctx, [][]string{text.Words}, style)
			if err == nil {
				scored = all[0]
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	return answerOf(m.Explaining, text.Words, &scored)
}

func answerOf(x *rewrite.Explaining, words []string, scored *stages.Explained) (*explainAnswer, error) {
	a := &explainAnswer{Missing: x.Missing, Labels: x.Labels, Policies: []policyAnswer{}}
	for i := range x.Policies {
		p := &x.Policies[i]
		a.Policies = append(a.Policies, policyAnswer{
			Surplus: p.Name == policy.Surplus, LambdaEps: p.LambdaEps, N: len(words) + p.Extra, Slack: p.Slack(),
			Strict: p.Comparator == policy.Above,
		})
	}
	var line bytes.Buffer
	out, err := report.NewHeatmapWriter(&line, "json", false)
	if err != nil {
		return nil, err
	}
	if err := out.Write(x.Decide(words, scored)); err != nil {
		return nil, err
	}
	a.Sentence = bytes.TrimSpace(line.Bytes())
	return a, nil
}

// cut is a sentence that somebody typed, in words.
func cut(text string, cutting corpus.Cutting) (*corpus.Source, error) {
	if len(text) > mostText {
		return nil, userr.New(userr.BadInput, "the sentence has %d bytes, and at most %d are taken: shorten it", len(text), mostText)
	}
	return cutting.Cut(text)
}
