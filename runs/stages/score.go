package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs"
)

// score measures a transfer stage's outputs.
func score(ctx context.Context, job *runs.Job) error {
	dir := job.Inputs["transfer"]
	return scoreFiles(ctx, job, true, func(_ *text, style int) ([][]string, error) {
		return corpus.ReadLines(outputFile(dir, "output", style))
	})
}

// published measures somebody's outputs, or the human references themselves.
func published(ctx context.Context, job *runs.Job) error {
	s, err := settings[runs.PublishedStage](job)
	if err != nil {
		return err
	}
	return scoreFiles(ctx, job, !s.References, func(t *text, style int) ([][]string, error) {
		if s.References {
			return t.Refs[style], nil
		}
		return corpus.ReadLines(job.Sources[[]string{"0", "1"}[style]])
	})
}

// scoreFiles scores the outputs that read returns for the sources of each style.
func scoreFiles(ctx context.Context, job *runs.Job, references bool, read func(*text, int) ([][]string, error)) error {
	t, err := loadText(job)
	if err != nil {
		return err
	}
	m, err := loadClassifier(job.Inputs["classifier"])
	if err != nil {
		return err
	}
	defer m.Params.Free()
	nat, err := loadNaturalness(job.Inputs["naturalness"])
	if err != nil {
		return err
	}
	var dirs [2]metrics.Input
	for style := range 2 {
		in := metrics.Input{
			From: t.Labels[style], To: t.Labels[1-style], Source: t.Text[corpus.Test][style], Target: 1 - style,
			Classifier: "bi-lstm:" + filepath.Base(job.Inputs["classifier"])[:8],
		}
		if in.Output, err = read(t, style); err != nil {
			return err
		}
		if references && t.HasRefs() {
			in.References = [][][]string{t.Refs[style]}
		}
		ids := make([][]int64, len(in.Output))
		for i, s := range in.Output {
			ids[i] = t.vocab.Encode(s)
		}
		if in.Predicted, err = m.Predict(ctx, ids); err != nil {
			return err
		}
		dirs[style] = in
	}
	report, err := metrics.Score(dirs, nat)
	if err != nil {
		return err
	}
	return writeJSON(job.Dir, "metrics.json", report)
}
