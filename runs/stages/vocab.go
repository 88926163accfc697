package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// buildVocab counts the training words.
func buildVocab(_ context.Context, job *plan.Job, s kind.VocabSettings) error {
	d, err := dataset(job)
	if err != nil {
		return err
	}
	return corpus.BuildVocab(d.Text[corpus.Train][:], s.Size).Save(filepath.Join(job.Dir, "vocab.txt"))
}
