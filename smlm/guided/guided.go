// Package guided writes sentences in another style by a search over edits. SMLM proposes words for
// masked places. A table of phrases, found in the training text, proposes what texts of the other
// style have between the same words. Of all edits the search makes the one that raises the worth of
// the output most, and goes on until none does. docs/guided.md has the formulas.
//
// Models are reached through interfaces, so the rules are tested without them.
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
	LogQ float64 // log q(w | masked sentence, style asked for)
}

// Filler proposes words for masks. smlm.Filler implements it.
type Filler interface {
	// Fills returns, for each mask of each sentence in order, the likeliest words in the style
	// d.Asked, the likeliest first.
	Fills(ctx context.Context, d corpus.Encoded) ([][][]Fill, error)
}

// Guide is a classifier of styles. It never measures an output.
type Guide interface {
	// LogProbs returns log p(style | words) by style, for each sentence.
	LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error)
}

// Fluency is a language model. Many goroutines may call it.
type Fluency interface {
	// LogProb returns log p of a sentence and its end.
	LogProb(ids []int64) float64
	// Alone returns log p of a word whose neighbours are not known.
	Alone(id int64) float64
}

// Rater says how good readers would find outputs. smlm.Rater implements it.
type Rater interface {
	// Rate returns, for each output, the log of the product of the probabilities that a reader
	// gives style, content and fluency the best score.
	Rate(ctx context.Context, of []Rewrite) ([]float64, error)
}

// Rewrite is an output beside its source.
type Rewrite struct {
	Source, Output []int64
	Places         []int // the place in the source of each word of the output
	Asked          int   // the style asked for
}

// Writer writes sentences in the style asked for.
type Writer struct {
	How     recipe.Guided
	Filler  Filler
	Guide   Guide
	Fluency Fluency
	Phrases *Phrases
	Rater   Rater // nil if no reader has rated outputs
	// KeepUnknown leaves words alone that the vocabulary lacks, such as names in a user's own
	// sentences.
	KeepUnknown bool
}

// Origin says where a word of an output comes from.
type Origin string

// The origins of a word.
const (
	Kept      Origin = "kept"      // the source
	Filled    Origin = "filled"    // SMLM
	Rephrased Origin = "rephrased" // the table of phrases
	Deleted   Origin = "deleted"   // nothing stands in the place of the source's word
)

// Word is a word of an output, or a deleted one.
type Word struct {
	ID     int64 // corpus.EosID if deleted
	Place  int   // the place in the source that it stands in
	Origin Origin
	LogQ   float64 // SMLM's log q(w | masked sentence, style asked for) if filled, else 0
}

// Output is one way to write a sentence.
type Output struct {
	Words   []Word
	Style   float64 // the guide's p(style asked for | words)
	Fluency float64 // log p by the n-grams, for each word and the end
	Cost    float64 // of the changed words
	Worth   float64 // what the search raises (docs/guided.md)
	Rating  float64 // what the rater returns, 0 without a rater
}

// Standing returns the words without deleted ones.
func (o Output) Standing() []Word {
	return lists.Where(o.Words, func(w Word) bool { return w.Origin != Deleted })
}

// IDs returns the ids of the words.
func (o Output) IDs() []int64 {
	return lists.Map(o.Standing(), func(w Word) int64 { return w.ID })
}

// wordsAtOnce bounds the words that are worked on together, and with them the memory of a transfer.
const wordsAtOnce = 4000

// Write returns, for each sentence, its best outputs in the style d.Asked: at least one, at most so
// many, the best first. The output of a sentence does not depend on other sentences
// (docs/decisions/030-rounding.md).
func (w *Writer) Write(ctx context.Context, d corpus.Encoded, most int) ([][]Output, error) {
	order := make([]int, len(d.IDs)) // by length, since batches have one
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(d.IDs[a]), len(d.IDs[b])) })
	drafts := lists.Map(order, func(i int) *draft { return newDraft(d, i) })
	rows := lists.Map(order, func(i int) []int64 { return d.IDs[i] })
	out := make([][]Output, len(order))
	for from := 0; from < len(order); {
		end := from + corpus.Fitting(rows[from:], wordsAtOnce)
		found, err := w.search(ctx, drafts[from:end], most)
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
