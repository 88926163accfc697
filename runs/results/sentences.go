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
	row := &r.Results[best]
	data := r.plan.Data[row.Dataset]
	for line := 0; len(found) < mostSentences; line++ {
		before := len(found)
		for _, asked := range data.Directions {
			if len(found) == mostSentences {
				break
			}
			output, sources, err := r.outputsOf(best, corpus.Test, data.Labels, asked)
			if err != nil {
				return "", nil, err
			}
			path, err := r.ws.File(r.scores[best].Inputs["transfer"], stages.MaskedName(data.Labels, asked))
			if err != nil {
				return "", nil, err
			}
			masked, err := corpus.ReadOutputs(path)
			if err != nil {
				return "", nil, err
			}
			if len(output) != len(sources) || len(masked) != len(sources) {
				return "", nil, fmt.Errorf("%d outputs and %d masked sentences of %d test sentences", len(output),
					len(masked), len(sources))
			}
			if line < len(sources) {
				found = append(found, Rewritten{
					From: data.Labels[asked.From], To: data.Labels[asked.To],
					Source: strings.Join(sources[line], " "), Masked: strings.Join(masked[line], " "),
					Output: strings.Join(output[line], " "),
				})
			}
		}
		if len(found) == before {
			break
		}
	}
	return r.title([]int{best}), found, nil
}
