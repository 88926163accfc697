package stages

import (
	"context"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Published measures the outputs of a published system, or the human references.
const Published stage.Kind = "published"

var publishedKind = stage.Definition{
	Name: Published, Version: 4, Inputs: "those of `score` without transfer",
	Files: "the same of a published system's outputs, or of the human references",
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
	var both [2][]corpus.Sentence
	return scoreFiles(ctx, job, s.ScoreSettings, nil, !s.References, func(
		t *text, style int, in *metrics.Input,
	) (err error) {
		if style == 0 { // both styles at once: the writing is the data set's
			both, err = outputs(job, t, s.Outputs)
		}
		in.Output = both[style]
		return err
	})
}

// outputs reads what is measured: what a transfer wrote, the files of a published system, or the
// human references, for which alone it needs the text.
func outputs(job *stage.Job, t *text, o Outputs) (both [2][]corpus.Sentence, err error) {
	if o.References {
		return likeSources(t), nil
	}
	for style := range both {
		path := job.Sources[strconv.Itoa(style)]
		if dir, ok := job.Inputs["transfer"]; ok {
			path = outputFile(dir, "output", style)
		}
		if both[style], err = corpus.ReadOutputs(path); err != nil {
			return both, err
		}
	}
	return both, nil
}

// likeSources returns the human references in the writing of the data set: of three ways to cut
// them into words the one that leaves the fewest unknown words, the earliest of equal ones. People
// wrote them with capitals, and with punctuation and contractions in one piece with words.
func likeSources(t *text) [2][]corpus.Sentence {
	var best [2][]corpus.Sentence
	fewest := -1
	for _, write := range writings {
		var refs [2][]corpus.Sentence
		unknown := 0
		for style, set := range t.Refs {
			for _, s := range set {
				words := write(s)
				refs[style] = append(refs[style], words)
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
var writings = []func(corpus.Sentence) corpus.Sentence{asWritten, tokenised, withoutApostrophes}

func asWritten(s corpus.Sentence) corpus.Sentence { return s }

// tokenised writes "I don't." as i do n't .
func tokenised(s corpus.Sentence) corpus.Sentence {
	words, err := corpus.Tokenize(strings.Join(s, " "))
	if err != nil { // a line of signs that no word can be made of
		return s
	}
	return words
}

// withoutApostrophes writes "I don't." as i don t .
func withoutApostrophes(s corpus.Sentence) corpus.Sentence {
	words, err := corpus.Tokenize(strings.NewReplacer("'", " ", "’", " ").Replace(strings.Join(s, " ")))
	if err != nil {
		return s
	}
	return words
}
