package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// prepare copies the training and dev sentences, checked and cut to max_train, into the workspace.
func prepare(_ context.Context, job *stage.Job, s PrepareSettings) error {
	splits := []corpus.Split{corpus.Train, corpus.Dev}
	d, err := given(job, s.Name, s.Builtin, s.Labels, splits)
	if err != nil {
		return err
	}
	if s.TrainExtra {
		extra, err := corpus.ReadExtra(job.Sources["dir"])
		if err != nil {
			return err
		}
		d.AddExtra(extra)
	}
	d.Sample(s.MaxTrain, s.Seed)
	return copyData(job, d, splits)
}

// testSet copies the test sentences, checked, and their references.
func testSet(_ context.Context, job *stage.Job, s TestSetSettings) error {
	splits := []corpus.Split{corpus.Test}
	d, err := given(job, s.Name, s.Builtin, s.Labels, splits)
	if err != nil {
		return err
	}
	return copyData(job, d, splits)
}

// given reads splits of a data set from where the experiment has it.
func given(job *stage.Job, name, builtin string, labels []string, splits []corpus.Split) (*corpus.Dataset, error) {
	if builtin == "" {
		return corpus.Load(job.Sources["dir"], name, labels, splits...)
	}
	d := corpus.Demo()
	d.Name, d.Labels = name, [2]string(labels)
	return d, nil
}

// copyData writes splits of a data set, and what is in them.
func copyData(job *stage.Job, d *corpus.Dataset, splits []corpus.Split) error {
	if err := d.Save(job.Dir, splits...); err != nil {
		return err
	}
	counts := Counts{Name: d.Name, Labels: d.Labels, Sentences: map[string][2]int{}}
	for _, split := range splits {
		counts.Sentences[split.String()] = [2]int{len(d.Text[split][0]), len(d.Text[split][1])}
		counts.References = split == corpus.Test && d.HasRefs()
	}
	return writeJSON(job.Dir, "counts.json", counts)
}
