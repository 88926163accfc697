package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/corpus/intake"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/urfave/cli/v2"
)

// importOptions holds the flags of `data import`.
type importOptions struct {
	labels              []string // if empty, those in LABEL=FILE arguments; without any, those in the tables (sorted)
	text, label, split  string   // names of columns in tables
	source              string   // column with the sources, in tables of sources and rewrites; "" means no such tables
	rewrites            []string // columns with the rewrites, in the same tables
	words               string   // autoWords, characterWords or spaceWords
	devShare, testShare float64
	seed                uint64
}

func importCommand(e *env) *cli.Command {
	o := &importOptions{}
	return leaf(&cli.Command{
		Name:      "import",
		Usage:     "make a data set from text files, CSV, TSV or JSON; files may be gzipped",
		ArgsUsage: "FOLDER INPUT...",
		Description: describe("INPUT is LABEL=FILE, a text file of one style with one text per line, or a "+
			"table FILE.csv, .tsv, .json or .jsonl with a column of texts and one of labels. Texts are "+
			"lower-cased and cut into words. Repeated sentences, and sentences that occur in several styles, "+
			"are left out.\n\nWith --source-column and --rewrite-column, tables contain pairs: a source in "+
			"the style of the first --label and a human rewrite in that of the second. Pairs stay in one "+
			"split, and the rewrites of test sentences become references.\n\nWithout --split-column, a "+
			"sentence's split depends only on its words and the seed: no sentence is in two splits, and "+
			"adding data moves none. FOLDER must be new or empty. import.json in it records what was read.",
			"smlm-exp data import ../data/mine gloomy=bad.txt cheerful=good.txt",
			userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "label", Action: into(&o.labels), Usage: "`LABEL` as written in the " +
				"files; give it once for each style, style 0 first (default: as given with the files, or " +
				"sorted)"},
			&cli.StringFlag{
				Name: "text-column", Usage: "`NAME` of the column that contains texts", DefaultText: "a usual one", Destination: &o.text,
			},
			&cli.StringFlag{
				Name: "label-column", Usage: "`NAME` of the column that contains labels", DefaultText: "a usual one", Destination: &o.label,
			},
			&cli.StringFlag{
				Name: "source-column", Usage: "`NAME` of the column that contains the sources of pairs", DefaultText: "no pairs",
				Destination: &o.source,
			},
			&cli.StringSliceFlag{
				Name: "rewrite-column", Action: into(&o.rewrites),
				Usage: "`NAME` of a column that contains human rewrites of the sources; may be repeated",
			},
			&cli.StringFlag{
				Name: "split-column", Usage: "`NAME` of a column that contains train, dev or test", DefaultText: "none",
				Destination: &o.split,
			},
			wordsFlag(&o.words),
			&cli.Float64Flag{Name: "dev", Usage: "`SHARE` of all sentences that become dev sentences", Value: .1, Destination: &o.devShare},
			&cli.Float64Flag{Name: "test", Usage: "`SHARE` of all sentences that become test sentences", Value: .1, Destination: &o.testShare},
			&cli.Uint64Flag{Name: "seed", Usage: "seed `N` of the splits", Value: 1, Destination: &o.seed},
		},
		Action: anyArguments(func(ctx context.Context, _ *cli.Command, args []string) error {
			return interrupted(importData(ctx, e, o, args), nothing)
		}),
	})
}

// The type imported is the content of import.json.
type imported struct {
	Labels  corpus.Styles `json:"labels"`
	Sources []source      `json:"sources"`
	Dev     float64       `json:"dev"`
	Test    float64       `json:"test"`
	Seed    uint64        `json:"seed"`
	Pairs   *pairColumns  `json:"pairs,omitempty"`
	// Characters is set if texts in scripts without spaces were cut into single characters.
	Characters bool          `json:"characters,omitempty"`
	Counts     intake.Counts `json:"counts"`
}

