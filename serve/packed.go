package serve

import (
	"errors"
	"net/http"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/rewrite"
)

// packed is the one packed model of a page, which has no experiment and no workspace.
type packed struct{ pack *rewrite.Pack }

// theModel is the value of the one choice there is.
const theModel = "packed"

// errPacked is the answer of pages that show what a packed model does not hold.
var errPacked = errors.New("a packed model has no experiment and no workspace, so it does not have this page: " +
	"run `smlm-exp serve FILE` with the experiment file to see it")

// packedRoutes are the two pages for sentences, and what the others say.
func (s *Server) packedRoutes(mux *http.ServeMux) {
	mux.Handle("GET /{$}", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { redirect(w, "transfer") }))
	for _, l := range studyLinks {
		if !slices.Contains(sentenceLinks, l) {
			mux.Handle("GET /"+l.To, s.page(func(http.ResponseWriter, *http.Request) (*view, error) { return nil, errPacked }))
		}
	}
	s.sentenceRoutes(mux)
}

func (p *packed) choice() choice { return choice{theModel, p.pack.Manifest.Name} }

func (p *packed) explained() explainData {
	m := &p.pack.Manifest
	return explainData{Points: []choice{p.choice()}, Styles: m.Labels, Eps: m.Mask.LambdaEps}
}

func (p *packed) explainer(point string) (*explainer, error) {
	if point != theModel {
		return nil, errNoPoint
	}
	return &explainer{p.pack.Explaining(), "the packed model"}, nil
}

func (p *packed) transferred() transferData {
	return transferData{Models: []modelChoice{{p.choice(), p.pack.Manifest.Labels}}, Chosen: theModel}
}

func (p *packed) rewriter(model, from, to string) (*rewrite.Rewriting, error) {
	asked, err := directionOf(from, to, "the packed model", p.pack.Manifest.Labels)
	if err != nil {
		return nil, err
	}
	if model != theModel {
		return nil, errNoModel
	}
	return p.pack.Rewriting(asked), nil
}
