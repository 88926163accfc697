package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/corpus/intake"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/urfave/cli/v2"
)

// importOptions are the flags of data import.
type importOptions struct {
	labels              []string // empty: as given with the files, or sorted
	text, label, split  string   // columns of tables
	devShare, testShare float64
	seed                uint64
	column              int // of texts with tabs, 0: such are refused
}

func importCommand(e *env) *cli.Command {
	o := &importOptions{}
	return leaf(&cli.Command{
		Name:      "import",
		Usage:     "make a data set of text files, CSV, TSV, JSON lines or Parquet, gzipped too",
		ArgsUsage: "FOLDER INPUT...",
		Description: describe("An INPUT is LABEL=FILE, a text a line of one style, or a table FILE.csv, .tsv, .jsonl or "+
			".parquet with a column "+
			"of texts and one of labels. Texts are lower-cased and cut into words; repeats go, and so do sentences that "+
			"stand in several styles. Without --split-column a sentence's split depends on its words and the seed alone, so "+
			"no sentence is in two splits and more data move none. FOLDER must be new or empty; import.json there says "+
			"what was read.",
			"smlm-exp data import ../data/mine gloomy=bad.txt cheerful=good.txt",
			userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "label", Action: into(&o.labels), Usage: "`LABEL` as the files spell it; give it for each style, style 0 first " +
				"(default: as given with the files, or sorted)"},
			&cli.StringFlag{
				Name: "text-column", Usage: "`NAME` of the column of texts", DefaultText: "a usual one", Destination: &o.text,
			},
			&cli.StringFlag{
				Name: "label-column", Usage: "`NAME` of the column of labels", DefaultText: "a usual one", Destination: &o.label,
			},
			&cli.StringFlag{
				Name: "split-column", Usage: "`NAME` of a column of train, dev and test", DefaultText: "none",
				Destination: &o.split,
			},
			&cli.IntFlag{
				Name: "column", Usage: "`N` of the column to keep of text files that are tables with tabs", DefaultText: "none",
				Destination: &o.column, Action: func(_ *cli.Context, column int) error {
					if column < 1 {
						return userr.New(userr.BadInput, "--column is %d: give the number of a column, from 1 on", column)
					}
					return nil
				},
			},
			&cli.Float64Flag{Name: "dev", Usage: "`SHARE` of all sentences for dev", Value: .1, Destination: &o.devShare},
			&cli.Float64Flag{Name: "test", Usage: "`SHARE` of all sentences for test", Value: .1, Destination: &o.testShare},
			&cli.Uint64Flag{Name: "seed", Usage: "`N` by which splits are drawn", Value: 1, Destination: &o.seed},
		},
		Action: anyArguments(func(ctx context.Context, _ *cli.Command, args []string) error {
			return interrupted(importData(ctx, e, o, args), nothing)
		}),
	})
}

// imported is import.json.
type imported struct {
	Labels  corpus.Styles `json:"labels"`
	Sources []source      `json:"sources"`
	Dev     float64       `json:"dev"`
	Test    float64       `json:"test"`
	Seed    uint64        `json:"seed"`
	Column  int           `json:"column,omitempty"` // kept of texts with tabs
	Counts  intake.Counts `json:"counts"`
}

type source struct {
	Path   string `json:"path"`
	Label  string `json:"label,omitempty"`
	SHA256 string `json:"sha256"`
}

// importRecord is the file that says what was imported.
const importRecord = "import.json"

