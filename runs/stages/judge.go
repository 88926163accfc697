package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// Classify returns the style that a trained evaluation classifier sees in each sentence.
func (Torch) Classify(ctx context.Context, q JudgeRequest) (styles []int, err error) {
	err = judge(q, func(ids [][]int64) error {
		m, err := loadClassifier(q.Dir)
		if err != nil {
			return err
		}
		defer m.Params.Free()
		styles, err = m.Predict(ctx, ids)
		return err
	})
	return styles, err
}

// Fluency returns what a trained language model makes of each sentence.
func (Torch) Fluency(ctx context.Context, q JudgeRequest) (f *metrics.Fluency, err error) {
	err = judge(q, func(ids [][]int64) error {
		m, err := loadLM(q.Dir)
		if err != nil {
			return err
		}
		defer m.Params.Free()
		f, err = m.fluency(ctx, ids)
		return err
	})
	return f, err
}

// judge hands the sentences of a request, as the network's vocabulary has them, to fn.
func judge(q JudgeRequest, fn func(ids [][]int64) error) error {
	return onThreads(q.Devices, q.Threads, func() error {
		v, err := corpus.LoadVocab(filepath.Join(q.VocabDir, "vocab.txt"))
		if err != nil {
			return err
		}
		return fn(encodeOutputs(v, q.Sentences))
	})
}

// JudgeName is what signatures call a judge of style, "bi-lstm", "fasttext" or "bayes", of a
// stage's identity.
func JudgeName(model, id string) string { return model + ":" + id[:min(8, len(id))] }

// JudgeRequest names a trained network that judges sentences, the evaluation classifier or the
// language model, and the sentences.
type JudgeRequest struct {
	ID        string // of its stage
	Dir       string // its stage folder
	VocabDir  string // the vocabulary it was trained with, a stage folder
	Sentences [][]string
	Threads   int    // 0 = all cores
	Devices   string // as in Job; "" = "auto"
}
