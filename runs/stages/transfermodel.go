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

// maxExtra is the number of words by which an output of SMLM-G may be longer than its source.
const maxExtra = 10

// loadTransferModel loads the inputs of Transfer from their folders. The argument own is true if
// the sentences come from a user. Guided decoding then keeps words of the sentences that are not in
// the vocabulary.
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
		MaxExtra: maxExtra,
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

// loadGuided prepares SMLM for guided decoding. v and own are as in loadTransferModel. The method
// Free of the result frees all memory.
func loadGuided(
	m *smlm.Model, bf16 bool, inputs map[string]string, v *corpus.Vocab, s TransferSettings, own bool,
) (_ *transferModel, err error) {
	var guide *classifier.CNN
	free := func() {
		m.Params.Free()
		if guide != nil {
			guide.Params.Free()
		}
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	w, err := loadWriter(inputs, v, s, own)
	if err != nil {
		return nil, err
	}
	if guide, err = loadCNN(inputs["guide"]); err != nil {
		return nil, err
	}
	w.Guide = guide
	return &transferModel{
		Free: free, Writer: &w,
		Write: func(ctx context.Context, d corpus.Encoded, most int) (out [][]guided.Output, err error) {
			err = m.WithFiller(bf16, len(d.IDs), func(f *smlm.Filler) error {
				w.Filler = f
				out, err = w.Write(ctx, d, most)
				return err
			})
			return out, err
		},
	}, nil
}

// loadWriter loads those parts of a guided.Writer that use no tensors. v and own are as in
// loadTransferModel.
func loadWriter(
	inputs map[string]string, v *corpus.Vocab, s TransferSettings, own bool,
) (w guided.Writer, err error) {
	w.How, w.KeepUnknown = s.Guided, own
	if w.Phrases, err = lastPhrases.get(inputs["phrases"], func() (*guided.Phrases, error) {
		return loadPhrases(inputs["phrases"], v)
	}); err != nil {
		return w, err
	}
	w.Fluency, err = loadFluency(inputs["fluency"])
	return w, err
}

// lastPhrases caches phrases, because several transfers of a run read the same phrases: the
// transfers of a sweep, and the transfers of dev and test sentences.
var lastPhrases last[*guided.Phrases]

// transferModel is a trained transfer model of any kind, with its guide if it has one.
type transferModel struct {
	Free func()
	// Writer writes the guided outputs. Its settings may be changed between calls of Write. It is
	// nil if the decoding is not guided.
	Writer *guided.Writer
	// Write returns the best outputs of every sentence, where most is the largest number of outputs
	// per sentence. Write is nil if the decoding is not guided.
	Write func(ctx context.Context, d corpus.Encoded, most int) ([][]guided.Output, error)
	// Rewrite returns the ids of every sentence in the target style. Rewrite is nil if the decoding
	// is guided.
	Rewrite func(ctx context.Context, d corpus.Encoded) ([][]int64, error)
	Copies  bool // whether Rewrite copies the words that are not masked
	InPlace bool // whether word k of Rewrite's output replaces word k of the source
}

// rewrittenWords are sentences rewritten in the target style.
type rewrittenWords struct {
	Words  [][]string
	Places [][]int           // for each word of an output, its place in the source; nil: not known
	How    [][]guided.Output // the best outputs of each sentence, best first; nil if the decoding is not guided
}

// Words rewrites every sentence in the target style. most is the largest number of outputs that
// guided decoding finds for each sentence.
func (m *transferModel) Words(
	ctx context.Context, v *corpus.Vocab, d corpus.Encoded, sources [][]string, most int,
) (out rewrittenWords, err error) {
	out = rewrittenWords{Words: make([][]string, len(d.IDs)), Places: make([][]int, len(d.IDs))}
	if m.Write != nil {
		if out.How, err = m.Write(ctx, d, most); err != nil {
			return out, err
		}
		for i, found := range out.How {
			out.Words[i], out.Places[i] = spelled(v, found[0].Remaining(), sources[i])
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

// spelled returns the words of an output and their places. Kept words are copied from the source,
// because the vocabulary may lack them.
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

// The method "written" returns the words of an output of plain decoding, with their origins.
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

// Origins returns the origins of the words of output i, or nil if the decoding is not guided.
func (r *rewrittenWords) Origins(i int) *Origins {
	if r.How == nil {
		return nil
	}
	return origins(r.How[i][0], r.Words[i])
}

// origins returns the origins of the words of the output out. words has the spelling of all words
// that are not deleted.
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
