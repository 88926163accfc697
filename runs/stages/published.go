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

// Published measures the outputs of a published system, or the human references.
const Published stage.Name = "published"

var publishedStage = stage.Definition{
	Name: Published, Version: 5, Inputs: "what `score` reads, except transfer",
	Files: "as `score`, for a published system or the human references",
	Run:   onTorch(of(published)),
}

// HumanReferences is the system name of the row that scores the data set's own references as
// outputs.
const HumanReferences = "human references"

// PublishedSettings is one system's outputs. There is nothing to compare the references with: no
// r-BLEU.
type PublishedSettings struct {
	Outputs
	ScoreSettings
}

// published measures somebody's outputs, or the human references themselves.
func published(ctx context.Context, job *stage.Job, s PublishedSettings) error {
	return scoreFiles(ctx, job, s.ScoreSettings, !s.References, func(t *text) (w systemOutputs, err error) {
		w.outputs, err = outputs(job, t, s.Outputs)
		return w, err
	})
}

// outputs reads what is measured, by direction: what a transfer wrote, the files of a published
// system, or the human references, for which alone it needs the vocabulary of the text. Of
// directions that the system did not write there is nil.
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

// ReadTransfer reads the outputs of a transfer in the folder of its stage, by direction, nil of one
// in which it did not write.
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

// likeSources returns the human references in the writing of the data set: of three ways to cut
// them into words the one that leaves the fewest unknown words, the earliest of equal ones. People
// wrote them with capitals, and with punctuation and contractions in one piece with words.
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

// writings are the ways to cut a reference into words, the likeliest first.
var writings = []func(corpus.Cutting, corpus.Sentence) corpus.Sentence{asWritten, tokenised, withoutApostrophes}

func asWritten(_ corpus.Cutting, s corpus.Sentence) corpus.Sentence { return s }

// tokenised writes "I don't." as i do n't .
func tokenised(c corpus.Cutting, s corpus.Sentence) corpus.Sentence {
	words, err := c.Tokenize(strings.Join(s, " "))
	if err != nil { // a line of signs that no word can be made of
		return s
	}
	return words
}

// withoutApostrophes writes "I don't." as i don t .
func withoutApostrophes(c corpus.Cutting, s corpus.Sentence) corpus.Sentence {
	words, err := c.Tokenize(strings.NewReplacer("'", " ", "’", " ").Replace(strings.Join(s, " ")))
	if err != nil {
		return s
	}
	return words
}
