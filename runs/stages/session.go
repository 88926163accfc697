package stages

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TransferRequest names trained models that rewrite sentences. Folders are stage folders of a
// workspace.
type TransferRequest struct {
	// Direction is from the sentences' style to the one asked for. Where the first is
	// corpus.Guessed, each sentence has the style, other than the one asked for, that the
	// Diversity-LSTM finds likeliest.
	corpus.Direction

	Inputs      map[string]string // folders of what the stage transfer reads, by name; "divlstm" scores the words
	Attribution AttributionSettings
	Mask        MaskSettings
	Settings    TransferSettings
	Threads     int    // 0 = all cores
	Devices     string // as in Job

	// Candidates is how many outputs of each sentence are wanted, the one written among them; 0 =
	// that one alone.
	Candidates int
}

// TransferSession is the models of a TransferRequest, loaded.
type TransferSession interface {
	// Rewrite returns tokenised sentences, none empty, rewritten, in the order given. After an
	// error it may be called again. Calls must not overlap.
	Rewrite(ctx context.Context, sentences [][]string) ([]Rewritten, error)
	// Close gives the models' memory back.
	Close()
}

// Rewritten is a sentence in the style asked for.
type Rewritten struct {
	From           int      // the style that it had
	Masked, Output []string // Masked has masks in the places of style words
	Places         []int    // of the words of the source that those of Output stand for; nil: not known
	Origins        *Origins // nil where the decoding is not guided
	Unknown        []bool   // which words of the source the vocabulary does not have
	// Candidates are there where they are asked for, the one written first. They are fewer where
	// the search found fewer.
	Candidates []Candidate
}

// mostUnknown is the share of a sentence's words from which on nearly all are unknown.
const mostUnknown = 0.75

// Familiar counts the words of the source, signs left out, and those that the vocabulary has. few
// tells whether that is nearly none.
func (r *Rewritten) Familiar(source []string) (known, all int, few bool) {
	if len(r.Unknown) != len(source) {
		return 0, 0, false
	}
	for k, w := range source {
		if strings.IndexFunc(w, unicode.IsLetter) < 0 {
			continue
		}
		if all++; !r.Unknown[k] {
			known++
		}
	}
	return known, all, all > 0 && float64(all-known) >= mostUnknown*float64(all)
}

// Candidate is one of several outputs of a sentence, and what speaks for it (guided.Output).
type Candidate struct {
	Output  []string
	Places  []int // as those of Rewritten
	Origins *Origins
	Fluency float64 // log p by the n-grams, a word
	Cost    float64 // of the changed words
	Rating  float64 // by the rater, 0 without one
	Score   float64 // what orders candidates: the worth, and the rating
}

