package nn

import (
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Sorted returns batches for evaluation. The sentences of a batch have equal lengths. The order of
// the batches is fixed and begins with the shortest sentences.
func Sorted(lengths []int, tokens int) [][]int {
	return items(corpus.Batches(lengths, tokens, 0, -1))
}

func items(batches []corpus.Batch) [][]int {
	out := make([][]int, len(batches))
	for i, b := range batches {
		out[i] = b.Items
	}
	return out
}

// Lengths returns the number of words of every row.
func Lengths(rows [][]int64) []int {
	n := make([]int, len(rows))
	for i, r := range rows {
		n[i] = len(r)
	}
	return n
}

// Grid holds the token ids of a batch, row after row, before they become a tensor.
type Grid struct {
	IDs  []int64
	Rows int
}

// Gather returns the rows of a batch, which must have equal length.
func Gather(rows [][]int64, batch []int) Grid {
	g := Grid{make([]int64, 0, len(rows[batch[0]])*len(batch)), len(batch)}
	for _, i := range batch {
		g.IDs = append(g.IDs, rows[i]...)
	}
	return g
}

// Over returns a Grid with the rows of g, followed by the rows of the Grid named other. All rows
// must have the same length.
func (g Grid) Over(other Grid) Grid {
	return Grid{append(slices.Clip(g.IDs), other.IDs...), g.Rows + other.Rows}
}

// Tensor returns the ids as Int64 [B, T].
func (g Grid) Tensor() *torch.Tensor {
	return torch.FromInts(g.IDs, int64(g.Rows), int64(len(g.IDs)/g.Rows))
}

// Stack returns the rows of a batch, which must have equal length, as a tensor.
func Stack(rows [][]int64, batch []int) *torch.Tensor { return Gather(rows, batch).Tensor() }

// classIDs returns the classes of a batch's items as an Int64 tensor [B].
func classIDs(classes []int, batch []int) *torch.Tensor {
	ids := make([]int64, len(batch))
	for k, i := range batch {
		ids[k] = int64(classes[i])
	}
	return torch.FromInts(ids, int64(len(ids)))
}

// EvalTokens is the maximum number of tokens in a batch of an evaluation, which computes no
// gradients.
const EvalTokens = 8000

// ForEach calls fn for every batch of rows, without recording gradients. The tensors that fn
// creates are freed after each call. The rows of a batch have equal lengths. The shortest rows come
// first.
func ForEach(ctx context.Context, rows [][]int64, fn func(batch []int) error) error {
	for _, b := range Sorted(Lengths(rows), EvalTokens) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := torch.NoGrad(func() error { return fn(b) }); err != nil {
			return err
		}
	}
	return nil
}

// StretchTokens is the usual maximum number of tokens of a stretch in ForStretches. It is large,
// because only sentences of the same stretch share the computation of a common beginning.
const StretchTokens = 2 * EvalTokens

// ForStretches splits rows into stretches of consecutive rows. Rows may differ in length.
// ForStretches calls fn for each stretch, without recording gradients, and frees the tensors that
// fn creates after each call. A stretch has at most the given number of tokens, but at least one
// row.
func ForStretches(
	ctx context.Context, rows [][]int64, tokens int, fn func(from int, stretch [][]int64) error,
) error {
	for from := 0; from < len(rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := from + corpus.Fitting(rows[from:], tokens)
		if err := torch.NoGrad(func() error { return fn(from, rows[from:end]) }); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// CrossEntropy returns the loss of a batch, given its logits [B, C]. styles holds the styles of all
// sentences, and batch holds the indices of the batch's sentences.
func CrossEntropy(logits *torch.Tensor, styles, batch []int, r torch.Reduction) *torch.Tensor {
	return torch.CrossEntropy(logits, classIDs(styles, batch), r)
}

// CountRight counts the sentences of a batch whose style has the largest logit. logits is [B, C].
func CountRight(logits *torch.Tensor, styles, batch []int) float64 {
	n := 0.0
	for k, c := range logits.Argmax(1).Ints() {
		if int(c) == styles[batch[k]] {
			n++
		}
	}
	return n
}

// Add adds a batch's losses and correct answers to v, given the batch's logits [B, C] and the
// styles of all sentences. v holds sums until Mean divides them.
func (v *Validation) Add(logits *torch.Tensor, styles, batch []int) {
	v.Loss += CrossEntropy(logits, styles, batch, torch.ReduceSum).Item()
	v.Accuracy += 100 * CountRight(logits, styles, batch)
}

// Mean returns the mean loss and the accuracy of n sentences.
func (v *Validation) Mean(n int) Validation {
	return Validation{Loss: v.Loss / float64(n), Accuracy: v.Accuracy / float64(n)}
}
