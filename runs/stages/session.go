package stages

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TransferRequest names trained models that rewrite sentences. The folders in the request are stage
// folders of a workspace.
type TransferRequest struct {
	// Direction leads from the style of the sentences to the target style. If From is
	// corpus.Guessed, the source style of each sentence is guessed: among the styles other than the
	// target style, it is the one that the Diversity-LSTM finds likeliest.
	corpus.Direction

	Inputs      map[string]string // folders by input name of Transfer; also "divlstm", the model that scores words
	Attribution AttributionSettings
	Mask        MaskSettings
	Settings    TransferSettings
	Threads     int    // 0 = all cores
	Devices     string // as in Job

	// Candidates is the number of candidates per sentence, including the written output. If it is
	// 0, only the output is returned.
	Candidates int
}

// TransferSession has the loaded models of a TransferRequest.
type TransferSession interface {
	// Rewrite rewrites tokenised sentences, none of which may be empty, and keeps their order.
	// Rewrite may be called again after an error. Calls must not overlap.
	Rewrite(ctx context.Context, sentences [][]string) ([]Rewritten, error)
	// Close frees the models' memory.
	Close()
}

// Rewritten is a sentence rewritten in the target style.
type Rewritten struct {
	From           int      // source style of the sentence
	Masked, Output []string // Masked has masks in place of style words
	Places         []int    // for each word of Output, its place in the source; nil: not known
	Origins        *Origins // nil if the decoding is not guided
	Unknown        []bool   // for each source word, whether the vocabulary lacks it
	// Candidates are set if they were requested. The first candidate is the written output. If the
	// search found fewer outputs than requested, there are fewer candidates.
	Candidates []Candidate
}

// If at least this share of the words of a sentence is unknown, the user is warned that the models
// know few of the words.
const maxUnknown = 0.75

// Familiar counts the source words that have letters (all) and how many of them are in the
// vocabulary (known). The result "few" is true if at least the share maxUnknown of these words is
// unknown.
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
	return known, all, all > 0 && float64(all-known) >= maxUnknown*float64(all)
}

// Candidate is one of several outputs of a sentence with its scores (see guided.Output).
type Candidate struct {
	Output  []string
	Places  []int // as in Rewritten
	Origins *Origins
	Odd     int     // number of odd trigrams (see guided.Output)
	Cost    float64 // cost of the changed words
	Score   float64 // the guided.Output's Worth; candidates are sorted by Score
}

// OpenTransfer loads trained models that mask and rewrite sentences of one style. Up to rounding,
// the output for a sentence does not depend on the other sentences. Masks that are drawn at random
// are an exception.
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
		in := q.Inputs
		s.Vocab, err = loadVocab(in["vocab"], in["model"], in["divlstm"], in["guide"])
		if err != nil {
			return err
		}
		e, err := loadExplainer(q.Inputs["divlstm"], q.Attribution)
		if err != nil {
			return err
		}
		s.Free, s.Probabilities = e.model.Params.Free, e.model.Probabilities
		s.Masks = func(ctx context.Context, d corpus.Encoded) ([][]bool, error) {
			scores, err := e.scores(ctx, d, nil)
			return masker.masks(scores), err
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

// loadVocab loads the vocabulary of models. It returns an error if a model was made for another
// number of words, before it parses the words, which may be millions. A model whose folder is "" is
// not checked.
func loadVocab(dir string, models ...string) (*corpus.Vocab, error) {
	path := filepath.Join(dir, "vocab.txt")
	_, words, err := files.SHA256AndLines(path)
	if err != nil {
		return corpus.LoadVocab(path) // says why it cannot be read
	}
	for _, model := range models {
		if model == "" {
			continue
		}
		var shape struct {
			Vocab int `json:"vocab"`
		}
		if err := readJSON(model, "model.json", &shape); err != nil {
			return nil, err
		}
		if shape.Vocab != words {
			return nil, userr.New(userr.BadInput, "the model in %q has vectors for %d words, but the vocabulary "+
				"has %d words: they do not belong together", model, shape.Vocab, words)
		}
	}
	return corpus.LoadVocab(path)
}

// session has the loaded models of a request. Its methods run on the torch thread.
type session struct {
	Request TransferRequest
	Vocab   *corpus.Vocab
	Model   *transferModel
	// Masks returns which words of sentences carry their style.
	Masks func(ctx context.Context, d corpus.Encoded) ([][]bool, error)
	// Probabilities returns the Diversity-LSTM's probability of each style for every sentence.
	Probabilities func(ctx context.Context, ids [][]int64) ([][]float64, error)
	Free          func()                   // frees the Diversity-LSTM
	On            func(func() error) error // runs a function on the torch thread
}

// Rewrite implements TransferSession.
func (s *session) Rewrite(ctx context.Context, sentences [][]string) (done []Rewritten, err error) {
	err = s.On(func() error {
		d := corpus.Encoded{
			IDs: s.Vocab.EncodeAll(sentences), Targets: slices.Repeat([]int{s.Request.To}, len(sentences)),
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

// styles returns the source style of every sentence: the style in the request or, if this is
// corpus.Guessed, the likeliest style except the target style. If several are equally likely, it
// takes the first.
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

// unknownOf reports which words are not in the vocabulary.
func unknownOf(ids []int64, words []string) []bool {
	unknown := make([]bool, len(ids))
	for k, id := range ids {
		unknown[k] = id == corpus.UnkID && words[k] != "<unk>"
	}
	return unknown
}

// copyUnknown puts unknown words of the source back into the output where they are not masked.
// Without it, these words would be lost: a model that predicts every word cannot predict an unknown
// one.
func copyUnknown(out []string, places []int, source []string, unknown, mask []bool) {
	for i, k := range places {
		if unknown[k] && !mask[k] {
			out[i] = source[k]
		}
	}
}

// candidates converts the guided outputs of a sentence.
func (s *session) candidates(found []guided.Output, source []string) []Candidate {
	return lists.Map(found, func(o guided.Output) Candidate {
		words, places := spelled(s.Vocab, o.Remaining(), source)
		return Candidate{
			Output: words, Places: places, Origins: origins(o, words),
			Odd: o.Odd, Cost: o.Cost, Score: o.Worth,
		}
	})
}
