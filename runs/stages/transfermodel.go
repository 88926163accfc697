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

// loadTransferModel loads what the stage transfer reads, from the folders of its inputs, for a
// vocabulary; own tells that it is to write somebody's own sentences.
func loadTransferModel(
	inputs map[string]string, v *corpus.Vocab, s TransferSettings, own bool,
) (*transferModel, error) {
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
	plain := func(rewrite rewriting, free func()) *transferModel {
		return &transferModel{
			Free: free, Copies: s.Decoding.Copies(), InPlace: s.Decoding.Copies() || trained.Name != SMLMG,
			Rewrite: func(ctx context.Context, d corpus.Encoded) ([][]int64, error) { return rewrite(ctx, d, dec) },
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
			return loadGuided(m, dec.BF16, inputs, v, s, own)
		}
		return plain(m.Transfer, m.Params.Free), nil
	case SMLMG:
		g, err := loadGenerator(dir)
		if err != nil {
			return nil, err
		}
		dec.BF16 = inBF16(trained.Precision)
		return plain(g.Transfer, g.Params.Free), nil
	}
	return nil, fmt.Errorf("%s is not a transfer model", trained.Name)
}

// loadGuided makes SMLM ready to write guided outputs; v and own as loadTransferModel has them. The
// model's Free gives back all memory.
func loadGuided(
	m *smlm.Model, bf16 bool, inputs map[string]string, v *corpus.Vocab, s TransferSettings, own bool,
) (_ *transferModel, err error) {
	var guide *classifier.CNN
	var rater *smlm.Rater
	free := func() {
		m.Params.Free()
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
	w := guided.Writer{How: s.Guided, KeepUnknown: own}
	if w.Phrases, err = lastPhrases.get(inputs["phrases"], func() (*guided.Phrases, error) {
		return loadPhrases(inputs["phrases"], v)
	}); err != nil {
		return nil, err
	}
	if w.Fluency, err = loadFluency(inputs["fluency"]); err != nil {
		return nil, err
	}
	if guide, err = loadCNN(inputs["guide"]); err != nil {
		return nil, err
	}
	w.Guide = guide
	if dir := inputs["rater"]; dir != "" {
		if rater, err = loadRater(dir); err != nil {
			return nil, err
		}
		w.Rater = rater
	}
	return &transferModel{
		Free: free, Write: func(ctx context.Context, d corpus.Encoded, most int) (out [][]guided.Output, err error) {
			err = m.WithFiller(bf16, len(d.IDs), func(f *smlm.Filler) error {
				w.Filler = f
				out, err = w.Write(ctx, d, most)
				return err
			})
			return out, err
		},
	}, nil
}

// lastPhrases: a run writes dev and test outputs, and those of a sweep, one after another.
var lastPhrases last[*guided.Phrases]

// transferModel is a trained transfer model, whichever of the three, with its guide if it has one.
type transferModel struct {
	Free func()
	// Write returns the best outputs of every sentence, at most so many; nil where the decoding is
	// not guided.
	Write func(ctx context.Context, d corpus.Encoded, most int) ([][]guided.Output, error)
	// Rewrite returns the ids of every sentence in the style asked for; nil where the decoding is
	// guided.
	Rewrite func(ctx context.Context, d corpus.Encoded) ([][]int64, error)
	Copies  bool // Rewrite copies words that are not masked
	InPlace bool // word k that Rewrite writes stands for word k of the source
}

// rewrittenWords is sentences in the style asked for.
type rewrittenWords struct {
	Words  [][]string
	Places [][]int           // of the words of the source that those of an output stand for; nil: not known
	How    [][]guided.Output // the best of each sentence, the written one first; nil where the decoding is not guided
}

// Words returns every sentence rewritten in the style asked for. Where the decoding is guided, it
// finds at most so many outputs of each.
func (m *transferModel) Words(
	ctx context.Context, v *corpus.Vocab, d corpus.Encoded, sources [][]string, most int,
) (out rewrittenWords, err error) {
	out = rewrittenWords{Words: make([][]string, len(d.IDs)), Places: make([][]int, len(d.IDs))}
	if m.Write != nil {
		if out.How, err = m.Write(ctx, d, most); err != nil {
			return out, err
		}
		for i, found := range out.How {
			out.Words[i], out.Places[i] = spelled(v, found[0].Standing(), sources[i])
		}
		return out, nil
	}
	ids, err := m.Rewrite(ctx, d)
	if err != nil {
		return out, err
	}
	for i, row := range ids {
		if m.InPlace {
			out.Words[i], out.Places[i] = spelled(v, m.written(row, d.Masks[i]), sources[i])
		} else {
			out.Words[i] = v.Decode(row)
		}
	}
	return out, nil
}

// spelled returns the words of an output and their places. Those of the source are spelled as the
// source has them: the vocabulary may lack them.
func spelled(v *corpus.Vocab, of []guided.Word, source []string) (words []string, places []int) {
	for _, w := range of {
		word := v.Word(w.ID)
		if w.Origin == guided.Kept {
			word = source[w.Place]
		}
		words, places = append(words, word), append(places, w.Place)
	}
	return words, places
}

// written returns the words of an output that is not guided.
func (m *transferModel) written(row []int64, masks []bool) (words []guided.Word) {
	for k, id := range row {
		origin := guided.Filled
		if m.Copies && !masks[k] {
			origin = guided.Kept
		}
		words = append(words, guided.Word{ID: id, Place: k, Origin: origin})
	}
	return words
}

// Origins say where the words of an output come from, nil where the decoding is not guided.
func (r *rewrittenWords) Origins(i int) *Origins {
	if r.How == nil {
		return nil
	}
	return origins(r.How[i][0], r.Words[i])
}

// origins spells those of an output.
func origins(out guided.Output, words []string) *Origins {
	o := &Origins{Guide: out.Style}
	for _, w := range out.Words {
		word := Word{Origin: w.Origin, Place: w.Place}
		if w.Origin != guided.Deleted {
			word.Word, words = words[0], words[1:]
		}
		if w.Origin == guided.Filled {
			word.P = math.Exp(w.LogQ)
		}
		o.Words = append(o.Words, word)
	}
	return o
}