// pairColumns names the columns of a table that contains pairs of a source and its rewrites.
type pairColumns struct {
	Source   string   `json:"source"`
	Rewrites []string `json:"rewrites"`
}

type source struct {
	Path   string `json:"path"`
	Label  string `json:"label,omitempty"`
	SHA256 string `json:"sha256"`
}

func importData(ctx context.Context, e *env, o *importOptions, args []string) error {
	if len(args) < 2 {
		return userr.New(userr.BadInput, "FOLDER and INPUT are missing: `smlm-exp data import FOLDER "+
			"INPUT...`, see `smlm-exp data import --help`")
	}
	dir := args[0]
	if err := files.EmptyFolder(dir); err != nil {
		return err
	}
	if err := o.checkPairs(); err != nil {
		return err
	}
	sources, labels := o.sources(args[1:])
	if given := o.labels; len(given) > 0 {
		labels = given
	} else if len(labels) < 2 { // the labels are in the tables, where package intake finds them
		labels = nil
	}
	var cutting corpus.Cutting
	switch o.words {
	case characterWords:
		cutting.Characters = true
	case autoWords:
		spacing := &corpus.Spacing{}
		for _, s := range sources {
			if err := intake.Read(s, func(r intake.Row) error {
				spacing.Add(r.Text)
				for _, rewrite := range r.Rewrites {
					spacing.Add(rewrite)
				}
				return ctx.Err()
			}); err != nil {
				return err
			}
		}
		cutting.Characters = spacing.Without()
	}
	set, err := intake.New(intake.Options{
		Labels: labels, Cutting: cutting, Dev: o.devShare, Test: o.testShare, Seed: o.seed,
	})
	if err != nil {
		return err
	}
	record := imported{Dev: set.Dev, Test: set.Test, Seed: set.Seed, Characters: cutting.Characters}
	if o.source != "" {
		record.Pairs = &pairColumns{o.source, o.rewrites}
	}
	for _, s := range sources {
		if err := intake.Read(s, func(r intake.Row) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return set.Add(r)
		}); err != nil {
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
	if len(set.References) > 0 {
		d.Refs = set.References[0]
	}
	err = files.WriteFolder(dir, func(apart string) error {
		err := d.Save(apart)
		if err == nil && len(set.References) > 1 {
			err = saveSets(filepath.Join(apart, setsFolder), d.Labels, set.References)
		}
		if err == nil {
			err = files.Write(filepath.Join(apart, data.ImportRecord), func(w io.Writer) error {
				return writeJSON(w, record)
			})
		}
		if err != nil {
			return userr.New(userr.BadInput, "writing the data set to %q: %w", dir, files.Cause(err))
		}
		return nil
	})
	if err != nil {
		return err
	}
	say(e, dir, d, set)
	return nil
}

// The values of --words.
const (
	autoWords      = "auto"
	characterWords = "characters"
	spaceWords     = "spaces"
)

// wordsFlag returns --words.
func wordsFlag(words *string) cli.Flag {
	return &cli.StringFlag{
		Name: "words", Value: autoWords, Destination: words,
		Usage: "`HOW` to cut scripts such as Chinese, Japanese and Thai: characters (each is a word), spaces " +
			"(cut at spaces) or auto (characters if such text has no spaces)",
		Action: func(_ *cli.Context, how string) error {
			return known("--words", []string{autoWords, characterWords, spaceWords}, how)
		},
	}
}

// checkPairs returns an error if the options for tables of sources and rewrites contradict other
// options or are incomplete.
func (o *importOptions) checkPairs() error {
	switch pairs := o.source != "" || len(o.rewrites) > 0; {
	case pairs && (o.source == "" || len(o.rewrites) == 0):
		return userr.New(userr.BadInput, "pairs need both --source-column and --rewrite-column: give both")
	case pairs && len(o.labels) < 2:
		return userr.New(userr.BadInput, "pairs need two labels: give --label for the sources, then --label "+
			"for the rewrites")
	case pairs && (o.text != "" || o.label != ""):
		return userr.New(userr.BadInput, "--text-column and --label-column are for tables with labels, "+
			"--source-column is for tables of pairs: import one of them as text files, LABEL=FILE")
	case pairs && len(lists.AddOnce([]string{o.source}, o.rewrites...)) <= len(o.rewrites):
		return userr.New(userr.BadInput, "--source-column and --rewrite-column name the same column twice: "+
			"name each once")
	}
	return nil
}

// setsFolder is the subfolder for human reference rewrites, if the data set has several per
// sentence.
const setsFolder = "references"

// saveSets writes sets of human reference rewrites to a folder. The key "references" of a data set
// in the experiment file accepts this folder.
func saveSets(dir string, styles corpus.Styles, sets [][][]corpus.Sentence) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for k, set := range sets {
		for way, references := range set {
			if references == nil {
				continue
			}
			name := fmt.Sprintf("set%d.%s.txt", k+1, styles.Mark(styles.Directions()[way]))
			if err := corpus.WriteLines(filepath.Join(dir, name), references); err != nil {
				return err
			}
		}
	}
	return nil
}

