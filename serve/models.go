package serve

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// models are the trained models of an experiment or of a packed file.
type models interface {
	explainers() []explainer
	rewriters() []rewriter
}

// model describes a model in a form.
type model struct {
	name   string
	of     string // the data set, for messages
	labels corpus.Styles
}

// explainer is the Diversity-LSTMs of a point.
type explainer struct {
	model
	find func() (*rewrite.Explaining, error)
}

// rewriter is a transfer model.
type rewriter struct {
	model
	rank int // the form offers lower ones first
	find func(corpus.Direction) (*rewrite.Rewriting, error)
}

// packed are the models of a packed file.
type packed struct{ *rewrite.Pack }

func (p packed) model() model { return model{p.Manifest.Name, "the packed model", p.Manifest.Labels} }

func (p packed) explainers() []explainer {
	return []explainer{{p.model(), func() (*rewrite.Explaining, error) { return p.Explaining(), nil }}}
}

func (p packed) rewriters() []rewriter {
	find := func(d corpus.Direction) (*rewrite.Rewriting, error) { return p.Rewriting(d), nil }
	return []rewriter{{p.model(), 0, find}}
}

// loaded keeps the last used models in memory. Requests use them one at a time.
type loaded struct {
	turn     chan struct{} // full while models are in use
	explain  slot[stages.ExplainSession]
	transfer slot[stages.TransferSession]
}

// slot has room for one session.
type slot[S interface{ Close() }] struct {
	name string // what was opened; "" for nothing
	open S
}

func newLoaded() *loaded { return &loaded{turn: make(chan struct{}, 1)} }

// use waits for its turn and calls do with the session called name, which it opens if necessary.
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
	in.name = "" // after a panic, the session is not used again
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

// close frees the models, after a request that uses them.
func (l *loaded) close() {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.explain.close()
	l.transfer.close()
}

// errNoModel means that a form names an unknown model.
var errNoModel = userr.New(userr.BadInput, "there is no such model: load the page again")
