package cli

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs"
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
			"bootstrap and approximate randomisation over the test sentences, of every metric that both have, with Holm's correction.\n"+
			"Trains nothing.",
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
			return e.compare(s, compareOptions{
				a: args[1], b: args[2], dataset: c.String("dataset"), metrics: c.StringSlice("metric"),
				resamples: c.Int("resamples"), format: c.String("format"),
			})
		},
	})
}

func (e *env) compare(s *study, o compareOptions) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if o.resamples < 1 {
		return userr.New(userr.BadInput, "--resamples is %d and must be at least 1", o.resamples)
	}
	if names := datasetNames(s.exp); o.dataset == "" && len(names) > 1 {
		return userr.New(userr.BadInput, "--dataset is needed: %s has several data sets", s.exp.Path)
	} else if o.dataset != "" && !slices.Contains(names, o.dataset) {
		return unknownName("--dataset", o.dataset, names)
	}
	results, err := runs.Collect(s.plan, s.ws)
	if err != nil {
		return err
	}
	a, err := results.Find(o.dataset, o.a)
	if err != nil {
		return err
	}
	b, err := results.Find(o.dataset, o.b)
	if err != nil {
		return err
	}
	rows, err := results.Compare(a, b, o.resamples)
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
	return report.Significance(rows, results.About).Write(e.stdout, o.format)
}

func datasetNames(exp *runs.Experiment) []string {
	names := make([]string, len(exp.Datasets))
	for i := range exp.Datasets {
		names[i] = exp.Datasets[i].Name
	}
	return names
}
