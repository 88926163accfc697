// Package stream rewrites text line by line while it is read: inputs are cut into sentences, those
// are handed to the models in batches, and the answers are printed in order.
package stream

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs"
)

// Rewrite rewrites and prints a batch after the other, and returns how many lines it printed.
func Rewrite(
	ctx context.Context, models runs.TransferSession, text *Sentences, to Printer,
) (lines int, err error) {
	for {
		batch, err := text.next(ctx)
		if errors.Is(err, io.EOF) {
			return lines, nil
		} else if err != nil {
			return lines, err
		}
		full := slices.DeleteFunc(slices.Clone(batch), func(words corpus.Sentence) bool { return len(words) == 0 })
		var done []runs.Rewritten
		if len(full) > 0 {
			if done, err = models.Rewrite(ctx, full); err != nil {
				return lines, err
			}
		}
		if err := to.print(batch, done); err != nil {
			return lines, err
		}
		lines += len(batch)
	}
}
