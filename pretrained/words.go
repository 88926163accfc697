package pretrained

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// Words is a pretrained encoder over a vocabulary of words instead of the folder's pieces. A word's
// vector starts as the mean of the vectors of its pieces, and is trained further.
type Words struct {
	*Encoder
	Table *nn.Embedding // [vocab, d]
}

// NewWords adds the parameters of an encoder for vocab words, with fresh weights. Their names begin
// with "embedding." and "encoder.".
func NewWords(p *nn.Params, vocab int, s recipe.SMLMShape, pre recipe.PretrainedShape, dropout float64) *Words {
	w := &Words{Table: nn.NewEmbedding(p, "embedding", vocab, s.Dim)}
	w.Encoder = NewEncoder(p, s, pre, dropout)
	return w
}

// Load copies the weights of a folder. It returns the pieces of each word, indexed by the word's
// id.
func (w *Words) Load(f *folder.Folder, v *corpus.Vocab, labels corpus.Styles) (pieces [][]int64, err error) {
	if err := w.Encoder.Load(f); err != nil {
		return nil, err
	}
	table, err := Pieces(f)
	if err != nil {
		return nil, err
	}
	pieces = wordPieces(f.Tokenizer, v, labels)
	vectors := means(table, f.Config.Dim, pieces)
	return pieces, torch.NoGrad(func() error {
		w.Table.W.Set(torch.FromFloats(vectors, int64(len(pieces)), int64(f.Config.Dim)))
		return nil
	})
}

// The function means returns, for each list of row numbers, the mean of these rows of the table. A
// row has "width" numbers: the vector of a piece or, with width 1, its bias.
func means(table []float32, width int, rows [][]int64) []float32 {
	out := make([]float32, len(rows)*width)
	for i, list := range rows {
		mean := out[i*width : (i+1)*width]
		for _, row := range list {
			for k := range mean {
				mean[k] += table[int(row)*width+k] / float32(len(list))
			}
		}
	}
	return out
}

// wordPieces returns the pieces of every word of a vocabulary. Special tokens get the corresponding
// special pieces of the folder, and the codes of a style (corpus.SrcID, corpus.DstID) get the
// pieces of the style's label.
func wordPieces(t *folder.Tokenizer, v *corpus.Vocab, labels corpus.Styles) [][]int64 {
	out := make([][]int64, v.Len())
	for id := range int64(v.Len()) {
		switch id {
		case corpus.PadID, corpus.BosID: // any id would do for <pad>, because sentences are not padded
			out[id] = []int64{t.CLS}
		case corpus.EosID:
			out[id] = []int64{t.SEP}
		case corpus.UnkID:
			out[id] = []int64{t.Unk}
		case corpus.MaskID:
			out[id] = []int64{t.Mask}
		default:
			out[id] = piecesOf(t, v.Word(id))
		}
	}
	for style, label := range labels {
		pieces := t.Word(label)
		out[corpus.SrcID(style)], out[corpus.DstID(style)] = pieces, pieces
	}
	return out
}

// piecesOf returns the pieces of a word of a text that was tokenised as in the Penn Treebank, which
// has words such as "n't".
func piecesOf(t *folder.Tokenizer, word string) []int64 {
	if full, ok := unclipped[word]; ok {
		word = full
	}
	return t.Word(word)
}

// unclipped maps words that only tokenised text has, such as "n't", to ordinary words. Without it,
// WordPiece would cut such words into signs and single letters.
var unclipped = map[string]string{
	"n't": "not", "ca": "can", "wo": "will", "sha": "shall", "'ve": "have", "'re": "are", "'m": "am", "'ll": "will",
	"'d": "would", "``": `"`, "''": `"`, "_num_": "5", "-lrb-": "(", "-rrb-": ")",
}