func importData(ctx context.Context, e *env, o *importOptions, args []string) error {
	if len(args) < 2 {
		return userr.New(userr.BadInput, "FOLDER and INPUT are needed: `smlm-exp data import FOLDER INPUT...`, see "+
			"`smlm-exp data import --help`")
	}
	dir := args[0]
	if err := emptyFolder(dir); err != nil {
		return err
	}
	sources, labels := o.sources(args[1:])
	if given := o.labels; len(given) > 0 {
		labels = given
	} else if len(labels) < 2 { // those of tables are to be found
		labels = nil
	}
	set, err := intake.New(intake.Options{
		Labels: labels, Dev: o.devShare, Test: o.testShare, Seed: o.seed,
	})
	if err != nil {
		return err
	}
	record := imported{Dev: set.Dev, Test: set.Test, Seed: set.Seed, Column: o.column}
	for _, s := range sources {
		var table *corpus.TableError
		if err := intake.Read(s, func(r intake.Row) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return set.Add(r)
		}); errors.As(err, &table) {
			return userr.New(userr.BadInput, "%w, or give --column %d", err, table.Column)
		} else if err != nil {
			return err
		}
		sum, err := files.SHA256(s.Path)
		if err != nil {
			return err
		}
		record.Sources = append(record.Sources, source{s.Path, s.Label, sum})
	}
	d, err := set.Dataset(nameOf(dir))
	if err != nil {
		return err
	}
	record.Labels, record.Counts = d.Labels, set.Counts
	if err := makeFolder(dir); err != nil {
		return err
	}
	if err := d.Save(dir); err != nil {
		return userr.New(userr.BadInput, "writing the data set to %q: %w", dir, err)
	}
	if err := files.Write(filepath.Join(dir, importRecord), func(w io.Writer) error {
		return writeJSON(w, record)
	}); err != nil {
		return err
	}
	say(e, dir, d, &set.Counts)
	return nil
}

// sources reads INPUTs. A file whose own name has a = is a file.
func (o *importOptions) sources(inputs []string) (sources []intake.Source, labels []string) {
	for _, input := range inputs {
		s := intake.Source{
			Path: input, Text: o.text, Labels: o.label, Split: o.split, Column: o.column,
		}
		if label, path, ok := strings.Cut(input, "="); ok {
			if _, err := os.Stat(input); err != nil {
				s.Label, s.Path = strings.TrimSpace(label), path
			}
		}
		if s.Label != "" && !slices.Contains(labels, s.Label) {
			labels = append(labels, s.Label)
		}
		sources = append(sources, s)
	}
	return sources, labels
}

// wrote says which data set is now in a folder.
func wrote(e *env, dir string, d *corpus.Dataset) {
	var styles []string
	for style, label := range d.Labels {
		styles = append(styles, fmt.Sprintf("%s (%d)", label, style))
	}
	last := len(styles) - 1
	styles = []string{strings.Join(styles[:last], ", "), styles[last]}
	fmt.Fprintf(e.stdout, "wrote %s: styles %s, %d training, %d dev, %d test sentences\n",
		dir, strings.Join(styles, " and "), d.Size(corpus.Train), d.Size(corpus.Dev), d.Size(corpus.Test))
}

// say prints what became of the rows and what to do next.
func say(e *env, dir string, d *corpus.Dataset, n *intake.Counts) {
	wrote(e, dir, d)
	if left := n.Rows - n.Taken; left > 0 {
		why := []string{}
		for _, of := range []struct {
			n    int
			what string
		}{
			{n.Repeats, "that repeat another of the style"},
			{n.Leaks, "that a later split has too"},
			{n.Refused, "that cannot be cut into words"},
			{left - n.Repeats - n.Leaks - n.Refused, "that stand in " + intake.Several(d.Labels) + " styles"},
		} {
			if of.n > 0 {
				why = append(why, fmt.Sprintf("%d %s", of.n, of.what))
			}
		}
		fmt.Fprintf(e.stdout, "left out %d of %s: %s\n", left, wording.Count(n.Rows, "row"), strings.Join(why, ", "))
	}
	for _, why := range n.FirstRefused {
		fmt.Fprintf(e.stderr, "smlm-exp: left out: %s\n", why)
	}
	if n.Lost > 0 {
		fmt.Fprintf(e.stderr, "smlm-exp: the character U+FFFD, which stands for letters that were lost when a file was "+
			"converted, is in %s: write the file again from its source\n", wording.Count(n.Lost, "text"))
	}
	fmt.Fprintf(e.stdout, "next: smlm-exp init %s\n", dir)
}

// nameOf is what a data set is called after its folder: "mine".
func nameOf(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Base(dir)
	}
	return filepath.Base(abs)
}

// labelsOf returns the labels of an imported data set, nil of others.
func labelsOf(dir string) []string {
	var record imported
	if files.ReadJSON(filepath.Join(dir, importRecord), &record) != nil {
		return nil
	}
	return record.Labels
}
