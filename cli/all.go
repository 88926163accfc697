package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/smlm-exp/smlm-exp/runs/results"
)

// writeAll writes the tables, the figures and the page of what is finished.
func writeAll(ctx context.Context, e *Env, s *Study) error {
	found, err := e.Collect(s)
	if err != nil {
		return err
	}
	if err := found.Test(ctx); err != nil {
		return err
	}
	if err := orKept(e, writeTables(e, s, found)); err != nil {
		return err
	}
	if figures := found.Figures(); len(figures) > 0 {
		if err := orKept(e, writeFigures(e, s, found, figures)); err != nil {
			return err
		}
	}
	if !s.Exp.Report.Page {
		return nil
	}
	return orKept(e, writePage(e, found, ""))
}

// warnOfAttention says on standard error that attention is not on style words, where it is not: the
// tables look the same.
func warnOfAttention(e *Env, s *Study) {
	if sentence := results.OffStyle(s.Plan, s.WS); sentence != "" {
		fmt.Fprintf(e.Stderr, "smlm-exp: %s\n", sentence)
	}
}

// orKept says on standard error what was not written over because it shows more than is finished;
// other errors stay.
func orKept(e *Env, err error) error {
	var fewer *results.Fewer
	if !errors.As(err, &fewer) {
		return err
	}
	fmt.Fprintf(e.Stderr, "smlm-exp: %v\n", fewer)
	return nil
}
