package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// compareOptions are the arguments and flags of compare.
type compareOptions struct {
	a, b, dataset, format string
	metrics               []string
	resamples             int
}

func (e *env) compareCommand() *cli.Command {
	return leaf(&cli.Command{
		Name:      "compare",
		Usage:     "test whether two systems of an experiment differ by more than chance",
		ArgsUsage: "FILE A B",
		Description: describe("A and B are rows of the table of results: a system, or a system with some of its settings, SMLM-FT:lambda_eps=0.5,seed=2. Paired\n"+
			"bootstrap and approximate randomisation over the test sentences, of every metric that both have. Trains nothing.",
			"smlm-exp compare experiments/yelp.toml SMLM:lambda_eps=0.5 DirR", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: experimentFlags(
			&cli.StringFlag{Name: "dataset", Usage: "`NAME` of the data set, where there are several"},
			&cli.StringSliceFlag{Name: "metric", Usage: "`NAME` of a metric as in score --json, such as s_bleu; may be repeated (default: all)"},
			&cli.IntFlag{Name: "resamples", Usage: "`N` resamples", Value: 10_000},
			&cli.StringFlag{Name: "format", Usage: tableFormats, Value: "text"},
		),
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "FILE", "A", "B")
			if err != nil {
				return err
			}
			s, err := openStudy(c, args[0])
			if err != nil {
				return err
			}
			return e.compare(c.Context, s, compareOptions{
				a: args[1], b: args[2], dataset: c.String("dataset"), metrics: c.StringSlice("metric"),
				resamples: c.Int("resamples"), format: c.String("format"),
			})
		},
	})
}

func (e *env) compare(ctx context.Context, s *study, o compareOptions) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if err := checkResamples(o.resamples); err != nil {
		return err
	}
	if names := datasetNames(s.exp); o.dataset == "" && len(names) > 1 {
		return userr.New(userr.BadInput, "--dataset is needed: %s has the data sets %s", s.exp.Path, strings.Join(names, ", "))
	} else if o.dataset != "" && !slices.Contains(names, o.dataset) {
		return unknownName("--dataset", o.dataset, names)
	}
	found, err := results.Collect(s.plan, s.ws)
	if err != nil {
		return err
	}
	a, err := found.Find(o.dataset, o.a)
	if err != nil {
		return err
	}
	b, err := found.Find(o.dataset, o.b)
	if err != nil {
		return err
	}
	if a == b {
		return userr.New(userr.BadInput, "%q and %q are the same row: name two different ones", o.a, o.b)
	}
	rows, err := found.Compare(ctx, a, b, o.resamples)
	if err != nil {
		return err
	}
	var known []string
	for _, r := range rows {
		known = append(known, r.Comparison.Metric)
	}
	for _, name := range o.metrics {
		if !slices.Contains(known, name) {
			return unknownName("--metric", name, known)
		}
	}
	if len(o.metrics) > 0 {
		rows = slices.DeleteFunc(rows, func(r report.SignificanceRow) bool { return !slices.Contains(o.metrics, r.Comparison.Metric) })
	}
	return report.Significance(rows, found.About).Write(e.stdout, o.format)
}

// mostResamples bounds time and memory: more change no third digit of a p.
const mostResamples = 100_000

func checkResamples(n int) error {
	if n < 1 || n > mostResamples {
		return userr.New(userr.BadInput, "--resamples is %d and must be 1 to %d", n, mostResamples)
	}
	return nil
}

func datasetNames(exp *experiment.Experiment) []string {
	names := make([]string, len(exp.Datasets))
	for i := range exp.Datasets {
		names[i] = exp.Datasets[i].Name
	}
	return names
}
