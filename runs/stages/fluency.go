package stages

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/lm/ngram"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Fluency is the stage that makes the n-gram language model, which helps to choose edits. Another
// model measures the fluency of test outputs (see LM).
const Fluency stage.Name = "fluency"

var fluencyStage = stage.Definition{
	Name: Fluency, Version: 1, Inputs: "prepare, vocab",
	Reads: trainText,
	Files: "`model.safetensors`: counts of an interpolated modified Kneser-Ney model of all training text; " +
		"`result.json`: `ngrams` (how many of each length, from 1), `train_tokens`, `dev_perplexity`",
	Run: of(trainFluency),
}

// fluencyOrder is the number of words of the longest n-gram. Guided outputs are equally good with
// 2, 4 and 5 words (docs/results/writer.csv).
const fluencyOrder = 4

// fluencyResult is the content of result.json.
type fluencyResult struct {
	NGrams        []int   `json:"ngrams"`
	TrainTokens   int     `json:"train_tokens"`
	DevPerplexity float64 `json:"dev_perplexity"`
}

// ngramFluency scores dev outputs with n-grams. These scores help to select settings.
func ngramFluency(m *ngram.Model, ids [][]int64) *metrics.Fluency {
	f := &metrics.Fluency{Signature: fmt.Sprintf("kneser-ney|n:%d|trained:human-train|end:counted|agg:corpus|version:1",
		m.Order())}
	for _, row := range ids {
		unknown := 0
		for _, id := range row {
			if id == corpus.UnkID {
				unknown++
			}
		}
		f.LogProb, f.Tokens = append(f.LogProb, m.LogProb(row)), append(f.Tokens, len(row)+1)
		f.Unknown = append(f.Unknown, unknown)
	}
	return f
}

// trainFluency counts the n-grams of the training text, in all styles together. The n-gram model
// judges how fluent guided outputs are while they are chosen. The language model of the stage LM
// must not do this, because it measures the chosen outputs.
func trainFluency(_ context.Context, job *stage.Job, _ struct{}) error {
	t, err := loadText(job, corpus.Train, corpus.Dev)
	if err != nil {
		return err
	}
	train := t.encoded(corpus.Train).IDs
	m := ngram.Train(train, fluencyOrder, t.vocab.Len())
	if err := m.Save(filepath.Join(job.Dir, "model.safetensors")); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", fluencyResult{
		NGrams: m.NGrams(), TrainTokens: tokens(train), DevPerplexity: m.Perplexity(t.encoded(corpus.Dev).IDs),
	})
}

func loadFluency(dir string) (*ngram.Model, error) {
	return ngram.Load(filepath.Join(dir, "model.safetensors"))
}
