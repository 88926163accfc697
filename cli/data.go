package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/cli/call"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/urfave/cli/v2"
)

func dataCommand(e *call.Env) *cli.Command {
	return call.Group(&cli.Command{
		Name: "data", Usage: "look at data sets, or write the demo one",
		Subcommands: []*cli.Command{dataReportCommand(e), dataDemoCommand(e)},
	})
}

func dataReportCommand(e *call.Env) *cli.Command {
	return call.Leaf(&cli.Command{
		Name:      "report",
		Usage:     "count a data set: sizes beside the paper's, repeats, leakage, lengths, unknown words",
		ArgsUsage: "FOLDER",
		Description: call.Describe("FOLDER holds {train,dev,test}.{0,1}.txt, one sentence a line, and may hold "+
			"reference.{0,1}.txt. The paper's counts\n"+
			"stand beside where the name begins with yelp, amazon, imdb or snli.",
			"smlm-exp data report ../data/yelp", userr.OK, userr.BadInput),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "demo", Usage: "the embedded corpus instead of a folder"},
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the data set (default: the folder's)"},
			&cli.StringSliceFlag{Name: "label", Usage: "`NAME` of a style; give it twice (default: 0 and 1)"},
			&cli.IntFlag{Name: "vocab", Usage: "the `N` most frequent training words count as known", Value: 25000},
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of a table"},
		},
		Action: func(c *cli.Context) error { return dataReport(e, c) },
	})
}

func dataReport(e *call.Env, c *cli.Context) error {
	set, err := reportedData(c)
	if err != nil {
		return err
	}
	counts := set.Report(c.Int("vocab"))
	if c.Bool("json") {
		return call.WriteJSON(e.Stdout, counts)
	}
	return report.Corpus(counts).Write(e.Stdout, "text")
}

// reportedData is the data set that data report is asked about.
func reportedData(c *cli.Context) (*corpus.Dataset, error) {
	arg := []string{"FOLDER"}
	if c.Bool("demo") {
		arg = nil
	}
	args, err := call.Arguments(c, arg...)
	if err != nil {
		return nil, err
	}
	if n := c.Int("vocab"); n < 1 {
		return nil, userr.New(userr.BadInput, "--vocab is %d and must be at least 1", n)
	}
	labels := c.StringSlice("label")
	if n := len(labels); n != 0 && n != 2 {
		return nil, userr.New(userr.BadInput,
			"--label is needed twice, for style 0 and then for style 1, and is given %d times", n)
	}
	if c.Bool("demo") {
		return corpus.Demo(), nil
	}
	name := c.String("name")
	if name == "" {
		abs, err := filepath.Abs(args[0])
		if err != nil {
			return nil, err
		}
		name = filepath.Base(abs)
	}
	return corpus.Load(args[0], name, labels)
}

func dataDemoCommand(e *call.Env) *cli.Command {
	return call.Leaf(&cli.Command{
		Name:      "demo",
		Usage:     "write the embedded demo corpus as files",
		ArgsUsage: "FOLDER",
		Description: call.Describe("FOLDER is made; if it is there it must be empty.",
			"smlm-exp data demo demo-corpus", userr.OK, userr.BadInput),
		Action: call.Taking(func(_ *cli.Context, args []string) error {
			if entries, err := os.ReadDir(args[0]); err == nil && len(entries) > 0 {
				return userr.New(userr.BadInput, "the folder %q is not empty: name another one", args[0])
			}
			d := corpus.Demo()
			if err := d.Save(args[0]); err != nil {
				return userr.New(userr.BadInput, "writing the demo corpus to %q: %w", args[0], err)
			}
			fmt.Fprintf(e.Stdout, "wrote %s: styles %s (0) and %s (1), %d training, %d dev, %d test sentences\n",
				args[0], d.Labels[0], d.Labels[1], d.Size(corpus.Train), d.Size(corpus.Dev), d.Size(corpus.Test))
			return nil
		}),
	})
}