// OpenTransfer loads trained models that mask and rewrite sentences of one style. What they make of
// a sentence does not depend on those it is given with, up to rounding, but where the words' scores
// share the gradient of one loss or are sampled, or masks are drawn at random.
func (Torch) OpenTransfer(_ context.Context, q TransferRequest) (TransferSession, error) {
	if q.Candidates > 0 && q.Settings.Decoding != recipe.GuidedDecoding {
		return nil, userr.New(userr.BadInput, "only guided outputs have several candidates: give --decoding guided, or "+
			"leave out --candidates")
	}
	s := &session{
		Request: q, On: func(fn func() error) error { return onThreads(q.Devices, q.Threads, fn) },
	}
	masker := newMasker(q.Mask, uint64(max(0, q.From)))
	err := s.On(func() (err error) {
		if s.Vocab, err = corpus.LoadVocab(filepath.Join(q.Inputs["vocab"], "vocab.txt")); err != nil {
			return err
		}
		if err = ofVocab(s.Vocab, q.Inputs["model"], q.Inputs["divlstm"], q.Inputs["guide"], q.Inputs["rater"]); err != nil {
			return err
		}
		e, err := loadExplainer(q.Inputs["divlstm"], q.Attribution)
		if err != nil {
			return err
		}
		s.Free, s.Probabilities = e.model.Params.Free, e.model.Probabilities
		s.Masks = func(ctx context.Context, d corpus.Encoded) ([][]bool, error) {
			scores, err := e.scores(ctx, d, nil)
			return masker.masks(scores.Words), err
		}
		if s.Model, err = loadTransferModel(q.Inputs, s.Vocab, q.Settings, true); err != nil {
			s.Free()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ofVocab refuses models in some folders, "" for none, that are not of a vocabulary: they would
// look for the vectors of words where none are.
func ofVocab(v *corpus.Vocab, dirs ...string) error {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		var shape struct {
			Vocab int `json:"vocab"`
		}
		if err := readJSON(dir, "model.json", &shape); err != nil {
			return err
		}
		if shape.Vocab != v.Len() {
			return userr.New(userr.BadInput, "the model in %q has vectors for %d words, but the vocabulary "+
				"has %d words: they do not belong together", dir, shape.Vocab, v.Len())
		}
	}
	return nil
}

// session is the models of a request, on the torch thread.
type session struct {
	Request TransferRequest
	Vocab   *corpus.Vocab
	Model   *transferModel
	// Masks returns which words of sentences carry their style.
	Masks func(ctx context.Context, d corpus.Encoded) ([][]bool, error)
	// Probabilities returns what the Diversity-LSTM says of each style of every sentence of ids.
	Probabilities func(ctx context.Context, ids [][]int64) ([][]float64, error)
	Free          func()                   // gives back what Masks has
	On            func(func() error) error // runs something on the torch thread
}

// Rewrite implements TransferSession.
func (s *session) Rewrite(ctx context.Context, sentences [][]string) (done []Rewritten, err error) {
	err = s.On(func() error {
		d := corpus.Encoded{
			IDs: s.Vocab.EncodeAll(sentences), Asked: slices.Repeat([]int{s.Request.To}, len(sentences)),
			Kept: corpus.NeverMasked(sentences),
		}
		if d.Styles, err = s.styles(ctx, d.IDs); err != nil {
			return err
		}
		if d.Masks, err = s.Masks(ctx, d); err != nil {
			return err
		}
		out, err := s.Model.Words(ctx, s.Vocab, d, sentences, max(1, s.Request.Candidates))
		if err != nil {
			return err
		}
		done = make([]Rewritten, len(sentences))
		for i, words := range sentences {
			unknown := unknownOf(d.IDs[i], words)
			if s.Model.InPlace {
				copyUnknown(out.Words[i], out.Places[i], words, unknown, d.Masks[i])
			}
			done[i] = Rewritten{
				From: d.Styles[i], Masked: corpus.Masked(words, d.Masks[i], corpus.MaskToken), Output: out.Words[i],
				Places: out.Places[i], Origins: out.Origins(i), Unknown: unknown,
			}
			if s.Request.Candidates > 0 {
				done[i].Candidates = s.candidates(out.How[i], words)
			}
		}
		return nil
	})
	return done, err
}

// styles returns the style of every sentence of ids: the request's or, where that is to be guessed,
// the likeliest but for the one asked for, the first of equally likely ones.
func (s *session) styles(ctx context.Context, ids [][]int64) ([]int, error) {
	if s.Request.From != corpus.Guessed {
		return slices.Repeat([]int{s.Request.From}, len(ids)), nil
	}
	p, err := s.Probabilities(ctx, ids)
	if err != nil {
		return nil, err
	}
	return lists.Map(p, func(of []float64) int {
		of[s.Request.To] = -1
		return slices.Index(of, slices.Max(of))
	}), nil
}

// Close implements TransferSession.
func (s *session) Close() {
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
func copyUnknown(out []string, places []int, source []string, unknown, mask []bool) {
	for i, k := range places {
		if unknown[k] && !mask[k] {
			out[i] = source[k]
		}
	}
}

// candidates spells outputs of a sentence.
func (s *session) candidates(found []guided.Output, source []string) []Candidate {
	return lists.Map(found, func(o guided.Output) Candidate {
		words, places := spelled(s.Vocab, o.Standing(), source)
		return Candidate{
			Output: words, Places: places, Origins: origins(o, words),
			Fluency: o.Fluency, Cost: o.Cost, Rating: o.Rating, Score: o.Worth + o.Rating,
		}
	})
}
