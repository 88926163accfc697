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
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/urfave/cli/v2"
)

// initOptions holds the flags of `init`.
type initOptions struct {
	output      string   // "" means NAME.toml, where NAME is the folder's name
	naturalness []string // files of unigram weights
	labels      []string
}

func initCommand(e *env) *cli.Command {
	o := &initOptions{}
	return leaf(&cli.Command{
		Name:      "init",
		Usage:     "write a commented experiment file for a data set",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER contains {train,dev,test}.{0,1}.txt, as `data import` writes them, and "+
			"optionally reference.{0,1}.txt. The number of training sentences decides the sizes of models and "+
			"the number of steps, which are printed.",
			"smlm-exp init ../data/mine --output mine.toml", userr.OK, userr.StageFailed, userr.BadInput),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "output", Usage: "`FILE` to write, which must not exist", DefaultText: "the folder's name.toml",
				Destination: &o.output,
			},
			&cli.StringSliceFlag{
				Name: "naturalness", Action: into(&o.naturalness), Usage: "`FILE` of unigram weights, for " +
					"naturalness; may be repeated, the first is part of Mean (default: train a classifier on " +
					"the data, which needs 100 different sentences)",
			},
			&cli.StringSliceFlag{
				Name: "label", Usage: "`NAME` of a style; give it once for each style (default: as in " +
					"import.json, or 0 and 1)",
				Action: into(&o.labels),
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
	Name, File, Dir         string
	Labels                  corpus.Styles
	Naturalness             []string // files of unigram weights
	HasRefs                 bool
	References              string // the folder of reference sets; "" unless there are several sets
	Train, Dev, Test, Words int
	// Decided is set if the data are one-sided: one style has no words of its own. It says for each
	// style in what share of the sentences a single word decides the style.
	Decided string
	// Unknown is set if Vocab was enlarged. It says how many of the dev words would otherwise be
	// unknown.
	Unknown string
	fit
}

func initExperiment(e *env, o *initOptions, dir string) error {
	labels := o.labels
	if len(labels) == 0 {
		labels = labelsOf(dir)
	}
	d, err := corpus.Load(dir, nameOf(dir), labels)
	if err != nil {
		return err
	}
	weights := o.naturalness
	if err := measurable(d, dir, weights); err != nil {
		return err
	}
	s := starter{
		Name: keyOf(d.Name), Labels: d.Labels, HasRefs: d.HasRefs(),
		Train: d.Size(corpus.Train), Dev: d.Size(corpus.Dev), Test: d.Size(corpus.Test),
		fit: fitFor(d.Size(corpus.Train)),
	}
	s.File = cmp.Or(o.output, s.Name+".toml")
	if _, err := os.Lstat(s.File); err == nil {
		return userr.New(userr.BadInput, "%q exists: name another file with --output", s.File)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return userr.New(userr.BadInput, "--output: %w", err)
	}
	if s.Dir, err = relative(s.File, dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, setsFolder)); err == nil {
		s.References = s.Dir + "/" + setsFolder
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
	s.widen(d)
	if silent, decided := stages.Silent(d, s.Vocab); len(silent) > 0 {
		s.Bidirectional, s.LambdaCon, s.Decided = true, "0.5", shares(d.Labels, decided)
	}
	if s.ManyStyles() {
		s.Bidirectional, s.LambdaCon = true, "0"
	}
	if err := files.Write(s.File, s.write); err != nil {
		return files.Explain("--output", s.File, err)
	}
	fmt.Fprintf(e.stdout, "wrote %s: %s of %s, %s an epoch, %s of SMLM\n", s.File,
		wording.Count(s.Train, "training sentence"), wording.Count(s.Words, "word"), wording.Count(s.Steps, "step"),
		wording.Count(s.Epochs, "epoch"))
	if s.Train < fewSentences {
		fmt.Fprintf(e.stderr, "smlm-exp: %d training sentences are few: expect weak results that differ much "+
			"between seeds, and give %d or more if you can\n", s.Train, fewSentences)
	}
	if s.Decided != "" {
		fmt.Fprintf(e.stdout, "the styles are one-sided (one word decides %s): the file reads both ways "+
			"(divlstm.bidirectional)\n", s.Decided)
	}
	if s.ManyStyles() {
		fmt.Fprintf(e.stdout, "there are %d styles: the file masks by integrated gradients (masking.methods), as "+
			"attention misses style words where there are more than two\n", d.Labels.N())
	}
	fmt.Fprintf(e.stdout, "next: %s, then %s\n", wording.Command("smlm-exp", "plan", s.File),
		wording.Command("smlm-exp", "run", s.File))
	return nil
}

// ManyStyles reports whether there are more than two styles. Then attention does not find the style
// words, and the file uses another method.
func (s *starter) ManyStyles() bool { return s.Labels.N() > 2 }

// write fills in init.toml. In the template, a tab precedes each comment. write replaces the tabs
// by spaces that align the comments.
func (s *starter) write(w io.Writer) error {
	aligned := tabwriter.NewWriter(w, 0, 1, 1, ' ', 0)
	if err := initTemplate.Execute(aligned, s); err != nil {
		return err
	}
	return aligned.Flush()
}

// measurable checks early what would make `run` fail later. It returns an error if the weights for
// naturalness cannot be read. Without weights, it returns an error if there is too little data to
// train them.
func measurable(d *corpus.Dataset, dir string, weights []string) error {
	for _, f := range weights {
		if _, err := naturalness.Load(f); err != nil {
			return userr.New(userr.BadInput, "--naturalness: %w", err)
		}
	}
	if len(weights) > 0 {
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

// fit holds the settings that suit the number of training sentences. They were found by training on
// data sets of different sizes: docs/decisions/025-starter.md.
type fit struct {
	Vocab, Dim, FF, Hidden, Epochs, BatchTokens, Warmup, JudgeEpochs int
	LR                                                               string
	Decay                                                            string // SMLM's key "decay"; "" omits the key
	LambdaCon                                                        string // lambda_con of the Diversity-LSTM
	AttentionTokens                                                  int    // words per batch of the Diversity-LSTM

	AttentionEpochs, GuideEpochs, SelectorEpochs int // minimum numbers of epochs; stretch may raise them
	SMLMTokens, Steps                            int // SMLM's words per batch and steps per epoch

	Bidirectional bool // for the Diversity-LSTM; set for one-sided styles and for more than two styles
}

// maxSMLMTokens is the maximum number of words in SMLM's batches. With larger batches, SMLM learns
// less in few epochs.
const maxSMLMTokens = 1000

// minSteps is the approximate minimum number of steps per epoch. For small data sets, batches are
// made smaller to reach this number.
const minSteps = 100

// These are the minimum numbers of steps of a training run, even for few sentences. Measured on 483
// sentences: the Diversity-LSTM had chance accuracy after 190 steps, with three restarts, and 100 %
// after 1,026. The guide had chance accuracy after 57 steps and 100 % after 285. The selector reads
// one sentence per step. After 2,415 steps, its log odds, by which attention is judged, were still
// near 0.
const (
	attentionSteps = 1000
	smlmSteps      = 1000
	judgeSteps     = 500
	guideSteps     = 300
	selectorSteps  = 20_000
)

// fewSentences is roughly the number of training sentences below which results are not worth
// comparing.
const fewSentences = 2000

func fitFor(sentences int) fit {
	switch {
	case sentences < 12_000:
		return fit{5000, 64, 128, 64, 10, 1000, 100, 5, "2e-3", "", "0.5", 150, 5, 1, 5, 0, 0, false}
	case sentences < 60_000:
		return fit{12_000, 256, 1024, 128, 8, 750, 500, 5, "5e-4", "", "0.1", 3000, 5, 1, 5, 0, 0, false}
	default:
		return fit{25_000, 256, 1024, 128, 5, 3000, 200, 2, "1e-3", "0.5", "0.5", 3000, 2, 1, 5, 0, 0, false}
	}
}

// stretch makes batches smaller and adds epochs if training would otherwise have too few steps.
// lengths are the lengths of the training sentences.
func (f *fit) stretch(lengths []int) {
	words := 0
	for _, n := range lengths {
		words += n
	}
	f.BatchTokens = max(100, min(f.BatchTokens, words/minSteps))
	f.SMLMTokens = min(f.BatchTokens, maxSMLMTokens)
	f.Steps = len(corpus.Batches(lengths, f.SMLMTokens, 1, 0))
	judge := len(corpus.Batches(lengths, f.BatchTokens, 1, 0))
	attention := len(corpus.Batches(lengths, f.AttentionTokens, 1, 0))
	for _, training := range []struct {
		epochs         *int
		steps, atLeast int
	}{
		{&f.Epochs, f.Steps, smlmSteps},
		{&f.JudgeEpochs, judge, judgeSteps},
		{&f.AttentionEpochs, attention, attentionSteps},
		{&f.GuideEpochs, judge, guideSteps},
		{&f.SelectorEpochs, len(lengths), selectorSteps},
	} {
		*training.epochs = max(*training.epochs, (training.atLeast+training.steps-1)/training.steps)
	}
}

// If more than maxUnknown of the dev words are not in the vocabulary, as in an inflected language,
// init raises the vocabulary to maxVocab words. Then fewer masked words are unknown:
// docs/decisions/025-starter.md.
const (
	maxUnknown = 0.1
	maxVocab   = 25_000
)

// widen enlarges the vocabulary if too many dev words are unknown and if the larger vocabulary
// contains more of the dev words.
func (s *starter) widen(d *corpus.Dataset) {
	lacking := stages.Unknown(d, s.Vocab)
	if s.Vocab >= maxVocab || lacking <= maxUnknown || stages.Unknown(d, maxVocab) == lacking {
		return
	}
	s.Unknown = fmt.Sprintf("with %d, %.0f %% of the dev words would be unknown", s.Vocab, 100*lacking)
	s.Vocab = maxVocab
}

// shares formats, for each style, the share of its sentences that a single word decides, such as
// `47 % of "rude"`.
func shares(labels corpus.Styles, decided []float64) string {
	var each []string
	for style, share := range decided {
		each = append(each, fmt.Sprintf("%.0f %% of %q", 100*share, labels[style]))
	}
	return strings.Join(each, ", ")
}
