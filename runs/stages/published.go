package stages

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Published is the stage that measures the outputs of a published system, or the references.
const Published stage.Name = "published"

var publishedStage = stage.Definition{
	Name: Published, Version: 8, Scope: stage.OfSystem,
	Settings: func(p stage.Point) any { return PublishedSettings{writtenBy(p), scoreSettings(p)} },
	Reads:    measuring,
	Sources:  func(p stage.Point) map[string]string { return union(outputFiles(p), referenceFiles(p)) },
	Shown:    publishedShown, Beside: true,
	Inputs: "what `score` reads, except transfer",
	Files:  "as `score`, for a published system or the references",
	Run:    onTorch(of(published)),
}

// PublishedSettings names the outputs of one system and has the settings of their scores. If the
// outputs are the human references, they get no r-BLEU, because there is nothing to compare them
// with.
type PublishedSettings struct {
	Outputs
	ScoreSettings
}

// publishedShown returns a stage.Point for each published system of a data set and, if there are
// references, one for them. The measurement of a system does not depend on the other systems, so
// experiments share these stages.
func publishedShown(p stage.Point) (shown []stage.Point) {
	if !p.Study.Experiment.Report.ShowsSystems() {
		return nil
	}
	for _, p.System = range p.Data().Systems {
		shown = append(shown, p)
	}
	if p.System = p.Data().People; p.System != nil {
		shown = append(shown, p)
	}
	return shown
}

// The function published measures the outputs of a published system, or the references.
func published(ctx context.Context, job *stage.Job, s PublishedSettings) error {
	return scoreFiles(ctx, job, s.ScoreSettings, !s.References, func(t *text) ([][]corpus.Sentence, error) {
		written, err := outputs(job, t, s.Outputs)
		if err != nil {
			return nil, err
		}
		return written, warnOutputs(job, t.Dataset, written)
	})
}

// warnOutputs warns about a published system's outputs, given by direction, that are tokenised
// differently from the test sentences, or that reading changes.
func warnOutputs(job *stage.Job, test *corpus.Dataset, outputs [][]corpus.Sentence) error {
	for k, d := range test.Labels.Directions() {
		path, has := job.Sources[strconv.Itoa(k)]
		if !has {
			continue
		}
		warnLines(job, path, "outputs", test.Text[corpus.Test][d.From], outputs[k])
		_, warning, err := corpus.CheckOutputs(path)
		if err != nil {
			return err
		}
		warnOf(job, path, warning)
	}
	return nil
}

// outputs reads the outputs to measure, by direction: the outputs of a transfer, the files of a
// published system, or the references. It needs the vocabulary of t only for references. Directions
// without outputs are nil.
func outputs(job *stage.Job, t *text, o Outputs) ([][]corpus.Sentence, error) {
	if o.References {
		refs := likeSources(t)
		asked := directionsOr(o.Directions, t.Labels)
		for k, d := range t.Labels.Directions() {
			if !slices.Contains(asked, d) {
				refs[k] = nil
			}
		}
		return refs, nil
	}
	if dir, ok := job.Inputs["transfer"]; ok {
		return ReadTransfer(dir, t.Labels)
	}
	all := make([][]corpus.Sentence, len(t.Labels.Directions()))
	for k := range all {
		path, has := job.Sources[strconv.Itoa(k)]
		if !has {
			continue
		}
		var err error
		if all[k], err = corpus.ReadOutputs(path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ReadTransfer reads the outputs in a transfer's folder, by direction. Directions without outputs
// are nil.
func ReadTransfer(dir string, styles corpus.Styles) ([][]corpus.Sentence, error) {
	directions := styles.Directions()
	all := make([][]corpus.Sentence, len(directions))
	for k, d := range directions {
		path := filepath.Join(dir, OutputName(styles, d))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var err error
		if all[k], err = corpus.ReadOutputs(path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// likeSources tokenises the references like the data set. It tries each of the functions in
// the list "writings" and takes the result with the fewest unknown words or, in a tie, the first
// such result. Many references are untokenised text: they have capitals, and punctuation and
// contractions are joined to words.
func likeSources(t *text) [][]corpus.Sentence {
	var best [][]corpus.Sentence
	fewest := -1
	cutting := t.vocab.Cutting()
	for _, write := range writings {
		refs, unknown := make([][]corpus.Sentence, len(t.Refs)), 0
		for k, set := range t.Refs {
			for _, s := range set {
				words := write(cutting, s)
				refs[k] = append(refs[k], words)
				for _, id := range t.vocab.Encode(words) {
					if id == corpus.UnkID {
						unknown++
					}
				}
			}
		}
		if fewest < 0 || unknown < fewest {
			best, fewest = refs, unknown
		}
	}
	return best
}

// writings are the ways to tokenise a reference, the likeliest first.
var writings = []func(corpus.Cutting, corpus.Sentence) corpus.Sentence{asWritten, tokenised, withoutApostrophes}

func asWritten(_ corpus.Cutting, s corpus.Sentence) corpus.Sentence { return s }

// tokenised turns "I don't." into "i do n't .".
func tokenised(c corpus.Cutting, s corpus.Sentence) corpus.Sentence {
	words, err := c.Tokenize(strings.Join(s, " "))
	if err != nil { // the line cannot be tokenised
		return s
	}
	return words
}

// withoutApostrophes turns "I don't." into "i don t .".
func withoutApostrophes(c corpus.Cutting, s corpus.Sentence) corpus.Sentence {
	words, err := c.Tokenize(strings.NewReplacer("'", " ", "’", " ").Replace(strings.Join(s, " ")))
	if err != nil {
		return s
	}
	return words
}
