package stages

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// Session is the models of a request, on the torch thread.
type Session struct {
	Request TransferRequest
	Vocab   *corpus.Vocab
	Model   *Model
	// Masks returns which words of sentences carry their style.
	Masks func(ctx context.Context, d nn.Labelled) ([][]bool, error)
	Free  func()                   // gives back what Masks has
	On    func(func() error) error // runs something on the torch thread
}

// Explainable has copied decoding refill the masks one by one, as guided decoding does, where the
// origins of words or candidates are asked for, so that it is known how likely each word was: the
// words are the same.
func Explainable(q *TransferRequest) error {
	s := &q.Settings
	if q.Candidates > 0 && !s.Decoding.Copies() {
		return userr.New(userr.BadInput, "there are several candidates only where unmasked words are copied: give "+
			"--decoding guided or copied, or leave out --candidates")
	}
	if (q.Why || q.Candidates > 0) && s.Decoding == recipe.Copied {
		s.Decoding = recipe.GuidedDecoding
		s.Guided = recipe.Guided{Plausible: 1, Candidates: max(1, s.Beam), NoRepeats: s.NoRepeats}
	}
	return nil
}

// Rewrite implements runs.TransferSession.
func (s *Session) Rewrite(ctx context.Context, sentences [][]string) (done []Rewritten, err error) {
	err = s.On(func() error {
		d := smlm.Data{Labelled: nn.Labelled{
			IDs: s.Vocab.EncodeAll(sentences), Styles: slices.Repeat([]int{s.Request.From}, len(sentences)),
		}}
		if d.Masks, err = s.Masks(ctx, d.Labelled); err != nil {
			return err
		}
		out, err := s.Model.Words(ctx, s.Vocab, d, sentences)
		if err != nil {
			return err
		}
		done = make([]Rewritten, len(sentences))
		for i, words := range sentences {
			unknown := unknownOf(d.IDs[i], words)
			if s.Model.InPlace && out.How == nil { // guided refill has its own way with them
				copyUnknown(out.Words[i], words, unknown, d.Masks[i])
			}
			done[i] = Rewritten{
				Masked: corpus.Masked(words, d.Masks[i], corpus.MaskToken), Output: out.Words[i],
				Origins: out.Origins(i), Unknown: unknown,
			}
		}
		return s.addCandidates(ctx, d, sentences, out, done)
	})
	return done, err
}

// Close implements runs.TransferSession.
func (s *Session) Close() {
	_ = s.On(func() error {
		s.Free()
		s.Model.Free()
		return nil
	})
}

// unknownOf tells which words the vocabulary does not have.
func unknownOf(ids []int64, words []string) []bool {
	unknown := make([]bool, len(ids))
	for k, id := range ids {
		unknown[k] = id == corpus.UnkID && words[k] != "<unk>"
	}
	return unknown
}

// copyUnknown writes the source's unknown words, where they are not masked, over what a model that
// predicts every word made of them: it cannot know them.
func copyUnknown(out, source []string, unknown, mask []bool) {
	for k, w := range source {
		if unknown[k] && !mask[k] {
			out[k] = w
		}
	}
}
