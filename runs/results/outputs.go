package results

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics/human"
)

// Pairs returns the outputs of two rows of Results beside each other, for every test sentence of
// both directions: what people are asked to choose between. labels are the styles.
func (r *Results) Pairs(a, b int, labels [2]string) ([]human.Pair, error) {
	var pairs []human.Pair
	for style := range 2 {
		path, err := r.ws.File(r.scores[a].Inputs["test"], corpus.FileName(corpus.Test, style))
		if err != nil {
			return nil, err
		}
		sources, err := corpus.ReadLines(path)
		if err != nil {
			return nil, err
		}
		var outputs [2][]corpus.Sentence
		for k, row := range []int{a, b} {
			if outputs[k], err = r.outputs(row, style); err != nil {
				return nil, err
			}
			if len(outputs[k]) != len(sources) {
				return nil, fmt.Errorf("%d outputs of %s for %d test sentences", len(outputs[k]), r.title([]int{row}), len(sources))
			}
		}
		for i, words := range sources {
			pairs = append(pairs, human.Pair{
				Direction: labels[style] + " to " + labels[1-style], Item: strconv.Itoa(i + 1),
				Source: strings.Join(words, " "), A: strings.Join(outputs[0][i], " "), B: strings.Join(outputs[1][i], " "),
			})
		}
	}
	return pairs, nil
}

// outputs reads what a row of Results measures, of the sources of one style.
func (r *Results) outputs(row, style int) ([]corpus.Sentence, error) {
	score := r.scores[row]
	path := score.Sources[strconv.Itoa(style)]
	if transfer := score.Inputs["transfer"]; transfer != nil {
		var err error
		if path, err = r.ws.File(transfer, fmt.Sprintf("output.%d.txt", style)); err != nil {
			return nil, err
		}
	}
	if path == "" {
		return nil, userr.New(userr.BadInput, "%s has no outputs of a system: name one that writes", r.title([]int{row}))
	}
	return corpus.ReadOutputs(path)
}
