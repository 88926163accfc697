package cli

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/urfave/cli/v2"
)

func (e *env) compareCommand() *cli.Command {
	return leaf(&cli.Command{
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
		Action: onStudy(e.compare),
	})
}

func (e *env) compare(c *cli.Context, s *study) error {
	if sets := s.exp.Datasets; len(sets) > 1 {
		return userr.New(userr.BadInput, "--dataset is needed, of one data set: %s has %s and %d more", s.exp.File,
			sets[0].Name, len(sets)-1)
	}
	found, err := e.collect(s)
	if err != nil {
		return err
	}
	var pair [2][]int
	names := c.Args().Slice()[1:]
	for i, name := range names {
		if pair[i], err = found.Find(s.exp.Datasets[0].Name, name); err != nil {
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
		var metrics []string
		for _, r := range rows {
			metrics = append(metrics, r.Comparison.Metric)
		}
		if err := known("--metric", metrics, wanted...); err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(r report.SignificanceRow) bool {
			return !slices.Contains(wanted, r.Comparison.Metric)
		})
	}
	return report.Significance(rows, found.About).Write(e.stdout, c.String("format"))
}

// mostResamples bounds time and memory: more change no third digit of a p.
const mostResamples = 100_000

func checkResamples(n int) error {
	if n < 1 || n > mostResamples {
		return userr.New(userr.BadInput, "--resamples is %d and must be 1 to %d", n, mostResamples)
	}
	return nil
}
