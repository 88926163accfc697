package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/urfave/cli/v2"
)

func (e *env) dataCommand() *cli.Command {
	return &cli.Command{
		Name: "data", Usage: "look at data sets, or write the demo one", CustomHelpTemplate: groupHelp, HideHelpCommand: true,
		Subcommands: []*cli.Command{e.dataReportCommand(), e.dataDemoCommand()},
	}
}

// reportOptions are the flags of data report.
type reportOptions struct {
	dir    string // "": the demo corpus
	name   string
	labels []string
	vocab  int
	json   bool
}

func (e *env) dataReportCommand() *cli.Command {
	return leaf(&cli.Command{
		Name:      "report",
		Usage:     "count a data set: sizes beside the paper's, repeats, leakage, lengths, unknown words",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER holds {train,dev,test}.{0,1}.txt, one sentence a line, and may hold reference.{0,1}.txt. The paper's counts\n"+
			"stand beside where the name begins with yelp, amazon, imdb or snli.",
			"smlm-exp data report ../data/yelp", userr.OK, userr.BadInput),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "demo", Usage: "the embedded corpus instead of a folder"},
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the data set (default: the folder's)"},
			&cli.StringSliceFlag{Name: "label", Usage: "`NAME` of a style; give it twice (default: 0 and 1)"},
			&cli.IntFlag{Name: "vocab", Usage: "the `N` most frequent training words count as known", Value: 25000},
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of a table"},
		},
		Action: func(c *cli.Context) error {
			o := reportOptions{name: c.String("name"), labels: c.StringSlice("label"), vocab: c.Int("vocab"), json: c.Bool("json")}
			names := []string{"FOLDER"}
			if c.Bool("demo") {
				names = nil
			}
			args, err := arguments(c, names...)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				o.dir = args[0]
			}
			return e.dataReport(o)
		},
	})
}

func (e *env) dataReport(o reportOptions) error {
	if o.vocab < 1 {
		return userr.New(userr.BadInput, "--vocab is %d and must be at least 1", o.vocab)
	}
	if n := len(o.labels); n != 0 && n != 2 {
		return userr.New(userr.BadInput, "--label is needed twice, for style 0 and then for style 1, and is given %d times", n)
	}
	set := corpus.Demo
	if o.dir != "" {
		if o.name == "" {
			abs, err := filepath.Abs(o.dir)
			if err != nil {
				return err
			}
			o.name = filepath.Base(abs)
		}
		loaded, err := corpus.Load(o.dir, o.name, o.labels)
		if err != nil {
			return err
		}
		set = func() *corpus.Dataset { return loaded }
	}
	r := set().Report(o.vocab)
	if o.json {
		return writeJSON(e.stdout, r)
	}
	return report.Corpus(r).Write(e.stdout, "text")
}

func (e *env) dataDemoCommand() *cli.Command {
	return leaf(&cli.Command{
		Name:        "demo",
		Usage:       "write the embedded demo corpus as files",
		ArgsUsage:   "FOLDER",
		Description: describe("FOLDER is made; if it is there it must be empty.", "smlm-exp data demo demo-corpus", userr.OK, userr.BadInput),
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "FOLDER")
			if err != nil {
				return err
			}
			if entries, err := os.ReadDir(args[0]); err == nil && len(entries) > 0 {
				return userr.New(userr.BadInput, "the folder %q is not empty: name another one", args[0])
			}
			d := corpus.Demo()
			if err := d.Save(args[0]); err != nil {
				return userr.New(userr.BadInput, "writing the demo corpus to %q: %w", args[0], err)
			}
			fmt.Fprintf(e.stdout, "wrote %s: styles %s (0) and %s (1), %d training, %d dev, %d test sentences\n",
				args[0], d.Labels[0], d.Labels[1], d.Size(corpus.Train), d.Size(corpus.Dev), d.Size(corpus.Test))
			return nil
		},
	})
}
