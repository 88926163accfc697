package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// published measures somebody's outputs, or the human references themselves.
func published(ctx context.Context, job *plan.Job, s kind.PublishedSettings) error {
	var refs [2][]corpus.Sentence
	return scoreFiles(ctx, job, s.ScoreSettings, !s.References, func(
		t *text, style int, in *metrics.Input,
	) (err error) {
		if s.References {
			if style == 0 { // both styles at once: the writing is the data set's
				refs = likeSources(t)
			}
			in.Output = refs[style]
			return nil
		}
		in.Output, err = corpus.ReadLines(job.Sources[[]string{"0", "1"}[style]])
		return err
	})
}
