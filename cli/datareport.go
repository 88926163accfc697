// Package data has the commands about data sets: looking at one, making one of files as people have
// them, and beginning an experiment with it.
package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/urfave/cli/v2"
)

// dataCommand is the group of commands about data sets.
func dataCommand(e *Env) *cli.Command {
	return group(&cli.Command{
		Name: "data", Usage: "look at data sets, make one of your files, fetch one, or write the demo one",
		Subcommands: []*cli.Command{dataReportCommand(e), importCommand(e), fetchCommand(e), demoCommand(e)},
	})
}

func dataReportCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "report",
		Usage:     "count a data set: sizes beside the paper's, repeats, leakage, lengths, unknown words",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER holds {train,dev,test}.{0,1}.txt, one sentence a line, and may hold "+
			"reference.{0,1}.txt. The paper's counts\n"+
			"stand beside where the name begins with yelp, amazon, imdb or snli.",
			"smlm-exp data report ../data/yelp", userr.OK, userr.BadInput),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "demo", Usage: "the embedded corpus instead of a folder"},
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the data set (default: the folder's)"},
			&cli.StringSliceFlag{Name: "label", Usage: "`NAME` of a style; give it twice (default: import.json's, or 0 and 1)"},
			&cli.IntFlag{Name: "vocab", Usage: "the `N` most frequent training words count as known", Value: 25000},
			&cli.BoolFlag{Name: "train-extra", Usage: "count train_extra.{0,1}.txt among the training sentences, as train_extra = true does"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of a table"},
		},
		Action: func(c *cli.Context) error { return reportOn(e, c) },
	})
}

func reportOn(e *Env, c *cli.Context) error {
	set, err := reportedData(c)
	if err != nil {
		return err
	}
	counts := set.Report(c.Int("vocab"))
	if c.Bool("json") {
		return writeJSON(e.Stdout, counts)
	}
	return report.Corpus(counts).Write(e.Stdout, "text")
}

// reportedData is the data set that data report is asked about.
func reportedData(c *cli.Context) (*corpus.Dataset, error) {
	arg := []string{"FOLDER"}
	if c.Bool("demo") {
		arg = nil
	}
	args, err := Arguments(c, arg...)
	if err != nil {
		return nil, err
	}
	if n := c.Int("vocab"); n < 1 {
		return nil, userr.New(userr.BadInput, "--vocab is %d and must be at least 1", n)
	}
	labels := c.StringSlice("label")
	if n := len(labels); n != 0 && n != 2 {
		return nil, userr.New(userr.BadInput,
			"--label is needed twice, for style 0 and then for style 1, and is given %s", wording.Count(n, "time"))
	}
	if c.Bool("demo") {
		if c.Bool("train-extra") {
			return nil, userr.New(userr.BadInput, "--train-extra is for a folder, and --demo has none: leave one of them out")
		}
		return corpus.Demo(), nil
	}
	switch info, err := os.Stat(args[0]); { // a data set of a file has the key dir, and this has none
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(userr.BadInput, "there is no folder %q: give the one with {train,dev,test}.{0,1}.txt", args[0])
	case err == nil && !info.IsDir():
		return nil, userr.New(userr.BadInput, "%q is a file: give the folder with {train,dev,test}.{0,1}.txt", args[0])
	}
	if len(labels) == 0 {
		labels = labelsOf(args[0])
	}
	set, err := corpus.Load(args[0], cmp.Or(c.String("name"), nameOf(args[0])), labels)
	if err != nil || !c.Bool("train-extra") {
		return set, err
	}
	extra, err := corpus.ReadExtra(args[0])
	set.AddExtra(extra)
	return set, err
}
