package serve

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
)

// trained are the models that the pages Explain and Transfer hand sentences to: an experiment's, or
// those of a packed file. The pages name them by the values of their lists.
type trained interface {
	explained() explainData
	explainer(point string) (*explainer, error)
	transferred() transferData
	rewriter(model, from, to string) (*rewrite.Rewriting, error)
}

// explainer is the Diversity-LSTMs of a point.
type explainer struct {
	*rewrite.Explaining
	of string // what has the styles
}

func noStyle(of string, labels corpus.Styles) error {
	return userr.New(userr.BadInput, "%s has no style of that name: choose %s", of, strings.Join(labels, " or "))
}

// directionOf is what a request asks for by labels, of which from may be empty or corpus.None.
func directionOf(from, to, of string, labels corpus.Styles) (corpus.Direction, error) {
	switch {
	case labels.Index(to) < 0:
		return corpus.Direction{}, noStyle(of, labels)
	case from != "" && from != corpus.None && labels.Index(from) < 0:
		return corpus.Direction{}, userr.New(userr.BadInput, "%s has no style of that name for the source: choose %s, or "+
			"%q if the source has none of them", of, strings.Join(labels, " or "), corpus.None)
	case from == to:
		return corpus.Direction{}, userr.New(userr.BadInput, "the source and the output have the same style: choose two styles")
	}
	return rewrite.DirectionOf(from, to, of, labels)
}

var (
	errNoPoint = userr.New(userr.BadInput, "there is no such point: load the page again")
	errNoModel = userr.New(userr.BadInput, "there is no such model: load the page again")
)
