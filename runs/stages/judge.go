package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Classify returns the style that a trained judge sees in each sentence.
func (Torch) Classify(ctx context.Context, q JudgeRequest) (styles []int, err error) {
	err = judge(q, func(ids [][]int64) error {
		s := &instruments{}
		defer s.free()
		load := s.biLSTM
		if q.Judge != "" {
			load = s.judges()[q.Judge]
		}
		m, err := load("", q.Dir)
		if err != nil {
			return err
		}
		styles, err = m.styles(ctx, ids)
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

// JudgeName is what signatures call a judge of style, "bi-lstm" or a key of metrics.Input.Judges,
// of a stage's identity.
func JudgeName(key, id string) string {
	return key + ":" + id[:min(8, len(id))]
}

// JudgeOf returns the key, in metrics.Input.Judges, of the judge that a finished stage trained, ""
// where it trained none.
func JudgeOf(r *stage.Record) string {
	switch r.Name {
	case FastText:
		return "fasttext"
	case UnseenCNN:
		return "unseen"
	}
	return ""
}

// JudgeRequest names a trained network that judges sentences, a judge of style or the language
// model, and the sentences.
type JudgeRequest struct {
	Judge     string // of style: a key of metrics.Input.Judges; "": the evaluation classifier
	ID        string // of its stage
	Dir       string // its stage folder
	VocabDir  string // the vocabulary it was trained with, a stage folder
	Sentences [][]string
	Threads   int    // 0 = all cores
	Devices   string // as in Job; "" = "auto"
}
