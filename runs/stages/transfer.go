package stages

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// loadTransferModel loads what the stage transfer reads, from the folders of its inputs; own tells
// that it is to write somebody's own sentences.
func loadTransferModel(inputs map[string]string, s TransferSettings, own bool) (*Model, error) {
	dir := inputs["model"]
	trained, err := stage.ReadRecord(filepath.Join(dir, "stage.json"))
	if err != nil {
		return nil, err
	}
	dec := smlm.Decoding{
		Decoding: s.Decoding, WriteSpecial: s.WriteSpecial,
		MaxExtra: s.MaxExtra, Beam: s.Beam, LengthPenalty: s.LengthPenalty, NoRepeats: s.NoRepeats,
	}
	type rewriting func(context.Context, smlm.Data, smlm.Decoding) ([][]int64, error)
	plain := func(rewrite rewriting, free func()) *Model {
		return &Model{
			Free: free, Copies: s.Decoding.Copies(),
			InPlace: s.Decoding.Copies() || trained.Kind != SMLMG && !s.WriteSpecial,
			Rewrite: func(ctx context.Context, d smlm.Data) ([][]int64, []guided.Output, error) {
				ids, err := rewrite(ctx, d, dec)
				return ids, nil, err
			},
		}
	}
	switch trained.Kind {
	case SMLM, SMLMFT:
		m, err := loadSMLM(dir)
		if err != nil {
			return nil, err
		}
		dec.BF16 = inBF16(trained.Precision, shape(m.Config, nn.EvalTokens).SMLM())
		if s.Decoding == recipe.GuidedDecoding {
			return loadGuided(m.Params, Filling(m, dec.BF16), inputs, s, own)
		}
		return plain(m.Transfer, m.Params.Free), nil
	case SMLMG:
		g, err := loadGenerator(dir)
		if err != nil {
			return nil, err
		}
		dec.BF16 = inBF16(trained.Precision, shape(g.Config, nn.EvalTokens).SMLMG())
		if s.Decoding == recipe.GuidedDecoding {
			t, err := loadGuided(g.Params, Searching(g, dec.BF16), inputs, s, own)
			if err == nil {
				t.Searches = true
			}
			return t, err
		}
		return plain(g.Transfer, g.Params.Free), nil
	}
	return nil, fmt.Errorf("%s is not a transfer model", trained.Kind)
}

// transfer rewrites the test sentences, or the dev sentences.
func transfer(ctx context.Context, job *stage.Job, s TransferSettings) error {
	split := tested(s.Dev)
	t, err := loadText(job, split)
	if err != nil {
		return err
	}
	r, err := loadTransferModel(job.Inputs, s, false)
	if err != nil {
		return err
	}
	defer r.Free()
	d, err := t.masked(job, split)
	if err != nil {
		return err
	}
	sources := sentences(t.Dataset, split)
	out, err := r.Words(ctx, t.vocab, d, sources)
	if err != nil {
		return err
	}
	masked := make([][]string, len(sources))
	for i, words := range sources {
		masked[i] = corpus.Masked(words, d.Masks[i], corpus.MaskToken)
	}
	for name, texts := range map[string][2][][]string{
		"output": byStyle(t, split, out.Words), "masked": byStyle(t, split, masked),
	} {
		for style, lines := range texts {
			if err := corpus.WriteLines(outputFile(job.Dir, name, style), lines); err != nil {
				return err
			}
		}
	}
	if out.How == nil {
		return nil
	}
	origins := make([]*Origins, len(out.Words))
	for i := range origins {
		origins[i] = out.Origins(i)
	}
	return WriteOrigins(job.Dir, origins)
}
