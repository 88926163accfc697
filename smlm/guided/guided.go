// Package guided refills masks with more help than the likeliest word: by what SMLM says of a word
// where the style asked for is asked for and where the sentence's own is, by n-grams, and by the
// guide, a classifier that measures nothing. It reaches models through interfaces, so that its
// rules are tested without them. docs/decisions/016-guided-refill.md has the formulas.
package guided

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Empty is the id of the empty word, which stands in outputs nowhere.
const Empty = corpus.EosID

// Fill is a word that may stand where a mask is, or Empty, and what SMLM thinks of it there.
type Fill struct {
	ID    int64
	Asked float64 // log q(w | x^m, dst = s'), the style asked for
	Own   float64 // log q(w | x^m, dst = s), the source's style, plus a constant of the place
}

// Filler proposes words for the masks of sentences; smlm.Filler is one.
type Filler interface {
	// Fills returns the words that may stand at every masked word of every sentence in order,
	// the likeliest first, and with own what the model thinks of them in the sentence's own
	// style. Where the model knows slots, a place has so many, masked or, from some on, with
	// Empty in them; Empty is the last of the words of each mask, and Own has no constant where
	// all slots are masked.
	Fills(ctx context.Context, d corpus.Encoded, own bool) ([][][]Fill, error)
}

// Likelihood says how likely words are; smlm.Filler is one.
type Likelihood interface {
	// LogQ returns log q of the word of d.IDs at every mask of every sentence in order, when the
	// style d.Asked is asked for. With slots a place has so many, with the word in the first and
	// Empty in the others, all masked.
	LogQ(ctx context.Context, d corpus.Encoded) ([][]float64, error)
	// Alike returns the cosine of the vectors that two words have in the vocabulary layer: words
	// that stand in like places are alike.
	Alike(a, b int64) float64
}

// Found is an output that a search found.
type Found struct {
	IDs   []int64
	Asked []float64 // log q of each word given those before it, for the style asked for
	LogQ  float64   // log q of the whole
}

// Searcher writes whole sentences; smlm.Searcher is one.
type Searcher interface {
	// Search returns the likeliest outputs of every sentence, at least one and the likeliest first,
	// in which unmasked words stand where they stood.
	Search(ctx context.Context, d corpus.Encoded) ([][]Found, error)
}

// Guide is a classifier that tells styles apart.
type Guide interface {
	// LogProbs returns log p(style | words) for every sentence of ids, by style.
	LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error)
}

// Fluency is a language model that says how well words go together.
type Fluency interface {
	// Window returns the sum of log p of those words of a sentence, and of its end, whose n-grams
	// word k is in; masks among them count as 0.
	Window(ids []int64, k int) float64
	// LogProb returns log p of a whole sentence.
	LogProb(ids []int64) float64
	// Alone returns log p of a word of which no neighbour is known.
	Alone(id int64) float64
}

// Rewrite is an output beside its source.
type Rewrite struct {
	Source, Output []int64
	Places         []int // of the source's words in whose places those of the output stand
	Asked          int   // the style asked for
}

// Rater says how good readers would find outputs; smlm.Rater is one.
type Rater interface {
	// Rate returns, of every output, the log of the product of the probabilities that a reader
	// gives style, content and fluency the best score.
	Rate(ctx context.Context, of []Rewrite) ([]float64, error)
}

// Refiller writes sentences in the style asked for.
type Refiller struct {
	How    recipe.Guided
	Filler Filler
	// Slots is the most words that one word may become, by the Filler; it may become none too. With
	// 0 it becomes one word.
	Slots int
	// Lengths are those of the directions that have another than How.Length.
	Lengths map[corpus.Direction]float64
	// Searcher, where it is not nil, writes the candidates in the place of Filler. Of How only the
	// settings that recipe.Guided.Searched returns act then.
	Searcher Searcher
	Guide    Guide // nil where How needs none
	// Fluency is nil where How does not ask n-grams (recipe.Guided.AsksNGrams).
	Fluency Fluency
	// LogShare is what LogShares returns for the training text; it is read where How has a price.
	LogShare [][]float64
	// Punctuation tells by id which words are punctuation marks; it is read where How has
	// NoPunctuation.
	Punctuation []bool
	// Negations are read where How.Ranked is on: sentences are also written with phrases negated.
	Negations []Negation
	// Ranker is read where How.Ranked is on, Rater where How.Rated is too, and Likelihood where
	// words have contrasts.
	Likelihood Likelihood
	Ranker     *Ranker
	Rater      Rater
	Seed       uint64 // of the candidates that are drawn
	// KeepUnknown keeps further masks from words that the vocabulary lacks, such as a name in a
	// user's own sentence, of which the guide knows nothing.
	KeepUnknown bool
	revising    bool // words are chosen once more
}

