package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Classify implements Backend.
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

// Fluency implements Backend.
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

// judge encodes the sentences of a request with the network's vocabulary and calls fn with the ids.
func judge(q JudgeRequest, fn func(ids [][]int64) error) error {
	return onThreads(q.Devices, q.Threads, func() error {
		v, err := corpus.LoadVocab(filepath.Join(q.VocabDir, "vocab.txt"))
		if err != nil {
			return err
		}
		return fn(encodeOutputs(v, q.Sentences))
	})
}

// JudgeName returns the name of a judge of style in signatures. key is "bi-lstm" or a key of
// metrics.Input.Judges. id is the identity of the judge's stage.
func JudgeName(key, id string) string {
	return key + ":" + id[:min(8, len(id))]
}

// JudgeOf returns the key, in metrics.Input.Judges, of the judge that a finished stage trained, or
// "" if it trained none.
func JudgeOf(r *stage.Record) string {
	switch r.Name {
	case FastText:
		return "fasttext"
	case UnseenCNN:
		return "unseen"
	}
	return ""
}

// JudgeRequest names sentences and a trained network that judges them: a judge of style or the
// language model.
type JudgeRequest struct {
	Judge     string // key of a judge of style in metrics.Input.Judges; "": the evaluation classifier
	ID        string // identity of the judge's stage
	Dir       string // folder of that stage
	VocabDir  string // folder of the vocabulary's stage
	Sentences [][]string
	Threads   int    // 0 = all cores
	Devices   string // as in Job; "" = "auto"
}
