package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Rewritten is a test sentence, what was masked in it, and what a system made of it.
type Rewritten struct {
	From, To               string // labels of the styles
	Source, Masked, Output string
}

// mostSentences is how many sentences Sentences shows.
const mostSentences = 2

// Sentences are the first test sentences of the first directions of the first data set that has
// outputs of ours, and whose they are: the system's with the highest Mean, guided ones if there are
// any. No sentence is chosen by how well it was rewritten.
func (r *Results) Sentences() (system string, found []Rewritten, err error) {
	best, mean, guided := -1, 0.0, false
	for i := range r.Results {
		row := &r.Results[i]
		transfer := r.scores[i].Inputs["transfer"]
		if row.Metrics == nil || transfer == nil || !r.chosen.Shows(r.scores[i]) ||
			best >= 0 && row.Dataset != r.Results[best].Dataset {
			continue
		}
		isGuided := slices.ContainsFunc(r.plan.Points, func(p *plan.PointStages) bool {
			return slices.ContainsFunc(p.Models, func(m *plan.ModelStages) bool {
				return m.Score == r.scores[i] && m.Decoding == recipe.GuidedDecoding
			})
		})
		m := row.Metrics.Metrics["mean"]
		if best < 0 || isGuided && !guided || isGuided == guided && m > mean {
			best, mean, guided = i, m, isGuided
		}
	}
	if best < 0 {
		return "", nil, nil
	}
	data := r.plan.Data[r.Results[best].Dataset]
	var ways [][]Rewritten
	for _, asked := range data.Directions[:min(mostSentences, len(data.Directions))] {
		way, err := r.rewritten(best, data.Labels, asked)
		if err != nil {
			return "", nil, err
		}
		ways = append(ways, way)
	}
	for line := range mostSentences {
		for _, way := range ways {
			if line < len(way) && len(found) < mostSentences {
				found = append(found, way[line])
			}
		}
	}
	return r.title([]int{best}), found, nil
}

// rewritten reads the first test sentences of a direction, with what a row of Results made of them.
func (r *Results) rewritten(row int, labels corpus.Styles, asked corpus.Direction) (first []Rewritten, err error) {
	output, sources, err := r.outputsOf(row, corpus.Test, labels, asked)
	if err != nil {
		return nil, err
	}
	path, err := r.ws.File(r.scores[row].Inputs["transfer"], stages.MaskedName(labels, asked))
	if err != nil {
		return nil, err
	}
	masked, err := corpus.ReadOutputs(path)
	if err != nil {
		return nil, err
	}
	if len(output) != len(sources) || len(masked) != len(sources) {
		return nil, fmt.Errorf("%d outputs and %d masked sentences of %d test sentences", len(output), len(masked),
			len(sources))
	}
	for i := range min(mostSentences, len(sources)) {
		first = append(first, Rewritten{
			From: labels[asked.From], To: labels[asked.To], Source: strings.Join(sources[i], " "),
			Masked: strings.Join(masked[i], " "), Output: strings.Join(output[i], " "),
		})
	}
	return first, nil
}
