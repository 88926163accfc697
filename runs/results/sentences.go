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

// Rewritten is a test sentence, with its masks and a system's output.
type Rewritten struct {
	From, To               string // labels of the styles
	Source, Masked, Output string
}

// mostSentences is the number of sentences that Sentences returns.
const mostSentences = 2

// Sentences returns the first test sentences in the first directions of the first data set with
// outputs of ours, and the system. why explains the choice of the system if there are several.
// Sentences are not chosen by how well they were rewritten, and systems not by their test outputs.
func (r *Results) Sentences() (system, why string, found []Rewritten, err error) {
	best, why := r.shownSystem()
	if best < 0 {
		return "", "", nil, nil
	}
	data := r.plan.Data[r.Results[best].Dataset]
	var ways [][]Rewritten
	for _, asked := range data.Directions[:min(mostSentences, len(data.Directions))] {
		way, err := r.rewritten(best, data.Labels, asked)
		if err != nil {
			return "", "", nil, err
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
	return r.title([]int{best}), why, found, nil
}

// shownSystem returns the row of Results whose sentences are shown, or -1. It prefers guided
// outputs. Among several systems it takes the one with the highest Mean on the dev set or, without
// dev scores, the first in the file; why then says which.
func (r *Results) shownSystem() (best int, why string) {
	var of []int
	guided := false
	for i := range r.Results {
		row, score := &r.Results[i], r.scores[i]
		if row.Metrics == nil || score.Inputs["transfer"] == nil || !r.chosen.Shows(score) ||
			len(of) > 0 && row.Dataset != r.Results[of[0]].Dataset {
			continue
		}
		isGuided := slices.ContainsFunc(r.plan.Points, func(p *plan.PointStages) bool {
			return slices.ContainsFunc(p.Models, func(m *plan.ModelStages) bool {
				return m.Score == score && m.Decoding == recipe.GuidedDecoding
			})
		})
		switch {
		case isGuided && !guided:
			of, guided = []int{i}, true
		case isGuided == guided:
			of = append(of, i)
		}
	}
	if len(of) == 0 {
		return -1, ""
	}
	best = of[0]
	highest, known := r.chosen.DevMean(r.scores[best])
	for _, i := range of[1:] {
		if mean, ranked := r.chosen.DevMean(r.scores[i]); ranked && (!known || mean > highest) {
			best, highest, known = i, mean, true
		}
	}
	switch {
	case len(of) == 1:
		return best, ""
	case known:
		return best, "This system has the highest Mean on the dev set."
	}
	return best, "This system is the first in the file. To choose by dev outputs, add \"selection\" to report.tables."
}

// rewritten reads the first test sentences of a direction and their outputs by a row of Results.
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
