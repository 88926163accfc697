// Package rewriter writes sentences in the other style with models that are loaded: the likeliest
// words, guided refill, several candidates, and in all of them the source's own words where they
// stay.
package stages

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Model is a trained transfer model, whichever of the three, with its guide if it has one.
type Model struct {
	Free func()
	// Rewrite returns the ids of every sentence in the other style and, where the decoding
	// is guided, how each came about.
	Rewrite func(ctx context.Context, d smlm.Data) ([][]int64, []guided.Output, error)
	Copies  bool // words that are not masked
	InPlace bool // word k of an output stands where word k of its source stood
	// Others returns further outputs beside those that Rewrite wrote, drawn as how says; nil where
	// the decoding is not guided.
	Others func(
		ctx context.Context, d smlm.Data, written []guided.Output, how recipe.Guided,
	) ([][]guided.Alternative, error)
	Searches bool // Others are found by a search, not drawn
}

// Proposing gives a refiller a model that proposes words for about so many sentences, and calls fn.
type Proposing func(r *guided.Refiller, sentences int, fn func() error) error

// Filling is that of SMLM and SMLM-FT.
func Filling(m *smlm.Model, bf16 bool) Proposing {
	return func(r *guided.Refiller, sentences int, fn func() error) error {
		return m.Refilling(bf16, sentences, func(f *smlm.Filler) error {
			r.Filler = f
			return fn()
		})
	}
}

// Searching is that of SMLM-G.
func Searching(g *smlm.Generator, bf16 bool) Proposing {
	return func(r *guided.Refiller, _ int, fn func() error) error {
		r.Searcher = smlm.Searcher{Generator: g, Beam: r.How.Candidates, NoRepeats: r.How.NoRepeats, BF16: bf16}
		return fn()
	}
}

// Guided is a model that refills masks as r does.
func Guided(r guided.Refiller, propose Proposing, free func()) *Model {
	m := &Model{Free: free, Copies: true, InPlace: true}
	m.Rewrite = func(ctx context.Context, d smlm.Data) (ids [][]int64, out []guided.Output, err error) {
		err = propose(&r, len(d.IDs), func() error {
			out, err = r.Transfer(ctx, StyleMasked(d))
			return err
		})
		for _, o := range out {
			ids = append(ids, o.IDs())
		}
		return ids, out, err
	}
	m.Others = func(ctx context.Context, d smlm.Data, written []guided.Output, how recipe.Guided) (
		out [][]guided.Alternative, err error,
	) {
		drawing := r
		drawing.How = how
		err = propose(&drawing, len(d.IDs)*how.Candidates, func() error {
			out, err = drawing.Alternatives(ctx, StyleMasked(d), written)
			return err
		})
		return out, err
	}
	return m
}

// StyleMasked is d as package guided has it.
func StyleMasked(d smlm.Data) guided.Sentences {
	return guided.Sentences{IDs: d.IDs, Styles: d.Styles, Masks: d.Masks}
}

// Written is sentences in the other style.
type Written struct {
	Words [][]string
	How   []guided.Output // nil where the decoding is not guided
}

// Words returns every sentence rewritten in the other style.
func (m *Model) Words(
	ctx context.Context, v *corpus.Vocab, d smlm.Data, sources [][]string,
) (out Written, err error) {
	ids, how, err := m.Rewrite(ctx, d)
	if err != nil {
		return out, err
	}
	out = Written{make([][]string, len(ids)), how}
	for i, row := range ids {
		words := v.Decode(row)
		for k := range words { // the file's own words, which the vocabulary may not have
			if how != nil && how[i].Words[k].OfSource() || how == nil && m.Copies && !d.Masks[i][k] {
				words[k] = sources[i][k]
			}
		}
		out.Words[i] = words
	}
	return out, nil
}

// Origins say where the words of an output come from, nil where the decoding is not guided.
func (r *Written) Origins(i int) *Origins {
	if r.How == nil {
		return nil
	}
	return origins(r.How[i], r.Words[i])
}

// origins spells those of an output.
func origins(out guided.Output, words []string) *Origins {
	o := &Origins{Guide: out.Sure}
	for k, w := range out.Words {
		word := Word{Word: words[k], Origin: w.Origin, Guide: w.Sure}
		if !w.OfSource() {
			word.P = math.Exp(w.Asked)
		}
		o.Words = append(o.Words, word)
	}
	return o
}
