// Package guided rewrites sentences into a target style by a search over edits. SMLM proposes words
// for masked positions. A table of phrases from the training text proposes to replace a phrase by
// another phrase that occurs between the same words in the target style. The worth of an output is
// a score for style, fluency and few changes. Each step makes the edit that raises the worth most,
// and the search ends when no edit raises it. docs/guided.md has the formulas.
//
// Models are used through interfaces, so the rules can be tested without them.
package guided

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Fill is a word that SMLM proposes for a mask.
type Fill struct {
	ID   int64
	LogQ float64 // log q(w | masked sentence, target style)
}

// Filler proposes words for masks. smlm.Filler implements it.
type Filler interface {
	// Fills returns the likeliest words in the target style d.Targets for each mask of each
	// sentence, in order. The likeliest word comes first.
	Fills(ctx context.Context, d corpus.Encoded) ([][][]Fill, error)
}

// Guide is a style classifier. It is never used to evaluate outputs.
type Guide interface {
	// LogProbs returns log p(style | words) by style, for each sentence.
	LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error)
}

// Fluency is a store of the trigrams of the training text. It must be safe for concurrent use.
type Fluency interface {
	// UnigramLogProb returns log p of a word without context.
	UnigramLogProb(id int64) float64
	// Has reports whether the training text contains a trigram.
	Has(trigram [3]int64) bool
}

// Writer rewrites sentences into their target styles.
type Writer struct {
	How     recipe.Guided
	Filler  Filler
	Guide   Guide
	Fluency Fluency
	Phrases *Phrases
	// KeepUnknown keeps words that are not in the vocabulary, such as names in a user's own
	// sentences.
	KeepUnknown bool
}

// Origin says where a word of an output comes from.
type Origin string

// The possible origins of a word.
const (
	Kept      Origin = "kept"      // copied from the source
	Filled    Origin = "filled"    // proposed by SMLM for a mask
	Rephrased Origin = "rephrased" // from the table of phrases
	Deleted   Origin = "deleted"   // the source's word was deleted
)

// Word is a word of an output, or a deleted word of its source.
type Word struct {
	ID     int64 // id of the word; corpus.EosID if it is deleted
	Place  int   // its place in the source
	Origin Origin
	LogQ   float64 // SMLM's log q(w | masked sentence, target style) if Origin is Filled, else 0
}

// Output is one rewritten version of a sentence.
type Output struct {
	Words []Word
	Style float64 // the guide's p(target style | words)
	Odd   int     // number of trigrams that neither the source nor the training text has
	Cost  float64 // cost of the changed words
	Worth float64 // what the search maximises (docs/guided.md)
}

// Remaining returns the words that are not deleted.
func (o Output) Remaining() []Word {
	return lists.Filter(o.Words, func(w Word) bool { return w.Origin != Deleted })
}

// IDs returns the ids of the words that are not deleted.
func (o Output) IDs() []int64 {
	return lists.Map(o.Remaining(), func(w Word) int64 { return w.ID })
}

// wordsAtOnce is the maximum number of words processed together. It limits the memory that a
// transfer uses.
const wordsAtOnce = 4000

// Write returns the best outputs of each sentence in its target style d.Targets, best first: at
// least one and at most limit outputs per sentence. The outputs of a sentence do not depend on the
// other sentences (docs/decisions/030-rounding.md).
func (w *Writer) Write(ctx context.Context, d corpus.Encoded, limit int) ([][]Output, error) {
	order := make([]int, len(d.IDs)) // indices, sorted by sentence length: a batch needs sentences of equal length
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(d.IDs[a]), len(d.IDs[b])) })
	drafts := lists.Map(order, func(i int) *draft { return newDraft(d, i) })
	rows := lists.Map(order, func(i int) []int64 { return d.IDs[i] })
	out := make([][]Output, len(order))
	for from := 0; from < len(order); {
		end := from + corpus.Fitting(rows[from:], wordsAtOnce)
		found, err := w.search(ctx, drafts[from:end], limit)
		if err != nil {
			return nil, err
		}
		for k, outputs := range found {
			out[order[from+k]] = outputs
		}
		from = end
	}
	return out, nil
}