// Origin says why a word stands where it stands.
type Origin string

// The origins of a word.
const (
	Kept     Origin = "kept"     // it was not masked
	Restored Origin = "restored" // it was masked, and returned because the guide stays sure
	Refilled Origin = "refilled" // chosen where attention had masked
	Added    Origin = "added"    // chosen where a further mask was needed, or where a phrase was negated
	Inserted Origin = "inserted" // beside another word, in the place of one
	Deleted  Origin = "deleted"  // nothing stands in the place of a word
)

// Word is a word of an output, or says that one is deleted.
type Word struct {
	ID     int64 // Empty of a deleted one
	Place  int   // of the word of the source that it stands for
	Origin Origin
	Asked  float64 // log q(w | x^m, the style asked for) when it was chosen; 0 of the source's words
	Sure   float64 // the guide's p(style asked for | words) with a restored word; 0 of others
	// Negated says that it stands where a phrase was negated, or is deleted there: no model chose
	// it.
	Negated bool
}

// Output is a sentence as it was written.
type Output struct {
	Words []Word
	Sure  float64 // the guide's p(style asked for | words), 0 without a guide
	LogQ  float64 // the sum of log q of what was chosen, or log q of what a search found
}

// wordsAtOnce bounds the sentences that are worked on at a time: their batches, candidates and
// fills make up a transfer's memory.
const wordsAtOnce = 4000

// Transfer returns every sentence in the style d.Asked: with as many words as it has, or with slots
// with at least one. No sentence's output depends on the other sentences
// (docs/decisions/030-rounding.md).
func (r *Refiller) Transfer(ctx context.Context, d corpus.Encoded) ([]Output, error) {
	order := make([]int, len(d.IDs)) // by length, since batches have one
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(d.IDs[a]), len(d.IDs[b])) })
	all, rows := make([]*draft, len(order)), make([][]int64, len(order))
	for k, i := range order {
		all[k], rows[k] = newDraft(d, i), d.IDs[i]
	}
	for from := 0; from < len(all); {
		end := from + corpus.Fitting(rows[from:], wordsAtOnce)
		if err := r.transfer(ctx, all[from:end]); err != nil {
			return nil, err
		}
		from = end
	}
	out := make([]Output, len(all))
	for k, i := range order {
		out[i] = all[k].output()
	}
	return out, nil
}

// transfer is Transfer of drafts, which are the sources at first.
func (r *Refiller) transfer(ctx context.Context, all []*draft) error {
	if r.How.Ranked {
		return r.rank(ctx, all)
	}
	if err := r.knowContrasts(ctx, all); err != nil {
		return err
	}
	return r.writeOneWay(ctx, all)
}

// writeOneWay is transfer by one set of settings, without the ranker.
func (r *Refiller) writeOneWay(ctx context.Context, all []*draft) error {
	if err := r.unmask(ctx, all); err != nil {
		return err
	}
	if err := r.maskByContrast(ctx, all); err != nil {
		return err
	}
	return r.write(ctx, all)
}

// write writes drafts, which are the sources with their masks.
func (r *Refiller) write(ctx context.Context, all []*draft) error {
	if err := r.writeOnce(ctx, all); err != nil {
		return err
	}
	return r.writeLeft(ctx, all)
}

// writeOnce is write without a second look at what is left.
func (r *Refiller) writeOnce(ctx context.Context, all []*draft) error {
	if err := r.refill(ctx, all); err != nil {
		return err
	}
	if err := r.maskMore(ctx, all); err != nil {
		return err
	}
	return r.restoreAndRevise(ctx, all)
}

// restoreAndRevise restores source words in filled drafts and, where How asks for it, chooses the
// other words once more and restores again.
func (r *Refiller) restoreAndRevise(ctx context.Context, all []*draft) error {
	if err := r.restore(ctx, all); err != nil || !r.How.Revise {
		return err
	}
	if err := r.revise(ctx, all); err != nil {
		return err
	}
	return r.restore(ctx, all)
}

// OfSource tells whether a word is the source's own.
func (w Word) OfSource() bool { return w.Origin == Kept || w.Origin == Restored }

// Standing returns the words that stand in an output, without those that are deleted.
func (o Output) Standing() []Word {
	return lists.Where(o.Words, func(w Word) bool { return w.Origin != Deleted })
}

// IDs returns their ids.
func (o Output) IDs() []int64 {
	return lists.Map(o.Standing(), func(w Word) int64 { return w.ID })
}
