package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// countBayes counts the words of the training text by style.
func countBayes(_ context.Context, job *plan.Job, _ kind.BayesSettings) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	b := classifier.NewBayes(t.labelled(corpus.Train))
	if err := b.Save(filepath.Join(job.Dir, "model.safetensors")); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", kind.BayesResult{
		Features: b.Features(), DevAccuracy: b.Accuracy(t.labelled(corpus.Dev)),
	})
}

func loadBayes(dir string) (*classifier.Bayes, error) {
	return classifier.LoadBayes(filepath.Join(dir, "model.safetensors"))
}
