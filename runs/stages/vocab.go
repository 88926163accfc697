package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Vocab is the stage that makes the vocabulary: the most frequent training words.
const Vocab stage.Name = "vocab"

var vocabStage = stage.Definition{
	Name: Vocab, Version: 1, Inputs: "prepare",
	Settings: func(p stage.Point) any { return p.Settings.Vocab },
	Reads:    func(p stage.Point) stage.Inputs { return stage.Inputs{"prepare": at(Prepare, p)} },
	Files: "`vocab.txt`: one word per line. Line n (from 0) is the word with id n. The first nine are special tokens; " +
		"each style beyond two adds two",
	Run: of(buildVocab),
}

// buildVocab counts the training words and saves the vocabulary.
func buildVocab(_ context.Context, job *stage.Job, s experiment.VocabSettings) error {
	d, err := dataset(job, corpus.Train)
	if err != nil {
		return err
	}
	return corpus.BuildVocab(d.Text[corpus.Train], s.Size).Save(filepath.Join(job.Dir, "vocab.txt"))
}
