package stages

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// rewriter is a trained transfer model, whichever of the three.
type rewriter struct {
	params  *nn.Params
	rewrite func(ctx context.Context, d smlm.Data) ([][]int64, error)
	copies  bool // it writes one word a position, so that unmasked words can be copied
}

func loadRewriter(kind runs.Kind, dir string, s runs.TransferStage) (*rewriter, error) {
	switch kind {
	case runs.KindSMLM, runs.KindSMLMFT:
		m, err := loadSMLM(dir)
		if err != nil {
			return nil, err
		}
		return &rewriter{params: m.Params, rewrite: m.Transfer, copies: s.CopyUnmasked}, nil
	case runs.KindSMLMG:
		g, err := loadGenerator(dir)
		if err != nil {
			return nil, err
		}
		return &rewriter{params: g.Params, rewrite: func(ctx context.Context, d smlm.Data) ([][]int64, error) {
			return g.Transfer(ctx, d, s.MaxExtra)
		}}, nil
	}
	return nil, fmt.Errorf("%s is not a transfer model", kind)
}

// words returns every sentence rewritten in the other style.
func (r *rewriter) words(ctx context.Context, v *corpus.Vocab, d smlm.Data, sources [][]string) ([][]string, error) {
	ids, err := r.rewrite(ctx, d)
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(ids))
	for i, row := range ids {
		out[i] = v.Decode(row)
		if r.copies {
			for k, on := range d.Masks[i] {
				if !on {
					out[i][k] = sources[i][k]
				}
			}
		}
	}
	return out, nil
}

// transfer rewrites the test set.
func transfer(ctx context.Context, job *runs.Job) error {
	s, err := settings[runs.TransferStage](job)
	if err != nil {
		return err
	}
	t, err := loadText(job)
	if err != nil {
		return err
	}
	var about struct {
		Kind runs.Kind `json:"kind"`
	}
	if err := readJSON(job.Inputs["model"], "stage.json", &about); err != nil {
		return err
	}
	r, err := loadRewriter(about.Kind, job.Inputs["model"], s)
	if err != nil {
		return err
	}
	defer r.params.Free()
	d, err := t.masked(job, corpus.Test)
	if err != nil {
		return err
	}
	sources := sentences(t.Dataset, corpus.Test)
	outputs, err := r.words(ctx, t.vocab, d, sources)
	if err != nil {
		return err
	}
	masked := make([][]string, len(sources))
	for i, words := range sources {
		masked[i] = maskedWords(words, d.Masks[i])
	}
	out, msk := byStyle(t, corpus.Test, outputs), byStyle(t, corpus.Test, masked)
	for style := range 2 {
		if err := corpus.WriteLines(outputFile(job.Dir, "output", style), out[style]); err != nil {
			return err
		}
		if err := corpus.WriteLines(outputFile(job.Dir, "masked", style), msk[style]); err != nil {
			return err
		}
	}
	return nil
}
