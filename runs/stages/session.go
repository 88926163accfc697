package stages

import (
	"context"
	"fmt"
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
	// Draw has the guide's weight and the fluency's by which candidates are ranked.
	Draw recipe.Guided
	// Why asks for the origins of words also where the decoding is not guided.
	Why bool
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
	// Origins are nil where the decoding is not guided, unless Why asks for them; where words are
	// predicted, always.
	Origins *Origins
	Unknown []bool // which words of the source the vocabulary does not have
	// Candidates are there where they are asked for, the one written first, then the best. They are
	// fewer than was asked for where so many fillings as Tried came to no more, or nothing was
	// masked.
	Candidates []Candidate
	Tried      int
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

// WhyFewer says why there are fewer candidates than were asked for, to go on from "as"; "" where
// there are as many.
func (r *Rewritten) WhyFewer(asked int) string {
	switch {
	case len(r.Candidates) >= asked:
		return ""
	case r.Tried == 0:
		return "none of its words is masked"
	}
	return fmt.Sprintf("all %d fillings of its masks that were tried give the same words", r.Tried)
}

// Candidate is one of several outputs of a sentence, and what speaks for it.
type Candidate struct {
	Output     []string
	Places     []int // as those of Rewritten
	Origins    *Origins
	Written    bool    // it is the one that transfer writes
	LogQ       float64 // of the words that were chosen, added up
	Guide      float64 // its p(style asked for | output), 0 without a guide
	Fluency    float64 // log p of the output by n-grams, 0 without them
	Similarity float64 // share of the source's words that stand in their places
	// Total is what those beside the written one are ranked by: LogQ, the guide's log p and
	// Fluency, the latter two times their weights in [guided].
	Total float64
}

// OpenTransfer loads trained models that mask and rewrite sentences of one style. What they make of
// a sentence does not depend on those it is given with, up to rounding, but where the words' scores
// share the gradient of one loss or are sampled, or masks are drawn at random.
func (Torch) OpenTransfer(_ context.Context, q TransferRequest) (TransferSession, error) {
	if err := explainable(&q); err != nil {
		return nil, err
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

// explainable has copied decoding refill the masks one by one, as guided decoding does, where the
// origins of words or candidates are asked for, so that it is known how likely each word was: the
// words are the same.
func explainable(q *TransferRequest) error {
	s := &q.Settings
	if q.Candidates > 0 && !s.Decoding.Copies() {
		return userr.New(userr.BadInput, "several candidates exist only if unmasked words are copied: give "+
			"--decoding guided or copied, or leave out --candidates")
	}
	if (q.Why || q.Candidates > 0) && s.Decoding == recipe.Copied {
		s.Decoding = recipe.GuidedDecoding
		s.Guided = recipe.Guided{Plausible: 1, Candidates: max(1, s.Beam), NoRepeats: s.NoRepeats}
	}
	return nil
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
		out, err := s.Model.Words(ctx, s.Vocab, d, sentences)
		if err != nil {
			return err
		}
		done = make([]Rewritten, len(sentences))
		for i, words := range sentences {
			unknown := unknownOf(d.IDs[i], words)
			if s.Model.InPlace && out.How == nil { // guided refill has its own way with them
				copyUnknown(out.Words[i], out.Places[i], words, unknown, d.Masks[i])
			}
			done[i] = Rewritten{
				From: d.Styles[i], Masked: corpus.Masked(words, d.Masks[i], corpus.MaskToken), Output: out.Words[i],
				Places: out.Places[i], Origins: out.Origins(i), Unknown: unknown,
			}
		}
		return s.addCandidates(ctx, d, sentences, out, done)
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

const (
	// drawnFor is how many fillings are drawn for each candidate that is wanted: many come out
	// alike.
	drawnFor = 4
	// atATime bounds the sentences whose candidates are in memory.
	atATime = 256
	// Where too few candidates came of the fillings, four times as many are tried: twice where they
	// are drawn, once where they are searched, as a wide search takes more memory.
	wider         = 4
	oftenDrawn    = 2
	oftenSearched = 1
)

// drawing says how candidates are drawn, or how wide a search for them is.
func (s *session) drawing() recipe.Guided {
	q := &s.Request
	how := q.Settings.Guided
	how.GuideWeight = q.Draw.GuideWeight
	if how.Plausible == 1 { // that of Explainable: one word a mask
		how.Plausible = q.Draw.Plausible
	}
	if s.Model.Searches {
		how.Candidates = max(how.Candidates, q.Candidates)
	} else {
		how.Candidates = drawnFor * q.Candidates
	}
	return how
}

// addCandidates fills in the candidates of sentences that are rewritten, where they are asked for.
// More fillings are tried of sentences that too few came of.
func (s *session) addCandidates(
	ctx context.Context, d corpus.Encoded, sentences [][]string, out rewrittenWords, done []Rewritten,
) error {
	if s.Request.Candidates == 0 {
		return nil
	}
	how, often := s.drawing(), oftenDrawn
	if s.Model.Searches {
		often = oftenSearched
	}
	left, together := make([]int, len(done)), atATime
	for i := range left {
		left[i] = i
	}
	refilled := func(i int) bool {
		return slices.ContainsFunc(out.How[i].Words, func(w guided.Word) bool { return w.Origin != guided.Kept })
	}
	for ; ; often-- {
		for part := range slices.Chunk(left, together) {
			written := lists.Map(part, func(i int) guided.Output { return out.How[i] })
			all, err := s.Model.Others(ctx, d.Pick(part), written, how, s.Request.Candidates)
			if err != nil {
				return err
			}
			for k, i := range part {
				done[i].Candidates = s.asCandidates(all[k], sentences[i])
				if refilled(i) {
					done[i].Tried = how.Candidates
				}
			}
		}
		left = lists.Where(left, func(i int) bool {
			return len(done[i].Candidates) < s.Request.Candidates && refilled(i)
		})
		if len(left) == 0 || often == 0 {
			return nil
		}
		how.Candidates, together = wider*how.Candidates, together/wider
	}
}

// asCandidates spells as many outputs as are wanted, which begin with the one that is written.
func (s *session) asCandidates(found []guided.Alternative, source []string) (out []Candidate) {
	for _, a := range found[:min(len(found), s.Request.Candidates)] {
		words, places := spelled(s.Vocab, a.Standing(), source)
		out = append(out, Candidate{
			Output: words, Places: places, Origins: origins(a.Output, words), Written: a.Written, LogQ: a.LogQ,
			Guide: a.Sure, Fluency: a.Fluency, Similarity: a.Similarity, Total: a.Total,
		})
	}
	return out
}
