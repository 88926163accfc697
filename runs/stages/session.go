package stages

import (
	"context"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
)

// OpenTransfer loads trained models that mask and rewrite sentences of one style. What they make of
// a sentence does not depend on those it is given with, up to rounding, but where the words' scores
// share the gradient of one loss or are sampled, or masks are drawn at random.
func (Torch) OpenTransfer(_ context.Context, q TransferRequest) (TransferSession, error) {
	if err := Explainable(&q); err != nil {
		return nil, err
	}
	s := &Session{
		Request: q, On: func(fn func() error) error { return onThreads(q.Devices, q.Threads, fn) },
	}
	masker := newMasker(q.Mask, uint64(q.From))
	err := s.On(func() (err error) {
		if s.Vocab, err = corpus.LoadVocab(filepath.Join(q.Inputs["vocab"], "vocab.txt")); err != nil {
			return err
		}
		e, err := loadExplainer(q.Inputs["divlstm"], q.Attribution)
		if err != nil {
			return err
		}
		s.Free = e.model.Params.Free
		s.Masks = func(ctx context.Context, d nn.Labelled) ([][]bool, error) {
			scores, err := e.scores(ctx, d, nil)
			return masker.masks(scores.Words), err
		}
		if s.Model, err = loadTransferModel(q.Inputs, q.Settings, true); err != nil {
			s.Free()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
