package pretrained

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// Comparer uses an encoder's hidden states to compare outputs with references.
type Comparer struct {
	Params *nn.Params
	// Pooling says how the states of a sentence become one vector, for the cosine.
	Pooling   folder.Pooling
	MaxPieces int // maximum number of pieces of a sentence; longer sentences are truncated
	Truncated int // number of sentences that were truncated
	Pieces    int // number of pieces of all sentences, special ones included
	Unknown   int // number of pieces that the encoder does not know

	encoder   *Encoder
	pieces    *nn.Embedding
	tokenizer *folder.Tokenizer
	special   []int64 // pieces with weight 0 in BERTScore
	maxFloats int     // maximum number of floats of hidden states kept at a time
}

// NewComparer returns a Comparer with a folder's encoder. Call it on the torch thread, and call
// Params.Free when done.
func NewComparer(f *folder.Folder) (*Comparer, error) {
	c := &Comparer{
		Params: nn.NewParams(), tokenizer: f.Tokenizer, special: []int64{f.Tokenizer.CLS, f.Tokenizer.SEP},
		MaxPieces: f.MaxPieces(), maxFloats: maxStates,
	}
	err := torch.Scoped(func() error {
		c.pieces = nn.NewEmbedding(c.Params, "pieces", f.Config.Vocab, f.Config.Dim)
		c.encoder = NewEncoder(c.Params, f.Config.SMLMShape, f.Config.PretrainedShape, 0)
		l := &loader{f: f}
		l.tensorAll(f.Name("embeddings.word_embeddings.weight"), c.pieces.W)
		if err := l.run(); err != nil {
			return err
		}
		return c.encoder.Load(f)
	})
	if err != nil {
		c.Params.Free()
		return nil, err
	}
	return c, nil
}

// Closeness holds how close each output is to its references, one value per output.
type Closeness struct {
	BERTScores []float64 // F1
	Cosines    []float64 // cosines of the pooled states of the last layer
}

// Compare compares outputs with one or more groups of references. groups[g][i] holds the references
// of output i, at least one. The result has an entry for each group. An output's values are the
// best over its references in the group. Compare works through the outputs in chunks, and encodes
// each distinct sentence of a chunk once.
func (c *Comparer) Compare(ctx context.Context, outputs []string, groups ...[][]string) ([]Closeness, error) {
	references := make([][][][]int64, len(groups))
	for g, group := range groups {
		for _, sentences := range group {
			rows, err := c.encode(ctx, sentences)
			if err != nil {
				return nil, err
			}
			references[g] = append(references[g], rows)
		}
	}
	rows, err := c.encode(ctx, outputs)
	if err != nil {
		return nil, err
	}
	return c.compare(ctx, rows, references)
}

// maxStates is the usual value of Comparer.maxFloats. That many floats take 512 MB.
const maxStates = 128 << 20

// compare does the same as Compare for sentences given as pieces. It works in chunks whose hidden
// states, of outputs and references, have at most c.maxFloats numbers. If a single output with its
// references has more, it is a chunk of its own.
func (c *Comparer) compare(ctx context.Context, outputs [][]int64, groups [][][][]int64) ([]Closeness, error) {
	out := make([]Closeness, len(groups))
	for from := 0; from < len(outputs); {
		to := from + c.countFitting(from, outputs, groups)
		if err := c.compareRange(ctx, from, to, outputs, groups, out); err != nil {
			return nil, err
		}
		from = to
	}
	return out, nil
}

// countFitting returns the size of the chunk that begins with outputs[from]. It is at least 1.
func (c *Comparer) countFitting(from int, outputs [][]int64, groups [][][][]int64) int {
	pieces := 0
	for i := from; i < len(outputs); i++ {
		pieces += len(outputs[i])
		for _, references := range groups {
			for _, reference := range references[i] {
				pieces += len(reference)
			}
		}
		if i > from && pieces*c.dim() > c.maxFloats {
			return i - from
		}
	}
	return len(outputs) - from
}

// compareRange compares outputs[from:to] and appends the results to out.
func (c *Comparer) compareRange(
	ctx context.Context, from, to int, outputs [][]int64, groups [][][][]int64, out []Closeness,
) error {
	var rows [][]int64
	index := map[string]int{}
	addRow := func(ids []int64) int {
		key := string(idBytes(ids))
		k, known := index[key]
		if !known {
			k = len(rows)
			index[key], rows = k, append(rows, ids)
		}
		return k
	}
	for i := from; i < to; i++ {
		addRow(outputs[i])
		for _, references := range groups {
			for _, reference := range references[i] {
				addRow(reference)
			}
		}
	}
	encoded, err := c.encodeAll(ctx, rows)
	if err != nil {
		return err
	}
	for i := from; i < to && ctx.Err() == nil; i++ {
		output := encoded[addRow(outputs[i])]
		mine := bertscore.Sentence{Vectors: output.states, Weights: bertscore.Weights(outputs[i], c.special...)}
		for g, references := range groups {
			var scores []float64
			closest := 0.0
			for k, reference := range references[i] {
				other := encoded[addRow(reference)]
				scores = append(scores, bertscore.Match(mine, bertscore.Sentence{
					Vectors: other.states, Weights: bertscore.Weights(reference, c.special...),
				}))
				if cosine := product(output.pooled, other.pooled); k == 0 || cosine > closest {
					closest = cosine
				}
			}
			out[g].BERTScores = append(out[g].BERTScores, slices.Max(scores))
			out[g].Cosines = append(out[g].Cosines, closest)
		}
	}
	return ctx.Err()
}

// product returns the dot product of two vectors of length 1, which is their cosine.
func product(u, v []float32) (cosine float64) {
	for k := range u {
		cosine += float64(u[k]) * float64(v[k])
	}
	return min(1, max(-1, cosine))
}

// idBytes encodes pieces as a map key.
func idBytes(ids []int64) []byte {
	out := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		out = append(out, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	return out
}
