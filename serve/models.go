package serve

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// The interface models provides the trained models of an experiment or of a packed file.
type models interface {
	explainers() []explainer
	rewriters() []rewriter
}

// A model is a choice in a form's list of models.
type model struct {
	name   string
	of     string // for messages: the model's data set, or "the packed model"
	labels corpus.Styles
}

// An explainer is a choice in the form that explains sentences. It stands for the Diversity-LSTMs
// that were trained on one data set with one seed and one combination of swept settings.
type explainer struct {
	model
	find func() (*rewrite.Explaining, error)
}

// A rewriter is a choice in the form that rewrites sentences. It stands for a transfer model.
type rewriter struct {
	model
	best bool // whether dev outputs chose this model; the form lists it first
	find func(corpus.Direction) (*rewrite.Rewriting, error)
}

// The type packed provides the models of a packed file.
type packed struct{ *rewrite.Pack }

func (p packed) model() model { return model{p.Manifest.Name, "the packed model", p.Manifest.Labels} }

func (p packed) explainers() []explainer {
	return []explainer{{p.model(), func() (*rewrite.Explaining, error) { return p.Explaining(), nil }}}
}

func (p packed) rewriters() []rewriter {
	find := func(d corpus.Direction) (*rewrite.Rewriting, error) { return p.Rewriting(d), nil }
	return []rewriter{{p.model(), true, find}}
}

// The type loaded keeps the most recently used models in memory. Only one request at a time may use
// them.
type loaded struct {
	turn     chan struct{} // holds a value while a request uses the models
	explain  slot[stages.ExplainSession]
	transfer slot[stages.TransferSession]
}

// A slot holds the open session, if any, of one kind: one that explains sentences or one that
// rewrites them.
type slot[S interface{ Close() }] struct {
	name string // name of the open session; "" if there is none
	open S
}

func newLoaded() *loaded { return &loaded{turn: make(chan struct{}, 1)} }

// use waits until no other request uses the models. If the session with the given name is not open,
// use opens it and closes the previous session. Then it calls do with the session.
func use[S interface{ Close() }](
	ctx context.Context, l *loaded, in *slot[S], name string, open func() (S, error), do func(S) error,
) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.turn }()
	if in.name != name {
		in.close()
		session, err := open()
		if err != nil {
			return err
		}
		in.open = session
	}
	in.name = "" // stays "" if do panics, so that the session is not used again
	err := do(in.open)
	in.name = name
	return err
}

func (s *slot[S]) close() {
	if s.name != "" {
		s.open.Close()
		s.name = ""
	}
}

// close waits until no request uses the models, and then frees the models.
func (l *loaded) close() {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.explain.close()
	l.transfer.close()
}

// errNoModel means that a form names an unknown model.
var errNoModel = userr.New(userr.BadInput, "there is no such model: load the page again")
