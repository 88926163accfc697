package nn

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Recipe is how a model is trained; the same for every kind of model. Precision is fp32, as "" is,
// or bf16: matrix products in bfloat16, weights and everything else in float32.
type Recipe struct {
	recipe.Training
	Seed     uint64
	MaxSteps int           // 0 = no bound
	KeepLast bool          // end with the last weights instead of those of the best dev loss
	Scratch  string        // where checkpoints are kept, "" = nowhere
	Every    time.Duration // between checkpoints; 0 = five minutes
	Progress func(done, total int, note string)
	Ended    func([]Epoch) // all epochs that have ended, after each; nil: nobody asks
}

// precision names what passes compute in; a checkpoint of the other is refused.
func (r Recipe) precision() recipe.Precision { return cmp.Or(r.Precision, recipe.FP32) }

// Autocast runs f with matrix products in the recipe's precision.
func (r Recipe) Autocast(f func()) { torch.Autocast(r.Precision == recipe.BF16, f) }

// Pass returns a Pass that makes the loss in the recipe's precision and goes back from it.
func (r Recipe) Pass(loss func() *torch.Tensor) Pass {
	return func() (l *torch.Tensor) {
		r.Autocast(func() { l = loss() })
		l.Backward()
		return l
	}
}

// Shuffled returns a Task's Batches over items of these lengths.
func (r Recipe) Shuffled(lengths []int) func(epoch int) [][]int {
	return func(epoch int) [][]int { return items(corpus.Batches(lengths, r.BatchTokens, r.Seed, epoch)) }
}

// Sorted returns batches of equal length in a fixed order, shortest sentences first, for
// evaluation.
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

// Grid is token ids of a batch, row after row, before they become a tensor.
type Grid struct {
	IDs  []int64
	Rows int
}

// Gather returns the rows a batch names, all of one length.
func Gather(rows [][]int64, batch []int) Grid {
	g := Grid{make([]int64, 0, len(rows[batch[0]])*len(batch)), len(batch)}
	for _, i := range batch {
		g.IDs = append(g.IDs, rows[i]...)
	}
	return g
}

// Over returns g's rows and then those of other, of the same length.
func (g Grid) Over(other Grid) Grid {
	return Grid{append(slices.Clip(g.IDs), other.IDs...), g.Rows + other.Rows}
}

// Tensor returns the ids as Int64 [B, T].
func (g Grid) Tensor() *torch.Tensor {
	return torch.FromInts(g.IDs, int64(g.Rows), int64(len(g.IDs)/g.Rows))
}

// Stack is Gather as a tensor.
func Stack(rows [][]int64, batch []int) *torch.Tensor { return Gather(rows, batch).Tensor() }

// classIDs returns the classes a batch's items have as an Int64 tensor [B].
func classIDs(classes []int, batch []int) *torch.Tensor {
	ids := make([]int64, len(batch))
	for k, i := range batch {
		ids[k] = int64(classes[i])
	}
	return torch.FromInts(ids, int64(len(ids)))
}

// EvalTokens bounds an evaluation batch: no gradients are kept, so it may be large.
const EvalTokens = 8000

// ForEach calls fn inside a scope without gradients for every batch of rows of equal length,
// longest last.
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

// StretchTokens bounds a stretch of ForStretches as EvalTokens does a batch; the more, the more
// sentences share.
const StretchTokens = 2 * EvalTokens

// ForStretches is ForEach of stretches of rows, of any length, in the order they have, of so many
// tokens at most.
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

// CrossEntropy returns the loss of a batch's logits [B, 2], given the styles of all sentences.
func CrossEntropy(logits *torch.Tensor, styles, batch []int, r torch.Reduction) *torch.Tensor {
	return torch.CrossEntropy(logits, classIDs(styles, batch), r)
}

// Right returns how many of a batch's sentences have their largest logit [B, 2] at their style.
func Right(logits *torch.Tensor, styles, batch []int) float64 {
	n := 0.0
	for k, c := range logits.Argmax(1).Ints() {
		if int(c) == styles[batch[k]] {
			n++
		}
	}
	return n
}

// Add counts a batch's logits [B, 2] in, given the styles of all sentences: v is of sums until Mean
// divides them.
func (v *Validation) Add(logits *torch.Tensor, styles, batch []int) {
	v.Loss += CrossEntropy(logits, styles, batch, torch.ReduceSum).Item()
	v.Accuracy += 100 * Right(logits, styles, batch)
}

// Mean returns the mean loss and the accuracy of n sentences.
func (v *Validation) Mean(n int) Validation {
	return Validation{Loss: v.Loss / float64(n), Accuracy: v.Accuracy / float64(n)}
}
