package pretrained

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// maskedHead is a masked language model behind its encoder, over pieces or over words: the
// output layer is the table of their vectors.
type maskedHead struct {
	encoder   *Encoder
	table     *nn.Embedding // [V, embedding]
	transform *Transform
	bias      *torch.Tensor // [V]
}

// question asks for the probability of the token at a place of a row, which is masked there.
type question struct {
	row   []int64
	place int
	to    *float64 // gets log p
}

// tokensAtOnce bounds the tokens of the masked copies that go through the encoder together: what
// a layer keeps of more does not stay in a core's cache.
const tokensAtOnce = 1500

// rowsAtOnce is about how many rows a product with the table has.
const rowsAtOnce = 256

// answer answers questions: the pseudo log likelihood of a sentence is the sum of log p(token |
// the sentence with that token masked) over its tokens (Salazar et al. 2020). No question has a
// part in another's answer. Call it on the torch thread.
func (h maskedHead) answer(ctx context.Context, all []question, mask int64) error {
	return torch.NoGrad(func() error {
		vocab := torch.Pack(h.table.W, h.bias, torch.Packing{Rows: rowsAtOnce})
		slices.SortStableFunc(all, func(a, b question) int { return cmp.Compare(len(a.row), len(b.row)) })
		for len(all) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			length := len(all[0].row)
			n := 1
			for n < len(all) && len(all[n].row) == length && (n+1)*length <= tokensAtOnce {
				n++
			}
			err := torch.Scoped(func() error {
				want := make([]int64, n)
				for i, q := range all[:n] {
					want[i] = q.row[q.place]
				}
				for i, of := range vocab.Likeliest(h.transform.Forward(h.masked(all[:n], mask)), want, 0, 0, 1, true) {
					*all[i].to = float64(of[2])
				}
				return nil
			})
			if err != nil {
				return err
			}
			all = all[n:]
		}
		return nil
	})
}

// masked returns the states of the masked places of some questions whose rows have one length,
// [K, d]. A row's vectors, and those of a mask at each place, are made once for all questions:
// the masked copies of a row are put together from them.
func (h maskedHead) masked(some []question, mask int64) *torch.Tensor {
	length := len(some[0].row)
	var ids []int64           // of the rows, each once, and of one of masks
	first := map[*int64]int{} // where the tokens of a row begin among ids
	for _, q := range some {
		if _, seen := first[&q.row[0]]; !seen {
			first[&q.row[0]] = len(ids)
			ids = append(ids, q.row...)
		}
	}
	masks := len(ids)
	ids = append(ids, slices.Repeat([]int64{mask}, length)...)
	named, places := make([]int64, 0, len(some)*length), make([]int64, len(some))
	for i, q := range some {
		from := first[&q.row[0]]
		for k := range length {
			named = append(named, int64(from+k))
		}
		places[i] = int64(i*length + q.place)
		named[places[i]] = int64(masks + q.place)
	}
	vectors := h.encoder.Inputs(h.table.Forward(torch.FromInts(ids, int64(len(ids)/length), int64(length))), false)
	vectors = vectors.Reshape(int64(len(ids)), -1)
	layers := h.encoder.Layers
	last := len(layers) - 1
	rows := torch.FromInts(named, int64(len(named)))
	var x *torch.Tensor
	if last == 0 {
		x = vectors.Rows(rows).Reshape(int64(len(some)), int64(length), -1)
	} else {
		x = layers[0].ForwardNamed(vectors, rows, int64(len(some)))
		for _, l := range layers[1:last] {
			x = l.Forward(x, false)
		}
	}
	return layers[last].ForwardOne(x, torch.FromInts(places, int64(len(places))))
}

// MaskedLogProbs returns for each row of pieces, special ones included, and each of its places
// asked about, in order, log p(piece | the row with that piece masked). The model must have been
// opened with Masked, and no row have more than MostTokens pieces. Call it on the torch thread.
func (m *Model) MaskedLogProbs(ctx context.Context, rows [][]int64, places [][]int, mask int64) ([][]float64, error) {
	out := make([][]float64, len(rows))
	var all []question
	for i, row := range rows {
		out[i] = make([]float64, len(places[i]))
		for k, place := range places[i] {
			all = append(all, question{row, place, &out[i][k]})
		}
	}
	return out, m.maskedHead().answer(ctx, all, mask)
}

func (m *Model) maskedHead() maskedHead {
	return maskedHead{m.Encoder, m.pieces, m.transform, m.pieceBias}
}
