package stages

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// rewriter is a trained transfer model, whichever of the three.
type rewriter struct {
	params   *nn.Params
	rewrite  func(ctx context.Context, d smlm.Data, dec smlm.Decoding) ([][]int64, error)
	decoding smlm.Decoding
}

func loadRewriter(kind plan.Kind, dir string, s plan.TransferStage) (*rewriter, error) {
	var trained workspace.Record
	if err := readJSON(dir, "stage.json", &trained); err != nil {
		return nil, err
	}
	r := &rewriter{decoding: smlm.Decoding{
		Copy: s.Copy, Special: s.Special, MaxExtra: s.MaxExtra, Beam: s.Beam, LengthPenalty: s.LengthPenalty,
		BF16: trained.Precision == "bf16" && torch.HasBF16(), // as it was trained, where that is not slower
	}}
	switch kind {
	case plan.KindSMLM, plan.KindSMLMFT:
		m, err := loadSMLM(dir)
		if err != nil {
			return nil, err
		}
		r.params, r.rewrite = m.Params, m.Transfer
	case plan.KindSMLMG:
		g, err := loadGenerator(dir)
		if err != nil {
			return nil, err
		}
		r.params, r.rewrite = g.Params, g.Transfer
	default:
		return nil, fmt.Errorf("%s is not a transfer model", kind)
	}
	return r, nil
}

// words returns every sentence rewritten in the other style.
func (r *rewriter) words(ctx context.Context, v *corpus.Vocab, d smlm.Data, sources [][]string) ([][]string, error) {
	ids, err := r.rewrite(ctx, d, r.decoding)
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(ids))
	for i, row := range ids {
		out[i] = v.Decode(row)
		if r.decoding.Copy { // the file's own words, which the vocabulary may not have
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
func transfer(ctx context.Context, job *plan.Job) error {
	s, err := settings[plan.TransferStage](job)
	if err != nil {
		return err
	}
	t, err := loadText(job, corpus.Test)
	if err != nil {
		return err
	}
	var about struct {
		Kind plan.Kind `json:"kind"`
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
