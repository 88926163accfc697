package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// compareOptions holds the flags of `compare`.
type compareOptions struct {
	file    runs.File
	metrics []string // empty means all
	format  string
}

func compareCommand(e *env) *cli.Command {
	o := &compareOptions{}
	return leaf(&cli.Command{
		Name:      "compare",
		Usage:     "test whether two systems of an experiment differ by more than chance",
		ArgsUsage: "FILE A B",
		Description: describe("A and B are systems by the names that tables print: DirR, 'SMLM-G (predicted)', 'references', "+
			"in any letter case. If a system has several rows, add settings: 'SMLM (guided, lambda_eps 0.5)' "+
			"or SMLM:decoding=guided,lambda_eps=0.5. Where dev outputs chose one of several points, as in the table main, a "+
			"name alone means that point. Rows that differ in the seed alone are compared as one; seed=2 keeps to one seed. "+
			"The test is a paired bootstrap over the test sentences, of every metric that both have. If each trained system has "+
			"several seeds, a second test is over sentences and seeds. Trains nothing.",
			"smlm-exp compare experiments/yelp.toml 'SMLM (guided)' DirR",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(&o.file,
			&cli.StringSliceFlag{
				Name: "metric", Action: into(&o.metrics),
				Usage: "`NAME` of a metric as in score --json, such as s_bleu; may be repeated (default: all)",
			},
			tableFormatFlag(&o.format),
		),
		Action: e.onStudy(&o.file, func(ctx context.Context, s *runs.Study, rows []string) error {
			return compare(ctx, e, s, rows, o)
		}),
	})
}

func compare(ctx context.Context, e *env, s *runs.Study, names []string, o *compareOptions) error {
	set, err := s.OneDataset()
	if err != nil {
		return err
	}
	found, err := s.Results()
	if err != nil {
		return err
	}
	var pair [2][]*results.System
	for i, name := range names {
		if pair[i], err = found.FindAsMain(set, name); err != nil {
			return err
		}
	}
	if slices.Equal(pair[0], pair[1]) {
		return userr.New(userr.BadInput, "%q and %q are the same row: name two different ones", names[0], names[1])
	}
	rows, err := found.Compare(ctx, pair[0], pair[1])
	if err != nil {
		return err
	}
	switch {
	case pair[0][0].Name(report.Seed) == pair[1][0].Name(report.Seed):
		fmt.Fprintf(e.stderr, "smlm-exp: warning: %q and %q differ in the seed alone, so every difference between them is "+
			"chance in training\n", names[0], names[1])
	case len(rows) > 0 && rows[0].OneSeed:
		fmt.Fprintln(e.stderr, "smlm-exp: "+report.OneSeedLegend)
	}
	if wanted := o.metrics; len(wanted) > 0 {
		metrics := lists.Map(rows, func(r report.SignificanceRow) string { return r.Comparison.Metric })
		if err := known("--metric", metrics, wanted...); err != nil {
			return err
		}
		rows = lists.Filter(rows, func(r report.SignificanceRow) bool {
			return slices.Contains(wanted, r.Comparison.Metric)
		})
	}
	return found.Compared(rows, pair[0], pair[1]).Write(e.data(), o.format)
}
