package stages

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// transferModel is a trained transfer model, whichever of the three.
type transferModel struct {
	params   *nn.Params
	rewrite  func(ctx context.Context, d smlm.Data, dec smlm.Decoding) ([][]int64, error)
	decoding smlm.Decoding
}

func loadTransferModel(dir string, s kind.TransferSettings) (*transferModel, error) {
	trained, err := workspace.ReadRecord(filepath.Join(dir, "stage.json"))
	if err != nil {
		return nil, err
	}
	r := &transferModel{decoding: smlm.Decoding{
		Unmasked: s.Unmasked, WriteSpecial: s.WriteSpecial,
		MaxExtra: s.MaxExtra, Beam: s.Beam, LengthPenalty: s.LengthPenalty,
		// as it was trained, where that is not slower
		BF16: trained.Precision == string(recipe.BF16) && torch.HasBF16(),
	}}
	switch trained.Kind {
	case kind.SMLM, kind.SMLMFT:
		m, err := loadSMLM(dir)
		if err != nil {
			return nil, err
		}
		r.params, r.rewrite = m.Params, m.Transfer
	case kind.SMLMG:
		g, err := loadGenerator(dir)
		if err != nil {
			return nil, err
		}
		r.params, r.rewrite = g.Params, g.Transfer
	default:
		return nil, fmt.Errorf("%s is not a transfer model", trained.Kind)
	}
	return r, nil
}

// words returns every sentence rewritten in the other style.
func (r *transferModel) words(
	ctx context.Context, v *corpus.Vocab, d smlm.Data, sources [][]string,
) ([][]string, error) {
	ids, err := r.rewrite(ctx, d, r.decoding)
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(ids))
	for i, row := range ids {
		out[i] = v.Decode(row)
		if r.decoding.Unmasked == recipe.Copied { // the file's own words, which the vocabulary may not have
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
func transfer(ctx context.Context, job *plan.Job, s kind.TransferSettings) error {
	t, err := loadText(job, corpus.Test)
	if err != nil {
		return err
	}
	r, err := loadTransferModel(job.Inputs["model"], s)
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
	masked := maskedTexts(sources, d.Masks)
	for name, texts := range map[string][2][][]string{
		"output": byStyle(t, corpus.Test, outputs), "masked": byStyle(t, corpus.Test, masked),
	} {
		for style, lines := range texts {
			if err := corpus.WriteLines(outputFile(job.Dir, name, style), lines); err != nil {
				return err
			}
		}
	}
	return nil
}

// maskedTexts are sentences with masks in their places.
func maskedTexts(sentences [][]string, masks [][]bool) [][]string {
	masked := make([][]string, len(sentences))
	for i, words := range sentences {
		masked[i] = maskedWords(words, masks[i])
	}
	return masked
}
