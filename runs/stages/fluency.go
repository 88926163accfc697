package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Fluency is the stage that collects the trigrams and word probabilities of the training text, in
// all styles together. They help to choose edits. The language model of the stage LM must not do
// this, because it measures the chosen outputs.
const Fluency stage.Name = "fluency"

var fluencyStage = stage.Definition{
	Name: Fluency, Version: 2, Inputs: "prepare, vocab",
	Reads: trainText,
	Files: "`model.safetensors`: the trigrams of all training text and log p of each word",
	Run:   of(trainFluency),
}

func trainFluency(_ context.Context, job *stage.Job, _ struct{}) error {
	t, err := loadText(job, corpus.Train)
	if err != nil {
		return err
	}
	return ngram.Train(t.encoded(corpus.Train).IDs, t.vocab.Len()).Save(filepath.Join(job.Dir, "model.safetensors"))
}

func loadFluency(dir string) (*ngram.Model, error) {
	return ngram.Load(filepath.Join(dir, "model.safetensors"))
}
