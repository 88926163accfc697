package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/urfave/cli/v2"
)

// maskCommand returns the group of commands for masks.
func maskCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "mask", Usage: "show which words carry the style of a sentence, and why they are masked",
		Subcommands: []*cli.Command{explainCommand(e)},
	})
}

// explainOptions holds the flags of `mask explain`.
type explainOptions struct {
	modelChoice // its fields "model", "decoding" and "to" are not used
	computing
	texts     []string
	from      string
	lambdaEps *float64 // nil means the policy of the experiment
	format    string
}

func explainCommand(e *env) *cli.Command {
	o := &explainOptions{}
	return leaf(&cli.Command{
		Name:      "explain",
		Usage:     "print the score of every word, the threshold, and what is masked",
		ArgsUsage: "[FILE...]",
		Description: describe("Reads one text per line from --text, files or standard input. Texts are lower-cased and cut into words, as `transfer` does.\n\nThe score of a word is "+
			"its share of the sentence's attribution. The policy surplus masks a word if its score is at "+
			"least (1 + lambda_eps) / n (the paper, eq. 1 and 2). The methods are those of "+
			"masking.methods whose Diversity-LSTM is trained in the workspace. The models are those that `transfer` uses; "+
			"choose others with --dataset, --variant and --set. --lambda-eps changes only the decision "+
			"and needs no training.",
			"smlm-exp mask explain --experiment experiments.toml \\\n    "+
				"--text 'The soup was cold.' --lambda-eps 0.2",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: experimentFlags(&o.file, append([]cli.Flag{
			experimentFlag(&o.experiment, defaultFile),
			packedFlag(&o.packed),
			&cli.StringSliceFlag{Name: "text", Usage: "`TEXT` to explain; may be repeated", Action: into(&o.texts)},
			&cli.StringFlag{
				Name: "from", Destination: &o.from,
				Usage: "`LABEL` of the sentences' style (default: the style that the Diversity-LSTM predicts " +
					"for each)",
			},
			&cli.Float64Flag{
				Name: "lambda-eps", DefaultText: "the experiment's policy",
				Usage: "mask every word whose score is at least (1 + `X`) / n, whatever policy the experiment has",
				Action: func(_ *cli.Context, x float64) error {
					o.lambdaEps = &x
					return nil
				},
			},
			variantFlag(&o.variant),
			&cli.StringFlag{
				Name: "format", Usage: "`FORMAT`: text, json (one object per line), latex", Value: "text",
				Destination: &o.format,
				Action: func(_ *cli.Context, format string) error {
					return known("--format", report.HeatmapFormats, format)
				},
			},
		}, o.computing.flags()...)...),
		Action: anyArguments(func(ctx context.Context, _ *cli.Command, files []string) error {
			return explain(ctx, e, o, files)
		}),
	})
}

func explain(ctx context.Context, e *env, o *explainOptions, files []string) error {
	x, err := newExplanation(o)
	if err != nil {
		return err
	}
	defer x.by.Close()
	reading, stop := context.WithCancel(ctx)
	defer stop()
	text, err := x.sentences(reading, e, o, files)
	if err != nil {
		return err
	}
	models, err := x.by.Open(ctx, e.backend)
	if err != nil {
		return err
	}
	defer models.Close()
	write, err := report.HeatmapWriter(e.data(), o.format, e.terminal)
	if err != nil {
		return err
	}
	err = text.each(ctx, func(batch []*corpus.Source) error { return x.print(ctx, models, batch, write) })
	if errors.Is(err, syscall.EPIPE) { // the program that reads the output has ended
		return nil
	}
	return err
}

// print explains the sentences of a batch, except empty lines.
func (x *explanation) print(
	ctx context.Context, models stages.ExplainSession, batch []*corpus.Source, write func(*report.Heatmap) error,
) error {
	full := wordsIn(fullOf(batch))
	if len(full) == 0 {
		return nil
	}
	found, err := models.Explain(ctx, full, x.from)
	if err != nil {
		return err
	}
	for i, words := range full {
		if err := write(x.by.Decide(words, &found[i])); err != nil {
			return err
		}
	}
	return nil
}

// explanation holds what the command `mask explain` needs.
type explanation struct {
	from int                 // style of the sentences; -1 means that the model predicts it
	by   *rewrite.Explaining // the models and the mask policy of each method
}

// newExplanation finds the models that --packed, or else the experiment, names.
func newExplanation(o *explainOptions) (x *explanation, err error) {
	x = &explanation{from: -1}
	var of *experiment.Experiment
	var name string
	if o.packed == "" {
		x.by, name, of, err = explainStudy(o)
	} else if p, wrong := openPacked(o.packed, o.given()); wrong == nil {
		x.by, name = p.Explaining(), p.Manifest.Name
	} else {
		err = wrong
	}
	if err != nil {
		return nil, err
	}
	if o.from != "" {
		x.from, err = rewrite.Style("--from", o.from, name, x.by.Labels)
	}
	if err == nil && o.lambdaEps != nil {
		err = x.by.SetLambdaEps("--lambda-eps", *o.lambdaEps)
	}
	if err != nil {
		x.by.Close()
		return nil, err
	}
	x.by.Request.Threads, x.by.Request.Devices = o.computing.of(of)
	return x, nil
}

// explainStudy finds the trained models of the experiment's methods in the workspace, and returns
// them with the name of their data set. It leaves out methods that are not trained.
func explainStudy(o *explainOptions) (by *rewrite.Explaining, dataset string, e *experiment.Experiment, err error) {
	s, err := openExperiment(o.experiment, o.file)
	if err != nil {
		return nil, "", nil, err
	}
	choice := rewrite.Choice{Plan: s.Plan, WS: s.Workspace, Variant: o.variant}
	point, ok, err := results.ChosenModel(s.Plan, s.Workspace, choice.Fits)
	if err == nil && !ok {
		point, err = choice.Point()
	}
	if err == nil {
		by, err = choice.Explain(point)
	}
	switch {
	case err != nil || len(by.Policies) > 0:
	case len(by.Missing) > 0:
		what := fmt.Sprintf("the stage %s of %s", by.Needs, strings.Join(by.Missing, ", "))
		err = rewrite.Unfinished(s.Workspace, s.Experiment, what, by.Needs)
	default:
		err = userr.New(userr.BadInput, `no method of masking.methods scores words: name one that does, such as `+
			`--set 'masking.methods=["explainable_attention"]'`)
	}
	return by, point.Dataset, s.Experiment, err
}

// sentences returns a reader of the sentences that --text gives or, without --text, of those in the
// files.
func (x *explanation) sentences(
	ctx context.Context, e *env, o *explainOptions, files []string,
) (*sentenceReader, error) {
	lines := o.texts
	if len(lines) > 0 && len(files) > 0 {
		return nil, userr.New(userr.BadInput, "--text cannot be used with files: leave one of them out")
	}
	if len(lines) == 0 {
		in, err := openInputs(files, e.stdin)
		if err != nil {
			return nil, err
		}
		return readSentences(ctx, in, x.by.Cutting()), nil
	}
	return readSentences(ctx, []lineInput{textInput(strings.Join(lines, "\n"))}, x.by.Cutting()), nil
}
