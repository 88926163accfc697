package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// candidates is the number of outputs to show per sentence: the best output and the runners-up.
const candidates = 5

// transferForm shows the form that asks for sentences to rewrite.
func (s *Server) transferForm(*http.Request) (*view, error) {
	v := &view{Title: "Transfer"}
	if all := s.models.rewriters(); len(all) > 0 {
		v.Form = newTransferForm(all)
		v.Form.To = all[0].labels[1] // also the default of the command `transfer`
	} else {
		v.Notices = []string{"No transfer model is trained yet."}
	}
	return v, nil
}

func newTransferForm(all []rewriter) *form {
	f := newForm(lists.Map(all, func(m rewriter) model { return m.model }))
	f.Transfer = true
	return f
}

// transfer rewrites the sentences that the user sent.
func (s *Server) transfer(r *http.Request) (*view, error) {
	all := s.models.rewriters()
	v := &view{Title: "Transfer", Form: newTransferForm(all)}
	if err := v.Form.fill(r); err != nil {
		return v, err
	}
	chosen := slices.IndexFunc(all, func(m rewriter) bool { return m.name == v.Form.Model })
	if chosen < 0 {
		return v, errNoModel
	}
	of := &all[chosen]
	asked, err := rewrite.DirectionOf(v.Form.From, v.Form.To, of.of, of.labels)
	if err != nil {
		return v, err
	}
	m, err := of.find(asked)
	if err != nil {
		return v, err
	}
	texts, words, err := sentences(v.Form.Text, m.Cutting())
	if err != nil {
		return v, err
	}
	m.Request.Threads, m.Request.Devices = s.opts.Threads, s.opts.Devices
	if m.Request.Settings.Decoding == recipe.GuidedDecoding {
		m.Request.Candidates, v.Scored = candidates, true
	}
	var done []stages.Rewritten
	err = use(r.Context(), s.loaded, &s.loaded.transfer, fmt.Sprint(of.name, asked),
		func() (stages.TransferSession, error) { return m.Open(r.Context(), s.opts.Backend) },
		func(open stages.TransferSession) (err error) {
			done, err = open.Rewrite(r.Context(), words)
			return err
		})
	if err != nil {
		return v, err
	}
	var shown []page.Example
	for i := range done {
		v.Answers = append(v.Answers, texts[i].Restore(done[i].Output, done[i].Places))
		if known, all, few := done[i].Familiar(words[i]); few {
			v.Notices = append(v.Notices, fmt.Sprintf("Sentence %d: the models know only %d of its %s and copy the others. "+
				"Is it in the language and domain of the training data?", i+1, known, wording.Count(all, "word")))
		}
		title := fmt.Sprintf("Sentence %d: %s to %s", i+1, m.FromLabel(&done[i]), of.labels[asked.To])
		shown = append(shown, rewritten(title, words[i], &done[i])...)
	}
	v.Body, err = page.Examples(shown)
	return v, err
}

// The function rewritten shows a sentence with its candidates, or with its only output.
func rewritten(title string, words []string, done *stages.Rewritten) (out []page.Example) {
	add := func(name string, output []string, origins *stages.Origins) {
		e := page.Example{
			Dataset: title, System: name, Source: words, Output: output, New: report.Replaced(words, output),
		}
		for _, w := range done.Masked {
			e.Masked = append(e.Masked, w == corpus.MaskToken)
		}
		if origins != nil {
			e.Origins, e.Guide = results.Marks(origins, words), origins.Guide
		}
		out = append(out, e)
	}
	for k, c := range done.Candidates {
		name := fmt.Sprintf("%d, score %.2f", k+1, c.Score)
		if k == 0 {
			name = strings.Replace(name, ",", ", the output,", 1)
		}
		add(name, c.Output, c.Origins)
	}
	if len(out) == 0 {
		add("output", done.Output, done.Origins)
	}
	return out
}
