package stages

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// maxExtra leaves room for a longer phrase, and ends a sentence of SMLM-G that does not end itself.
const maxExtra = 10

// loadTransferModel loads what the stage transfer reads, from the folders of its inputs; own tells
// that it is to write somebody's own sentences.
func loadTransferModel(inputs map[string]string, s TransferSettings, own bool) (*transferModel, error) {
	dir := inputs["model"]
	trained, err := stage.ReadRecord(filepath.Join(dir, "stage.json"))
	if err != nil {
		return nil, err
	}
	dec := smlm.Decoding{
		Decoding: s.Decoding,
		MaxExtra: maxExtra, Beam: s.Beam, NoRepeats: s.NoRepeats,
	}
	type rewriting func(context.Context, corpus.Encoded, smlm.Decoding) ([][]int64, error)
	plain := func(rewrite rewriting, slots int, free func()) *transferModel {
		return &transferModel{
			Free: free, Copies: s.Decoding.Copies(), Slots: slots,
			InPlace: s.Decoding.Copies() || trained.Name != SMLMG,
			Rewrite: func(ctx context.Context, d corpus.Encoded) ([][]int64, []guided.Output, error) {
				ids, err := rewrite(ctx, d, dec)
				return ids, nil, err
			},
		}
	}
	switch trained.Name {
	case SMLM, SMLMFT:
		m, err := loadSMLM(dir)
		if err != nil {
			return nil, err
		}
		dec.BF16 = inBF16(trained.Precision)
		if s.Decoding == recipe.GuidedDecoding {
			return loadGuided(m.Params.Free, filling(m, dec.BF16), inputs, s, own)
		}
		return plain(m.Transfer, m.Config.Slots, m.Params.Free), nil
	case SMLMG:
		g, err := loadGenerator(dir)
		if err != nil {
			return nil, err
		}
		dec.BF16 = inBF16(trained.Precision)
		if s.Decoding == recipe.GuidedDecoding {
			t, err := loadGuided(g.Params.Free, searching(g, dec.BF16), inputs, s, own)
			if err == nil {
				t.Searches = true
			}
			return t, err
		}
		return plain(g.Transfer, 0, g.Params.Free), nil
	}
	return nil, fmt.Errorf("%s is not a transfer model", trained.Name)
}

