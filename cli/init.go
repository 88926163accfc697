package cli

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/urfave/cli/v2"
)

// initCommand is the command init.
func initCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "init",
		Usage:     "write a commented experiment file that fits a data set",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER holds {train,dev,test}.{0,1}.txt, as `data import` writes them, and may hold "+
			"reference.{0,1}.txt. Sizes and\n"+
			"steps are chosen by the number of training sentences; how many steps an epoch has is said.",
			"smlm-exp init ../data/mine --output mine.toml", userr.OK, userr.BadInput),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "output", Usage: "`FILE` to write, which must be new", DefaultText: "the folder's name.toml",
			},
			&cli.StringSliceFlag{
				Name: "naturalness", Usage: "`FILE` of unigram weights, for naturalness; may be given more than once, the first " +
					"is part of Mean (default: a classifier trained on the data, of 100 different sentences or more)",
			},
			&cli.StringSliceFlag{
				Name: "label", Usage: "`NAME` of a style; give it twice (default: import.json's, or 0 and 1)",
			},
		},
		Action: taking(func(c *cli.Context, args []string) error { return initExperiment(e, c, args[0]) }),
	})
}

//go:embed init.toml
var initText string

var initTemplate = template.Must(template.New("init.toml").Parse(initText))

// starter is what init.toml is filled in with.
type starter struct {
	Name, File, Dir         string
	Labels                  [2]string
	Naturalness             []string // weights files
	HasRefs                 bool
	Train, Dev, Test, Words int
	fit
}

func initExperiment(e *Env, c *cli.Context, dir string) error {
	labels := c.StringSlice("label")
	if len(labels) == 0 {
		labels = labelsOf(dir)
	}
	d, err := corpus.Load(dir, nameOf(dir), labels)
	if err != nil {
		return err
	}
	weights := c.StringSlice("naturalness")
	if err := measurable(d, dir, weights); err != nil {
		return err
	}
	s := starter{
		Name: keyOf(d.Name), Labels: d.Labels, HasRefs: d.HasRefs(),
		Train: d.Size(corpus.Train), Dev: d.Size(corpus.Dev), Test: d.Size(corpus.Test),
		fit: fitFor(d.Size(corpus.Train)),
	}
	s.File = cmp.Or(c.String("output"), s.Name+".toml")
	if _, err := os.Lstat(s.File); err == nil {
		return userr.New(userr.BadInput, "%q is there already: name another file with --output", s.File)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return userr.New(userr.BadInput, "--output: %w", err)
	}
	if s.Dir, err = relative(s.File, dir); err != nil {
		return err
	}
	for _, f := range weights {
		if f, err = relative(s.File, f); err != nil {
			return err
		}
		s.Naturalness = append(s.Naturalness, f)
	}
	var lengths []int
	for _, text := range d.Text[corpus.Train] {
		for _, words := range text {
			lengths = append(lengths, len(words))
			s.Words += len(words)
		}
	}
	s.stretch(lengths)
	if err := files.Write(s.File, func(w io.Writer) error { return initTemplate.Execute(w, s) }); err != nil {
		return files.Explain("--output", s.File, err)
	}
	fmt.Fprintf(e.Stdout, "wrote %s: %d training sentences of %d words, %d steps an epoch, %d epochs of SMLM\n",
		s.File, s.Train, s.Words, s.Steps, s.Epochs)
	if s.Train < fewSentences {
		fmt.Fprintf(e.Stderr, "smlm-exp: %d training sentences are few: expect weak results that differ much between seeds, "+
			"and give %d or more where you can\n", s.Train, fewSentences)
	}
	fmt.Fprintf(e.Stdout, "next: smlm-exp plan %s, then smlm-exp run %s\n", s.File, s.File)
	return nil
}

// measurable refuses what `run` would refuse, which is not worth a file: naturalness is measured by
// weights of another source or trained on the data, which must be enough for it.
func measurable(d *corpus.Dataset, dir string, weights []string) error {
	for _, f := range weights {
		if _, err := naturalness.Load(f); err != nil {
			return userr.New(userr.BadInput, "--naturalness: %w", err)
		}
	}
	if len(weights) > 0 {
		return nil
	}
	if err := naturalness.Trainable(slices.Concat(d.Text[corpus.Train][:]...)); err != nil {
		return userr.New(userr.BadInput, "%q is too small to be measured: %w, which --naturalness FILE writes", dir, err)
	}
	return nil
}

// relative is a file or folder as seen from the folder of a file, where an experiment file's paths
// begin.
func relative(file, dir string) (string, error) {
	from, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// notKey is what a bare key of TOML and the name of an experiment may not have.
var notKey = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// keyOf makes a name that is a bare key of TOML.
func keyOf(name string) string {
	if key := strings.Trim(notKey.ReplaceAllString(name, "-"), "-"); key != "" {
		return key
	}
	return "mine"
}
