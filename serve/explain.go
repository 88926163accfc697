package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// explainForm shows the form that asks for sentences to explain.
func (s *Server) explainForm(*http.Request) (*view, error) {
	v := &view{Title: "Explain"}
	if all := s.models.explainers(); len(all) > 0 {
		v.Form = newForm(lists.Map(all, func(e explainer) model { return e.model }))
	} else {
		v.Notices = []string{"No Diversity-LSTM is trained yet."}
	}
	return v, nil
}

// explain shows the scores and masks of the words in the sentences that the user sent.
func (s *Server) explain(r *http.Request) (*view, error) {
	all := s.models.explainers()
	v := &view{Title: "Explain", Form: newForm(lists.Map(all, func(e explainer) model { return e.model }))}
	if err := v.Form.fill(r); err != nil {
		return v, err
	}
	chosen := slices.IndexFunc(all, func(e explainer) bool { return e.name == v.Form.Model })
	if chosen < 0 {
		return v, errNoModel
	}
	of := &all[chosen]
	style := -1 // -1 means the style that the model predicts
	if v.Form.From != "" {
		var err error
		if style, err = rewrite.Style("the style", v.Form.From, of.of, of.labels); err != nil {
			return v, err
		}
	}
	x, err := of.find()
	if err != nil {
		return v, err
	}
	if err := setLambdaEps(x, v.Form.LambdaEps); err != nil {
		return v, err
	}
	_, words, err := sentences(v.Form.Text, x.Cutting())
	if err != nil {
		return v, err
	}
	x.Request.Threads, x.Request.Devices = s.opts.Threads, s.opts.Devices
	var found []stages.Explained
	err = use(r.Context(), s.loaded, &s.loaded.explain, of.name,
		func() (stages.ExplainSession, error) { return x.Open(r.Context(), s.opts.Backend) },
		func(open stages.ExplainSession) (err error) {
			found, err = open.Explain(r.Context(), words, style)
			return err
		})
	if err != nil {
		return v, err
	}
	if len(x.Missing) > 0 {
		v.Notices = append(v.Notices, fmt.Sprintf("Not trained yet: %s.", strings.Join(x.Missing, ", ")))
	}
	v.Body, err = page.Examples(explained(x, words, found))
	return v, err
}

// setLambdaEps sets lambda_eps, from which the threshold for masking a word is computed. The value
// is the one that the user typed; if it is empty, nothing changes.
func setLambdaEps(x *rewrite.Explaining, given string) error {
	if given == "" {
		return nil
	}
	const name = "lambda_eps"
	eps, err := strconv.ParseFloat(given, 64)
	if err != nil {
		return userr.New(userr.BadInput, "%s is %q, but must be a number", name, given)
	}
	return x.SetLambdaEps(name, eps)
}

// The function explained returns one example for each sentence and masking method.
func explained(x *rewrite.Explaining, words [][]string, found []stages.Explained) (out []page.Example) {
	for i := range words {
		h := x.Decide(words[i], &found[i])
		for _, m := range h.Methods {
			out = append(out, page.Example{
				Dataset: fmt.Sprintf("Sentence %d: %s (p = %.2f)", i+1, h.Style, h.Probability),
				Method:  strings.ReplaceAll(m.Name, "_", " "), Source: h.Words, Scores: m.Scores, Masked: m.Masked,
				Rule: m.Rule,
			})
		}
	}
	return out
}
