package cli

import (
	"context"
	"errors"
	"syscall"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/urfave/cli/v2"
)

// transferOptions are the flags of transfer.
type transferOptions struct {
	modelChoice
	computing
	tokens, explain, json bool
	candidates            int // 0: the output alone
}

func transferCommand(e *env) *cli.Command {
	o := &transferOptions{}
	return leaf(&cli.Command{
		Name:      "transfer",
		Usage:     "rewrite your own sentences in another style with trained models",
		ArgsUsage: "[FILE...]",
		Description: describe("Reads one text a line from the files or standard input, "+
			"cuts it into words in lower case, masks the "+
			"words that carry its style and fills the places in the style --to. "+
			"Prints one line for every line read, in "+
			"the same order, in the text's own spelling: copied words and signs as they were, new ones with a capital "+
			"where they begin a sentence, no spaces where there were none; text in the form of the corpora comes out in "+
			"that form, and --tokens writes it for any. An empty line stays empty. What was read is answered as soon as the models are free: a "+
			"terminal or a pipe at once, a file some thousand lines at a time, with no more than that in memory. "+
			"Where a line cannot be taken, those before it are answered first; "+
			"Ctrl-C leaves whole lines. When whoever "+
			"reads the output ends first, as `head` does, it ends too, in silence. The models are those of one point "+
			"of an experiment that has been run: the first, unless --dataset, --variant, --model and --set say which.",
			"echo 'The soup was cold.' |\n    smlm-exp transfer --experiment experiments.toml --to cheerful",
			userr.OK, userr.StageFailed, userr.BadInput, userr.NoTorch, userr.Interrupted),
		Flags: o.modelChoice.flags(append([]cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "`LABEL` of the style to write", Destination: &o.to},
			&cli.StringFlag{
				Name: "from", Usage: "`LABEL` of the style of the lines", Destination: &o.from,
				DefaultText: "the other one of two styles, else the one that the Diversity-LSTM takes each line for",
			},
			packedFlag(&o.packed),
			&cli.BoolFlag{
				Name: "tokens", Usage: "print words in the form of the corpora: lower case, a space between any two",
				Destination: &o.tokens,
			},
			&cli.BoolFlag{Name: "explain", Destination: &o.explain, Usage: "print for people which words were masked, what became of them, and how " +
				"sure the models were"},
			&cli.IntFlag{
				Name: "candidates", Destination: &o.candidates, Usage: "`N` outputs of each line, the one written first, then the best, and what speaks for each: tab-separated, or a " +
					"table with --explain",
				DefaultText: "the output alone",
				Action:      candidatesWithin,
			},
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print a JSON object a line: source, masked, output, from, to, where each word " +
				"comes from, text, unknown, candidates"},
		}, o.computing.flags()...)...),
		Action: anyArguments(func(ctx context.Context, _ *cli.Command, files []string) error {
			return transfer(ctx, e, o, files)
		}),
	})
}

// mostCandidates bounds the time of a sentence: four times as many are drawn.
const mostCandidates = 50

func candidatesWithin(_ *cli.Context, n int) error {
	if n < 1 || n > mostCandidates {
		return userr.New(userr.BadInput, "--candidates is %d and must be 1 to %d", n, mostCandidates)
	}
	return nil
}

func transfer(ctx context.Context, e *env, o *transferOptions, files []string) error {
	if o.to == "" {
		return userr.New(userr.BadInput,
			"--to LABEL is missing: the style to write, see `smlm-exp transfer --help`")
	}
	chosen, err := o.find(e, o.computing)
	if err != nil {
		return err
	}
	defer chosen.Close()
	request, labels := &chosen.Request, chosen.Labels
	request.Candidates, request.Why = o.candidates, o.json || o.explain
	in, err := openInputs(files, e.stdin)
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	text := readSentences(reading, in, chosen.Cutting()) // while the models are loaded
	models, err := chosen.Open(ctx, e.backend)
	if err != nil {
		return err
	}
	defer models.Close()
	out := e.data()
	if o.explain {
		out = e.painted()
	}
	lines, err := rewriteLines(ctx, models, text, printer{
		Writer: out, asJSON: o.json, tokens: o.tokens, explained: o.explain, several: o.candidates > 0,
		terminal: e.terminal, warn: unknownWords{&firstLines{w: e.stderr}},
		fewer: fewerCandidates{&firstLines{w: e.stderr}, o.candidates},
		from:  chosen.FromLabel, to: labels[request.To],
	})
	switch {
	case errors.Is(err, syscall.EPIPE): // nobody reads any more
		return nil
	case errors.Is(err, context.Canceled):
		return userr.New(userr.Interrupted, "interrupted after line %d: give the lines after it again", lines)
	}
	return err
}
