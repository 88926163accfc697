package cli

import (
	"cmp"
	"context"
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
	"text/tabwriter"
	"text/template"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics/naturalness"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/urfave/cli/v2"
)

// initOptions holds the flags of `init`.
type initOptions struct {
	output      string // "" means NAME.toml, where NAME is the folder's name
	naturalness string // file of unigram weights
	labels      []string
	pretrained  string // folder of a pretrained encoder; "" for none
}

func initCommand(e *env) *cli.Command {
	o := &initOptions{}
	return leaf(&cli.Command{
		Name:      "init",
		Usage:     "write a commented experiment file for a data set",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER contains {train,dev,test}.{0,1}.txt, as `data import` writes them, and "+
			"optionally reference.{0,1}.txt. The file has the profile \"fitted\": the training text decides the sizes of "+
			"models and the numbers of steps, and dev sentences decide lambda_eps, guided.style and style_cost.",
			"smlm-exp init ../data/mine --output mine.toml", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "output", Usage: "`FILE` to write, which must not exist", DefaultText: "the folder's name.toml",
				Destination: &o.output,
			},
			&cli.StringFlag{
				Name: "naturalness", Destination: &o.naturalness, Usage: "`FILE` of unigram weights, for " +
					"naturalness (default: train a classifier on the data, which needs 100 different sentences)",
			},
			&cli.StringSliceFlag{
				Name: "label", Usage: "`NAME` of a style; give it once for each style (default: as in " +
					"import.json, or 0 and 1)",
				Action: into(&o.labels),
			},
			&cli.StringFlag{
				Name: "pretrained", Usage: "`FOLDER` of a pretrained encoder from which SMLM starts " +
					"(docs/pretrained.md)",
				Destination: &o.pretrained,
			},
		},
		Action: action(func(_ context.Context, args []string) error { return initExperiment(e, o, args[0]) }),
	})
}

//go:embed init.toml
var initText string

var initTemplate = template.Must(template.New("init.toml").Parse(initText))

// starter has the values for the template init.toml.
type starter struct {
	Name, File, Dir  string
	Labels           corpus.Styles
	Naturalness      string // file of unigram weights
	References       string // the folder of human references, if there are several per sentence; otherwise ""
	Pretrained       string // the folder of the encoder from which SMLM starts; "" for none
	Train, Dev, Test int
}

func initExperiment(e *env, o *initOptions, dir string) error {
	labels := o.labels
	if len(labels) == 0 {
		labels = data.ImportedLabels(dir)
	}
	d, err := corpus.Load(dir, nameOf(dir), labels)
	if err != nil {
		return err
	}
	var encoder *folder.Folder
	if o.pretrained != "" {
		if encoder, err = folder.Open(o.pretrained); err != nil {
			return err
		}
	}
	if err := measurable(d, dir, o.naturalness); err != nil {
		return err
	}
	s := starter{
		Name: keyOf(d.Name), Labels: d.Labels,
		Train: d.Size(corpus.Train), Dev: d.Size(corpus.Dev), Test: d.Size(corpus.Test),
	}
	s.File = cmp.Or(o.output, s.Name+".toml")
	if _, err := os.Lstat(s.File); err == nil {
		return userr.New(userr.BadInput, "%q exists: name another file with --output", s.File)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return files.NotWritten(s.File, err)
	}
	if s.Dir, err = relative(s.File, dir); err != nil {
		return err
	}
	if encoder != nil {
		if s.Pretrained, err = relative(s.File, o.pretrained); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, setsFolder)); err == nil {
		s.References = s.Dir + "/" + setsFolder
	}
	if o.naturalness != "" {
		if s.Naturalness, err = relative(s.File, o.naturalness); err != nil {
			return err
		}
	}
	if err := files.Write(s.File, s.write); err != nil {
		return files.NotWritten(s.File, err)
	}
	fmt.Fprintf(e.stdout, "wrote %s for %s\n", s.File, wording.Count(s.Train, "training sentence"))
	if s.Train < results.FewSentences {
		fmt.Fprintf(e.stderr, "smlm-exp: %d training sentences are few: expect weak results that differ much "+
			"between seeds, and give %d or more if you can\n", s.Train, results.FewSentences)
	}
	if encoder != nil {
		if err := printCost(e, s.File, encoder); err != nil {
			return err
		}
	}
	if s.ManyStyles() {
		fmt.Fprintf(e.stdout, "there are %d styles: words are masked by integrated gradients (masking.methods), as "+
			"attention misses style words where there are more than two\n", d.Labels.N())
	}
	fmt.Fprintf(e.stdout, "next: %s, then %s\n", wording.Command("smlm-exp", "plan", wording.Path(s.File)),
		wording.Command("smlm-exp", "run", wording.Path(s.File)))
	return nil
}

// printCost prints how much time and memory SMLM's training from a pretrained encoder needs.
func printCost(e *env, file string, encoder *folder.Folder) error {
	study, err := experiment.Load(file, nil)
	if err != nil {
		return err
	}
	settings := study.Points()[0].Settings
	minutes, memory := study.Datasets[0].PretrainedCost(&settings.SMLM, settings.Vocab.Size, encoder.Config.SMLMShape)
	fmt.Fprintf(e.stdout, "SMLM starts from %q: on two cores, its training takes about %s and %s of memory\n",
		encoder.Dir, wording.Count(minutes, "minute"), wording.Bytes(int64(memory)))
	return nil
}

// ManyStyles reports whether there are more than two styles.
func (s *starter) ManyStyles() bool { return s.Labels.N() > 2 }

// write fills in the template init.toml. A tab precedes each comment in the template. The method
// replaces the tabs by spaces, so that the comments are aligned.
func (s *starter) write(w io.Writer) error {
	aligned := tabwriter.NewWriter(w, 0, 1, 1, ' ', 0)
	if err := initTemplate.Execute(aligned, s); err != nil {
		return err
	}
	return aligned.Flush()
}

// The function measurable finds early what would make `run` fail later, when naturalness is
// measured: weights that cannot be read or, without weights, too little data to train them.
func measurable(d *corpus.Dataset, dir, weights string) error {
	if weights != "" {
		if _, err := naturalness.Load(weights); err != nil {
			return userr.New(userr.BadInput, "--naturalness: %w", err)
		}
		return nil
	}
	if err := naturalness.Trainable(slices.Concat(d.Text[corpus.Train]...)); err != nil {
		return userr.New(userr.BadInput, "%q is too small for naturalness: %w; --naturalness FILE takes such "+
			"weights", dir, err)
	}
	return nil
}

// relative returns the path from the folder of an experiment file to dir. Paths in experiment files
// are relative to this folder.
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

// notKey matches characters that are not allowed in a bare TOML key or in the name of an
// experiment.
var notKey = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// keyOf turns a name into a bare TOML key.
func keyOf(name string) string {
	if key := strings.Trim(notKey.ReplaceAllString(name, "-"), "-"); key != "" {
		return key
	}
	return "mine"
}
