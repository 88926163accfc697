package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// prepare copies the data set, checked and cut to max_train, into the workspace.
func prepare(_ context.Context, job *plan.Job, s kind.PrepareSettings) error {
	d := corpus.Demo()
	if s.Builtin == "" {
		var err error
		if d, err = corpus.Load(job.Sources["dir"], s.Name, s.Labels); err != nil {
			return err
		}
	}
	d.Name, d.Labels = s.Name, [2]string(s.Labels)
	d.Sample(s.MaxTrain, s.Seed)
	if err := d.Save(job.Dir); err != nil {
		return err
	}
	counts := kind.Counts{Name: d.Name, Labels: d.Labels, References: d.HasRefs()}
	for _, split := range corpus.Splits {
		for style := range 2 {
			counts.Sentences[split][style] = len(d.Text[split][style])
		}
	}
	return writeJSON(job.Dir, "counts.json", counts)
}
