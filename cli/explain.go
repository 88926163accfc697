package cli

import (
	"context"
	"errors"
	"syscall"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/urfave/cli/v2"
)

// maskCommand is the group of commands about masks.
func maskCommand(e *Env) *cli.Command {
	return group(&cli.Command{
		Name: "mask", Usage: "say which words carry the style of a sentence, and why they are masked",
		Subcommands: []*cli.Command{explainCommand(e)},
	})
}

func explainCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "explain",
		Usage:     "print the score of every word by every method, the threshold, and what is masked",
		ArgsUsage: "[FILE...]",
		Description: describe("Reads one text a line from --text, the test set (--test), the files or standard input, "+
			"lower-cases it and\n"+
			"cuts it into words, as transfer does. A score is the word's share of its sentence's attribution; the policy\n"+
			"surplus masks it from (1 + lambda_eps) / n on (the paper, eq. 1 and 2). The methods are those whose Diversity-LSTM\n"+
			"is trained in the workspace, of the first point of the experiment unless --dataset, --variant and --set say\n"+
			"which. --lambda-eps changes the decision only, and needs no training.",
			"smlm-exp mask explain --experiment experiments.toml --text 'The soup was cold.' --lambda-eps 0.2",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: experimentFlags(
			experimentFlag(),
			packedFlag(),
			&cli.StringSliceFlag{Name: "text", Usage: "a sentence `TEXT`; may be repeated"},
			&cli.IntSliceFlag{
				Name: "test", Usage: "line `N` of the test sentences of the style --from, from 1 on; may be repeated",
			},
			&cli.StringFlag{
				Name: "from", Usage: "`LABEL` of the sentences' style (default: what the Diversity-LSTM takes each for)",
			},
			&cli.StringSliceFlag{
				Name: "method", Usage: "`NAME` of a method of masking.methods; may be repeated (default: all that are trained)",
			},
			&cli.Float64Flag{Name: "lambda-eps", Usage: "`X` in place of the file's lambda_eps, for every method"},
			variantFlag(),
			&cli.StringFlag{
				Name: "format", Usage: "`FORMAT`: text, json (an object a line), html, latex", Value: "text",
				Action: func(_ *cli.Context, format string) error {
					return Known("--format", report.HeatmapFormats, format)
				},
			},
			threadsFlag(),
			devicesFlag("the file's, or auto"),
		),
		Action: func(c *cli.Context) error { return explain(e, c) },
	})
}

func explain(e *Env, c *cli.Context) error {
	x, err := newExplanation(e, c)
	if err != nil {
		return err
	}
	if x.packed != nil {
		defer x.packed.Close()
	}
	torch, err := e.NeedTorch()
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(c.Context)
	defer stop()
	text, err := x.sentences(reading, e, c)
	if err != nil {
		return err
	}
	models, err := x.open(c.Context, torch)
	if err != nil {
		return err
	}
	defer models.Close()
	out, err := report.NewHeatmapWriter(e.Stdout, c.String("format"), e.Terminal)
	if err != nil {
		return err
	}
	err = text.Each(c.Context, func(batch []*corpus.Source) error { return x.print(c.Context, models, batch, out) })
	if err == nil {
		err = out.Close()
	}
	if errors.Is(err, syscall.EPIPE) { // nobody reads any more
		return nil
	}
	return err
}

// print explains a batch; an empty line has nothing to explain.
func (x *explanation) print(
	ctx context.Context, models stages.ExplainSession, batch []*corpus.Source, out *report.HeatmapWriter,
) error {
	full := Words(Full(batch))
	if len(full) == 0 {
		return nil
	}
	found, err := models.Explain(ctx, full, x.from)
	if err != nil {
		return err
	}
	for i, words := range full {
		if err := out.Write(x.by.Decide(words, x.labels, &found[i])); err != nil {
			return err
		}
	}
	return nil
}
