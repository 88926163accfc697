// Package stream rewrites text line by line while it is read: inputs are cut into sentences, those
// are handed to the models in batches, and the answers are printed in order.
package cli

import (
	"context"
	"errors"
	"io"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Rewrite rewrites and prints a batch after the other, and returns how many lines it printed.
func Rewrite(
	ctx context.Context, models stages.TransferSession, text *Sentences, to printer,
) (lines int, err error) {
	err = text.Each(ctx, func(batch []*corpus.Source) error {
		full := Words(Full(batch))
		var done []stages.Rewritten
		if len(full) > 0 {
			var err error
			if done, err = models.Rewrite(ctx, full); err != nil {
				return err
			}
		}
		if err := to.print(lines, batch, done); err != nil {
			return err
		}
		lines += len(batch)
		return nil
	})
	to.Warn.rest()
	return lines, err
}

// Each hands the batches to do, one after the other; an empty line is nil. The error is
// that of do or of reading.
func (s *Sentences) Each(ctx context.Context, do func(batch []*corpus.Source) error) error {
	for {
		batch, err := s.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := do(batch); err != nil {
			return err
		}
	}
}

// Full returns the sentences of a batch that have words.
func Full(batch []*corpus.Source) []*corpus.Source {
	return lists.Where(batch, func(text *corpus.Source) bool { return text != nil })
}

// Words are those of sentences.
func Words(batch []*corpus.Source) [][]string {
	return lists.Map(batch, func(text *corpus.Source) []string { return text.Words })
}
