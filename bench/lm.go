package main

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/lm"
)

// lmSteps returns the language model of a case, which knows so many words as its Vocab says, the
// first ones of a vocabulary. Call it on the torch thread.
func lmSteps(c benchCase) *lm.Model {
	known := make(lm.Words, c.Vocab)
	for i := range known {
		known[i] = corpus.NumSpecial + int64(i)
	}
	shape := c.LM
	shape.Known = known
	return lm.New(shape)
}
