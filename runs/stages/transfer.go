package stages

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// transferModel is a trained transfer model, whichever of the three, with its guide if it has one.
type transferModel struct {
	free func()
	// rewrite returns the ids of every sentence in the other style and, where masks were refilled
	// with help, how each came about.
	rewrite func(ctx context.Context, d smlm.Data) ([][]int64, []guided.Output, error)
	copies  bool
	// searches tells a model whose other outputs are found by a search, not drawn.
	searches bool
	// others returns further outputs beside those that rewrite wrote, drawn as how says; nil where
	// unmasked words are predicted.
	others func(
		ctx context.Context, d smlm.Data, written []guided.Output, how recipe.Guided,
	) ([][]guided.Alternative, error)
}

// loadTransferModel loads what the stage transfer reads, from the folders of its inputs.
func loadTransferModel(inputs map[string]string, s kind.TransferSettings) (*transferModel, error) {
	dir := inputs["model"]
	trained, err := workspace.ReadRecord(filepath.Join(dir, "stage.json"))
	if err != nil {
		return nil, err
	}
	dec := smlm.Decoding{
		Unmasked: s.Unmasked, WriteSpecial: s.WriteSpecial,
		MaxExtra: s.MaxExtra, Beam: s.Beam, LengthPenalty: s.LengthPenalty, NoRepeats: s.NoRepeats,
	}
	type rewriter func(context.Context, smlm.Data, smlm.Decoding) ([][]int64, error)
	plain := func(rewrite rewriter, free func()) *transferModel {
		return &transferModel{
			free: free, copies: s.Unmasked == recipe.Copied,
			rewrite: func(ctx context.Context, d smlm.Data) ([][]int64, []guided.Output, error) {
				ids, err := rewrite(ctx, d, dec)
				return ids, nil, err
			},
		}
	}
	switch trained.Kind {
	case kind.SMLM, kind.SMLMFT:
		m, err := loadSMLM(dir)
		if err != nil {
			return nil, err
		}
		dec.BF16 = inBF16(trained.Precision, shape(m.Config, nn.EvalTokens).SMLM())
		if s.Guided != (recipe.Guided{}) {
			return loadGuided(m.Params, filling(m, dec.BF16), inputs, s)
		}
		return plain(m.Transfer, m.Params.Free), nil
	case kind.SMLMG:
		g, err := loadGenerator(dir)
		if err != nil {
			return nil, err
		}
		dec.BF16 = inBF16(trained.Precision, shape(g.Config, nn.EvalTokens).SMLMG())
		if s.Guided != (recipe.Guided{}) {
			t, err := loadGuided(g.Params, searching(g, dec.BF16), inputs, s)
			if err == nil {
				t.searches = true
			}
			return t, err
		}
		return plain(g.Transfer, g.Params.Free), nil
	}
	return nil, fmt.Errorf("%s is not a transfer model", trained.Kind)
}

// rewritten is sentences in the other style.
type rewritten struct {
	words [][]string
	how   []guided.Output // nil where masks were not refilled with help
}

// words returns every sentence rewritten in the other style.
func (r *transferModel) words(
	ctx context.Context, v *corpus.Vocab, d smlm.Data, sources [][]string,
) (out rewritten, err error) {
	ids, how, err := r.rewrite(ctx, d)
	if err != nil {
		return out, err
	}
	out = rewritten{make([][]string, len(ids)), how}
	for i, row := range ids {
		words := v.Decode(row)
		for k := range words { // the file's own words, which the vocabulary may not have
			if how != nil && how[i].Words[k].OfSource() || how == nil && r.copies && !d.Masks[i][k] {
				words[k] = sources[i][k]
			}
		}
		out.words[i] = words
	}
	return out, nil
}

// transfer rewrites the test sentences, or the dev sentences.
func transfer(ctx context.Context, job *plan.Job, s kind.TransferSettings) error {
	split := tested(s.Dev)
	t, err := loadText(job, split)
	if err != nil {
		return err
	}
	r, err := loadTransferModel(job.Inputs, s)
	if err != nil {
		return err
	}
	defer r.free()
	d, err := t.masked(job, split)
	if err != nil {
		return err
	}
	sources := sentences(t.Dataset, split)
	out, err := r.words(ctx, t.vocab, d, sources)
	if err != nil {
		return err
	}
	masked := maskedTexts(sources, d.Masks)
	for name, texts := range map[string][2][][]string{
		"output": byStyle(t, split, out.words), "masked": byStyle(t, split, masked),
	} {
		for style, lines := range texts {
			if err := corpus.WriteLines(outputFile(job.Dir, name, style), lines); err != nil {
				return err
			}
		}
	}
	if out.how == nil {
		return nil
	}
	origins := make([]*kind.Origins, len(out.words))
	for i := range origins {
		origins[i] = out.origins(i)
	}
	return kind.WriteOrigins(job.Dir, origins)
}

// maskedTexts are sentences with masks in their places.
func maskedTexts(sentences [][]string, masks [][]bool) [][]string {
	masked := make([][]string, len(sentences))
	for i, words := range sentences {
		masked[i] = maskedWords(words, masks[i])
	}
	return masked
}
