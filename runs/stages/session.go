package stages

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// session is the models of a transfer, on the torch thread.
type session struct {
	runs.TransferRequest
	vocab     *corpus.Vocab
	explainer *explainer
	masker    *masker
	model     *transferModel
}

// oneDNN remembers what it compiled for each of the last batches' shapes, as many as this says:
// 1,024 by default, at some MB each. Lines as they come are hardly ever batches of the same shape.
const (
	shapesKept = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
	fewShapes  = "64"
)

// OpenTransfer loads trained models that mask and rewrite sentences of one style. What they make of
// a sentence does not depend on those it is given with, up to rounding, but where the words' scores
// share the gradient of one loss or are sampled.
func (Torch) OpenTransfer(_ context.Context, q runs.TransferRequest) (runs.TransferSession, error) {
	if os.Getenv(shapesKept) == "" {
		if err := os.Setenv(shapesKept, fewShapes); err != nil { // it is read when the first network runs
			return nil, err
		}
	}
	if err := explainable(&q); err != nil {
		return nil, err
	}
	s := &session{TransferRequest: q, masker: newMasker(q.Mask, uint64(q.From))}
	err := onThreads(q.Devices, q.Threads, func() (err error) {
		if s.vocab, err = corpus.LoadVocab(filepath.Join(q.Inputs["vocab"], "vocab.txt")); err != nil {
			return err
		}
		if s.explainer, err = loadExplainer(q.Inputs["divlstm"], q.Attribution); err != nil {
			return err
		}
		if s.model, err = loadTransferModel(q.Inputs, q.Settings); err != nil {
			s.explainer.model.Params.Free()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Rewrite implements runs.TransferSession.
func (s *session) Rewrite(ctx context.Context, sentences [][]string) (done []runs.Rewritten, err error) {
	err = onThreads(s.Devices, s.Threads, func() error {
		d := nn.Labelled{IDs: s.vocab.EncodeAll(sentences), Styles: slices.Repeat([]int{s.From}, len(sentences))}
		scores, err := s.explainer.scores(ctx, d, nil)
		if err != nil {
			return err
		}
		masks := s.masker.masks(scores.Words)
		data := smlm.Data{Labelled: d, Masks: masks}
		out, err := s.model.words(ctx, s.vocab, data, sentences)
		if err != nil {
			return err
		}
		done = make([]runs.Rewritten, len(sentences))
		for i, masked := range maskedTexts(sentences, masks) {
			unknown := unknownOf(d.IDs[i], sentences[i])
			if out.how == nil {
				copyUnknown(out.words[i], sentences[i], unknown, masks[i])
			}
			done[i] = runs.Rewritten{Masked: masked, Output: out.words[i], Origins: out.origins(i), Unknown: unknown}
		}
		return s.addCandidates(ctx, data, sentences, out, done)
	})
	return done, err
}

// Close implements runs.TransferSession.
func (s *session) Close() {
	_ = onThreads(s.Devices, s.Threads, func() error {
		s.explainer.model.Params.Free()
		s.model.free()
		return nil
	})
}