// loadGuided makes a model, whose memory freeModel gives back, ready to write with the help that
// its settings ask for; own as loadTransferModel has it.
func loadGuided(
	freeModel func(), propose proposing, inputs map[string]string, s TransferSettings, own bool,
) (m *transferModel, err error) {
	var guide *classifier.CNN
	var rater *smlm.Rater
	var unusable []Negation
	free := func() {
		freeModel()
		if rater != nil {
			rater.Params.Free()
		}
		if guide != nil {
			guide.Params.Free()
		}
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	r := guided.Refiller{
		How: s.Guided, Lengths: map[corpus.Direction]float64{}, Seed: s.Seed, KeepUnknown: own, Ranker: s.Ranker,
	}
	for _, l := range s.Lengths {
		r.Lengths[l.Direction] = l.Length
	}
	if s.Guided.AsksGuide() {
		if guide, err = loadCNN(inputs["guide"]); err != nil {
			return nil, err
		}
		r.Guide = guide
	}
	if s.Guided.AsksNGrams() {
		if r.Fluency, err = loadFluency(inputs["fluency"]); err != nil {
			return nil, err
		}
	}
	if s.Guided.Rated {
		if rater, err = loadRater(inputs["rater"]); err != nil {
			return nil, err
		}
		r.Rater = rater
	}
	if s.Guided.Price > 0 {
		key := inputs["mask"] + inputs["vocab"] + inputs[SharesInput]
		if r.LogShare, err = lastShares.get(key, func() ([][]float64, error) {
			return Shares(inputs)
		}); err != nil {
			return nil, err
		}
	}
	if s.Guided.NoPunctuation || len(s.Negations) > 0 {
		v, err := corpus.LoadVocab(filepath.Join(inputs["vocab"], "vocab.txt"))
		if err != nil {
			return nil, err
		}
		r.Punctuation = v.Punctuation()
		for _, n := range s.Negations {
			if !r.Know(n.From, n.To, v) {
				unusable = append(unusable, n)
			}
		}
	}
	m = guidedModel(r, propose, free)
	m.Unusable = unusable
	return m, nil
}

// lastShares: a run writes dev and test outputs, and those of a sweep, one after another.
var lastShares last[[][]float64]

// transferModel is a trained transfer model, whichever of the three, with its guide if it has one.
type transferModel struct {
	Free func()
	// Rewrite returns the ids of every sentence in the style asked for, guided.Empty among them
	// where there are slots, and, where the decoding is guided, how each came about.
	Rewrite func(ctx context.Context, d corpus.Encoded) ([][]int64, []guided.Output, error)
	Copies  bool // words that are not masked
	InPlace bool // every word of an output stands for one of its source
	Slots   int  // words that may stand for a masked one; 0 is one
	// Unusable are negations with a word that the vocabulary lacks.
	Unusable []Negation
	// Others returns further outputs beside those that Rewrite wrote, drawn as how says, so many as
	// are wanted where there are; nil where the decoding is not guided.
	Others func(
		ctx context.Context, d corpus.Encoded, written []guided.Output, how recipe.Guided, wanted int,
	) ([][]guided.Alternative, error)
	Searches bool // Others are found by a search, not drawn
}

// proposing gives a refiller a model that proposes words for about so many sentences, and calls fn.
type proposing func(r *guided.Refiller, sentences int, fn func() error) error

// filling is that of SMLM and SMLM-FT.
func filling(m *smlm.Model, bf16 bool) proposing {
	return func(r *guided.Refiller, sentences int, fn func() error) error {
		return m.WithFiller(bf16, sentences, func(f *smlm.Filler) error {
			r.Filler, r.Likelihood, r.Slots = f, f, m.Config.Slots
			return fn()
		})
	}
}

// searching is that of SMLM-G.
func searching(g *smlm.Generator, bf16 bool) proposing {
	return func(r *guided.Refiller, _ int, fn func() error) error {
		r.Searcher = smlm.Searcher{Generator: g, Beam: r.How.Candidates, NoRepeats: r.How.NoRepeats, BF16: bf16}
		return fn()
	}
}

// guidedModel is a model that refills masks as r does.
func guidedModel(r guided.Refiller, propose proposing, free func()) *transferModel {
	m := &transferModel{Free: free, Copies: true, InPlace: true}
	m.Rewrite = func(ctx context.Context, d corpus.Encoded) (ids [][]int64, out []guided.Output, err error) {
		err = propose(&r, len(d.IDs), func() error {
			out, err = r.Transfer(ctx, d)
			return err
		})
		for _, o := range out {
			ids = append(ids, o.IDs())
		}
		return ids, out, err
	}
	m.Others = func(ctx context.Context, d corpus.Encoded, written []guided.Output, how recipe.Guided, wanted int) (
		out [][]guided.Alternative, err error,
	) {
		drawing := r
		drawing.How = how
		err = propose(&drawing, len(d.IDs)*how.Candidates, func() error {
			out, err = drawing.Alternatives(ctx, d, written, wanted)
			return err
		})
		return out, err
	}
	return m
}

// rewrittenWords is sentences in the style asked for.
type rewrittenWords struct {
	Words  [][]string
	Places [][]int         // of the words of the source that those of an output stand for; nil: not known
	How    []guided.Output // nil where the decoding is not guided
}

// Words returns every sentence rewritten in the style asked for.
func (m *transferModel) Words(
	ctx context.Context, v *corpus.Vocab, d corpus.Encoded, sources [][]string,
) (out rewrittenWords, err error) {
	ids, how, err := m.Rewrite(ctx, d)
	if err != nil {
		return out, err
	}
	out = rewrittenWords{make([][]string, len(ids)), make([][]int, len(ids)), how}
	for i, row := range ids {
		var written []guided.Word
		switch {
		case how != nil:
			written = how[i].Standing()
		case m.InPlace:
			written = m.written(row, d.Masks[i])
		default:
			out.Words[i] = v.Decode(row)
		}
		if len(written) > 0 {
			out.Words[i], out.Places[i] = spelled(v, written, sources[i])
		}
	}
	return out, nil
}

// spelled returns the words of an output and their places. Those of the source are spelled as the
// source has them: the vocabulary may lack them.
func spelled(v *corpus.Vocab, of []guided.Word, source []string) (words []string, places []int) {
	for _, w := range of {
		word := v.Word(w.ID)
		if w.OfSource() {
			word = source[w.Place]
		}
		words, places = append(words, word), append(places, w.Place)
	}
	return words, places
}

// written returns the words of an output that is not guided.
func (m *transferModel) written(row []int64, masks []bool) (words []guided.Word) {
	for k, on := range masks {
		n, origin := 1, guided.Refilled
		if on {
			n = max(1, m.Slots)
		} else if m.Copies {
			origin = guided.Kept
		}
		for _, id := range row[:n] {
			if m.Slots == 0 || id != guided.Empty {
				words = append(words, guided.Word{ID: id, Place: k, Origin: origin})
			}
		}
		row = row[n:]
	}
	return words
}

// Origins say where the words of an output come from, nil where the decoding is not guided.
func (r *rewrittenWords) Origins(i int) *Origins {
	if r.How == nil {
		return nil
	}
	return origins(r.How[i], r.Words[i])
}

// origins spells those of an output.
func origins(out guided.Output, words []string) *Origins {
	o := &Origins{Guide: out.Sure}
	for _, w := range out.Words {
		word := Word{Origin: w.Origin, Guide: w.Sure, Negated: w.Negated}
		if w.Origin != guided.Deleted {
			word.Word, words = words[0], words[1:]
		}
		if !w.OfSource() && !w.Negated {
			word.P = math.Exp(w.Asked)
		}
		o.Words = append(o.Words, word)
	}
	return o
}
