package cli

import (
	"context"
	"errors"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// transferOptions holds the flags of `transfer`.
type transferOptions struct {
	modelChoice
	computing
	tokens, explain, json bool
	candidates            int // number of candidates to print per line; 0 means that only the output is printed
}

func transferCommand(e *env) *cli.Command {
	o := &transferOptions{}
	return leaf(&cli.Command{
		Name:      "transfer",
		Usage:     "rewrite your own sentences in another style with trained models",
		ArgsUsage: "[FILE...]",
		Description: describe("Reads one text per line from the files or standard input, masks the words that "+
			"carry its style, and writes others in the style --to. Prints one line for every line, in the "+
			"same order; an empty line stays empty.\n\nOutputs keep the spelling and capitals of the "+
			"text. New words get a capital at the beginning of a sentence. Texts that look like the corpora "+
			"(lower case, words separated by spaces) are answered in that form; --tokens writes every output "+
			"so.\n\nThe models are those of an experiment whose dev outputs were best; choose among others "+
			"with --dataset, --variant, --model, --decoding and --set.\n\nLines from a terminal or a pipe are answered at "+
			"once. Files are read some thousand lines at a time, to save memory. If a line is refused, the "+
			"lines before it are answered first. Ctrl-C never leaves half a line. If the reader of the output "+
			"stops early, as `head` does, `transfer` stops without a message.",
			"echo 'The soup was cold.' |\n    smlm-exp transfer --experiment experiments.toml --to cheerful",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: o.modelChoice.flags(append([]cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "`LABEL` of the style to write", Destination: &o.to},
			&cli.StringFlag{
				Name: "from", Destination: &o.from, Usage: "`LABEL` of the style of the lines",
				DefaultText: "the other one of two styles; of more, the one that the Diversity-LSTM predicts " +
					"for each line",
			},
			packedFlag(&o.packed),
			&cli.BoolFlag{
				Name: "tokens", Usage: "print words in the form of the corpora: lower case, separated by " +
					"spaces",
				Destination: &o.tokens,
			},
			&cli.BoolFlag{Name: "explain", Destination: &o.explain, Usage: "print a readable report: which " +
				"words were masked, what replaced them, and how sure the models were"},
			&cli.IntFlag{
				Name: "candidates", Destination: &o.candidates, Usage: "`N` guided outputs for each line, with " +
					"scores: the one that is written first, then the best others; tab-separated, or a table " +
					"with --explain",
				DefaultText: "only the output",
				Action:      candidatesWithin,
			},
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print one JSON object per line, with all " +
				"that --explain shows: source, masked, output, from, to, where each word comes from, text, unknown, " +
				"candidates"},
		}, o.computing.flags()...)...),
		Action: anyArguments(func(ctx context.Context, _ *cli.Command, files []string) error {
			return transfer(ctx, e, o, files)
		}),
	})
}

// maxCandidates is the largest number of candidates that a user may request.
const maxCandidates = 50

func candidatesWithin(_ *cli.Context, n int) error {
	if n < 1 || n > maxCandidates {
		return userr.New(userr.BadInput, "--candidates is %d, but must be from 1 to %d", n, maxCandidates)
	}
	return nil
}

func transfer(ctx context.Context, e *env, o *transferOptions, files []string) error {
	if o.to == "" {
		return userr.New(userr.BadInput,
			"--to LABEL is missing: name the style to write, see `smlm-exp transfer --help`")
	}
	chosen, err := o.find(e, o.computing)
	if err != nil {
		return err
	}
	defer chosen.Close()
	request, labels := &chosen.Request, chosen.Labels
	request.Candidates = o.candidates
	in, err := openInputs(files, e.stdin)
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	text := readSentences(reading, in, chosen.Cutting()) // reads while the models are loaded
	models, err := chosen.Open(ctx, e.backend)
	if err != nil {
		return err
	}
	defer models.Close()
	out := e.stdout
	if !o.explain {
		out = e.data()
	}
	lines, err := rewriteLines(ctx, models, text, printer{
		Writer: out, asJSON: o.json, tokens: o.tokens, explained: o.explain, several: o.candidates > 0,
		warn: &unknownWords{w: e.stderr},
		from: chosen.FromLabel, to: labels[request.To],
	})
	switch {
	case errors.Is(err, syscall.EPIPE): // the program that reads the output has ended
		return nil
	case errors.Is(err, context.Canceled):
		return userr.New(userr.Interrupted, "interrupted after line %d: give the lines after it again", lines)
	}
	return err
}
