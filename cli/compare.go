package cli

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/urfave/cli/v2"
)

// compareCommand is the command compare.
func compareCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "compare",
		Usage:     "test whether two systems of an experiment differ by more than chance",
		ArgsUsage: "FILE A B",
		Description: describe("A and B are rows of the table of results: a system, or a system with some of its "+
			"settings, SMLM-FT:lambda_eps=0.5,seed=2, in any letter case. Rows\n"+
			"that differ in the seed alone are compared as one. Paired bootstrap and approximate randomisation over "+
			"the test sentences,\n"+
			"of every metric that both have. Trains nothing.",
			"smlm-exp compare experiments/yelp.toml SMLM:lambda_eps=0.5 DirR",
			userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(
			&cli.StringSliceFlag{
				Name:  "metric",
				Usage: "`NAME` of a metric as in score --json, such as s_bleu; may be repeated (default: all)",
			},
			&cli.IntFlag{
				Name: "resamples", Usage: "`N` resamples", Value: 10_000,
				Action: func(_ *cli.Context, n int) error { return checkResamples(n) },
			},
			tableFormatFlag(),
		),
		Action: onStudy(func(c *cli.Context, s *Study) error { return compare(e, c, s) }),
	})
}

func compare(e *Env, c *cli.Context, s *Study) error {
	set, err := s.OneDataset()
	if err != nil {
		return err
	}
	found, err := e.Collect(s)
	if err != nil {
		return err
	}
	var pair [2][]int
	names := c.Args().Slice()[1:]
	for i, name := range names {
		if pair[i], err = found.Find(set, name); err != nil {
			return err
		}
	}
	if slices.Equal(pair[0], pair[1]) {
		return userr.New(userr.BadInput, "%q and %q are the same row: name two different ones", names[0], names[1])
	}
	rows, err := found.Compare(c.Context, pair[0], pair[1], c.Int("resamples"))
	if err != nil {
		return err
	}
	if wanted := c.StringSlice("metric"); len(wanted) > 0 {
		metrics := lists.Map(rows, func(r report.SignificanceRow) string { return r.Comparison.Metric })
		if err := Known("--metric", metrics, wanted...); err != nil {
			return err
		}
		rows = lists.Where(rows, func(r report.SignificanceRow) bool {
			return slices.Contains(wanted, r.Comparison.Metric)
		})
	}
	return found.Compared(rows).Write(e.Stdout, c.String("format"))
}
