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
	transferred() (transferData, error)
	rewriter(model, to string) (*rewrite.Rewriting, error)
}

// explainer is the Diversity-LSTMs of a point.
type explainer struct {
	*rewrite.Explaining
	of string // what has the styles
}

func noStyle(of string, labels corpus.Styles) error {
	return userr.New(userr.BadInput, "%s has no style of that name: choose %s", of, strings.Join(labels, " or "))
}

var (
	errNoPoint = userr.New(userr.BadInput, "there is no such point: load the page again")
	errNoModel = userr.New(userr.BadInput, "there is no such model: load the page again")
)
