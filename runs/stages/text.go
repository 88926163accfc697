package stages

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// prepare copies the data set, checked and cut to max_train, into the workspace.
func prepare(_ context.Context, job *plan.Job) error {
	s, err := settings[plan.PrepareStage](job)
	if err != nil {
		return err
	}
	d := corpus.Demo()
	if s.Builtin == "" {
		if d, err = corpus.Load(job.Sources["dir"], s.Name, s.Labels); err != nil {
			return err
		}
	}
	d.Name, d.Labels = s.Name, [2]string(s.Labels)
	d.Sample(s.MaxTrain, s.Seed)
	if err := d.Save(job.Dir); err != nil {
		return err
	}
	counts := plan.Counts{Name: d.Name, Labels: d.Labels, References: d.HasRefs()}
	for _, split := range corpus.Splits {
		for style := range 2 {
			counts.Sentences[split][style] = len(d.Text[split][style])
		}
	}
	return writeJSON(job.Dir, "counts.json", counts)
}

// buildVocab counts the training words.
func buildVocab(_ context.Context, job *plan.Job) error {
	s, err := settings[plan.VocabStage](job)
	if err != nil {
		return err
	}
	d, err := dataset(job)
	if err != nil {
		return err
	}
	return corpus.BuildVocab(d.Text[corpus.Train][:], s.Size).Save(filepath.Join(job.Dir, "vocab.txt"))
}

// dataset reads the prepared text: all, or only the splits given.
func dataset(job *plan.Job, splits ...corpus.Split) (*corpus.Dataset, error) {
	var counts plan.Counts
	dir := job.Inputs["prepare"]
	if err := readJSON(dir, "counts.json", &counts); err != nil {
		return nil, err
	}
	return corpus.Load(dir, counts.Name, counts.Labels[:], splits...)
}

// text is a data set and its vocabulary.
type text struct {
	*corpus.Dataset
	vocab *corpus.Vocab
}

func loadText(job *plan.Job, splits ...corpus.Split) (*text, error) {
	d, err := dataset(job, splits...)
	if err != nil {
		return nil, err
	}
	v, err := corpus.LoadVocab(filepath.Join(job.Inputs["vocab"], "vocab.txt"))
	if err != nil {
		return nil, err
	}
	return &text{d, v}, nil
}

// labelled encodes a split: style 0 in the order of its file, then style 1.
func (t *text) labelled(s corpus.Split) nn.Labelled {
	ids, styles := t.Encode(s, t.vocab)
	return nn.Labelled{IDs: ids, Styles: styles}
}

// sentences returns the words of a split in the order of labelled's items.
func sentences(d *corpus.Dataset, s corpus.Split) [][]string {
	return slices.Concat(d.Text[s][0], d.Text[s][1])
}

func tokens(rows [][]int64) int {
	n := 0
	for _, r := range rows {
		n += len(r)
	}
	return n
}

// byStyle cuts something that lies as labelled's items do back into its two styles.
func byStyle[T any](t *text, s corpus.Split, all []T) [2][]T {
	n := len(t.Text[s][0])
	return [2][]T{all[:n:n], all[n:]}
}

func progress(job *plan.Job, what string) func(done, total int, note string) {
	return func(done, total int, note string) {
		if note == "" {
			note = what
		}
		job.Progress(done, total, note)
	}
}

func outputFile(dir, stem string, style int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.txt", stem, style))
}