// sources parses the INPUT arguments, FILE or LABEL=FILE, and returns the labels in them. An INPUT
// that is the name of an existing file has no label, even if the name contains =.
func (o *importOptions) sources(inputs []string) (sources []intake.Source, labels []string) {
	for _, input := range inputs {
		s := intake.Source{
			Path: input, Text: cmp.Or(o.source, o.text), Labels: o.label, Split: o.split, Rewrites: o.rewrites,
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

// wrote prints a summary of the data set that was written to a folder.
func wrote(e *env, dir string, d *corpus.Dataset) {
	var styles []string
	for style, label := range d.Labels {
		styles = append(styles, fmt.Sprintf("%s (%d)", label, style))
	}
	last := len(styles) - 1
	styles = []string{strings.Join(styles[:last], ", "), styles[last]}
	fmt.Fprintf(e.stdout, "wrote %s: styles %s, %d training, %d dev, %s\n",
		dir, strings.Join(styles, " and "), d.Size(corpus.Train), d.Size(corpus.Dev),
		wording.Count(d.Size(corpus.Test), "test sentence"))
}

// say prints a summary of the import: the data set, what happened to the rows, and what to do next.
func say(e *env, dir string, d *corpus.Dataset, set *intake.Set) {
	wrote(e, dir, d)
	if sets := set.References; len(sets) > 0 {
		for way, direction := range d.Labels.Directions() {
			if n := len(sets[0][way]); n > 0 {
				fmt.Fprintf(e.stdout, "references: for %s, %s\n", wording.Count(n, "test sentence"), d.Labels.Name(direction))
			}
		}
		if len(sets) > 1 {
			fmt.Fprintf(e.stdout, "references: up to %d for a sentence, all sets in %s\n", len(sets), filepath.Join(dir, setsFolder))
		}
	}
	if n := set.Counts.Changed; n > 0 {
		fmt.Fprintf(e.stdout, "changed the characters of %s: letters have one Unicode form (NFC), and invisible characters are "+
			"gone\n", wording.Count(n, "row"))
	}
	if n := set.Counts; n.Taken < n.Rows {
		fmt.Fprintln(e.stdout, set.LeftOut())
	}
	if first := set.Counts.FirstRefused; first != "" {
		fmt.Fprintf(e.stderr, "smlm-exp: left out: %s\n", first)
	}
	if set.Cutting.Characters {
		fmt.Fprintln(e.stdout, "each character of a script without spaces is a word (--words spaces cuts at "+
			"spaces instead)")
	}
	fmt.Fprintf(e.stdout, "next: %s\n", wording.Command("smlm-exp", "init", wording.Path(dir)))
}

// nameOf returns the name of a data set, which is the last element of its folder's path.
func nameOf(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Base(dir)
	}
	return filepath.Base(abs)
}
