package stages

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// proposing gives a refiller a model that proposes words for about so many sentences, and calls fn.
type proposing func(r *guided.Refiller, sentences int, fn func() error) error

func filling(m *smlm.Model, bf16 bool) proposing {
	return func(r *guided.Refiller, sentences int, fn func() error) error {
		return m.Refilling(bf16, sentences, func(f *smlm.Filler) error {
			r.Filler = f
			return fn()
		})
	}
}

func searching(g *smlm.Generator, bf16 bool) proposing {
	return func(r *guided.Refiller, _ int, fn func() error) error {
		r.Searcher = smlm.Searcher{Generator: g, Beam: r.How.Candidates, NoRepeats: r.How.NoRepeats, BF16: bf16}
		return fn()
	}
}

// loadGuided makes a model, which params are of, ready to write with the help that its settings ask
// for.
func loadGuided(
	params *nn.Params, propose proposing, inputs map[string]string, s kind.TransferSettings,
) (t *transferModel, err error) {
	var guide *classifier.CNN
	free := func() {
		params.Free()
		if guide != nil {
			guide.Params.Free()
		}
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	r := guided.Refiller{How: s.Guided, Seed: s.Seed}
	if s.Guided.AsksGuide() {
		if guide, err = loadGuide(inputs["guide"]); err != nil {
			return nil, err
		}
		r.Guide = guide
	}
	if s.Guided.Fluency > 0 {
		if r.Fluency, err = loadFluency(inputs["fluency"]); err != nil {
			return nil, err
		}
	}
	if s.Guided.Price > 0 {
		if r.LogShare, err = lastShares.get(inputs["mask"]+inputs["vocab"], func() ([2][]float64, error) {
			return maskedShares(inputs)
		}); err != nil {
			return nil, err
		}
	}
	rewrite := func(ctx context.Context, d smlm.Data) (ids [][]int64, out []guided.Output, err error) {
		err = propose(&r, len(d.IDs), func() error {
			out, err = r.Transfer(ctx, styleMasked(d))
			return err
		})
		for _, o := range out {
			ids = append(ids, o.IDs())
		}
		return ids, out, err
	}
	return &transferModel{
		free: free, rewrite: rewrite, copies: true,
		others: func(ctx context.Context, d smlm.Data, written []guided.Output, how recipe.Guided) (
			out [][]guided.Alternative, err error,
		) {
			drawing := r
			drawing.How = how
			err = propose(&drawing, len(d.IDs)*how.Candidates, func() error {
				out, err = drawing.Alternatives(ctx, styleMasked(d), written)
				return err
			})
			return out, err
		},
	}, nil
}

// lastShares: a run writes dev and test outputs, and those of a sweep, one after another.
var lastShares last[[2][]float64]

// maskedShares returns guided.LogShares of the training text.
func maskedShares(inputs map[string]string) (logs [2][]float64, err error) {
	job := &plan.Job{Inputs: inputs}
	t, err := loadText(job, corpus.Train)
	if err != nil {
		return logs, err
	}
	d, err := t.masked(job, corpus.Train)
	if err != nil {
		return logs, err
	}
	return guided.LogShares(styleMasked(d), t.vocab.Len()), nil
}

func styleMasked(d smlm.Data) guided.Sentences {
	return guided.Sentences{IDs: d.IDs, Styles: d.Styles, Masks: d.Masks}
}

// origins say where the words of an output come from, nil where masks were not refilled with help.
func (r *rewritten) origins(i int) *kind.Origins {
	if r.how == nil {
		return nil
	}
	return originsOf(r.how[i], r.words[i])
}

// originsOf spells an output's origins.
func originsOf(out guided.Output, words []string) *kind.Origins {
	o := &kind.Origins{Guide: out.Sure}
	for k, w := range out.Words {
		word := kind.Word{Word: words[k], Origin: w.Origin, Guide: w.Sure}
		if !w.OfSource() {
			word.P = math.Exp(w.Asked)
		}
		o.Words = append(o.Words, word)
	}
	return o
}
