package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Rewritten is a test sentence, with its masks and a system's output.
type Rewritten struct {
	From, To               string // labels of the styles
	Source, Masked, Output string
}

// maxSentences is the largest number of sentences that Sentences returns.
const maxSentences = 2

// Sentences returns a few rewritten test sentences of one trained system: the first sentences in
// the first directions of the first data set that has outputs. If there are several systems, the
// result "why" explains the choice of this system. Neither the sentences nor the system are chosen
// by the test outputs.
func (r *Results) Sentences() (system, why string, found []Rewritten, err error) {
	best, why := r.shownSystem()
	if best == nil {
		return "", "", nil, nil
	}
	data := r.plan.Sets[best.Dataset()]
	var ways [][]Rewritten
	for _, asked := range data.Directions[:min(maxSentences, len(data.Directions))] {
		way, err := r.rewritten(best, data.Labels, asked)
		if err != nil {
			return "", "", nil, err
		}
		ways = append(ways, way)
	}
	for line := range maxSentences {
		for _, way := range ways {
			if line < len(way) && len(found) < maxSentences {
				found = append(found, way[line])
			}
		}
	}
	return r.title([]*System{best}), why, found, nil
}

// shownSystem returns the system whose sentences are shown, or nil. It is the system with the
// highest Mean on the dev set. If no system was chosen by dev outputs, it is the first guided
// system in the file or, if none is guided, the first system. The result "why" says why it is this
// system. If there was only one system to choose from, "why" is "".
func (r *Results) shownSystem() (shown *System, why string) {
	of := lists.Filter(r.Systems, func(s *System) bool {
		return s.score.Inputs["transfer"] != nil && r.chosen.Shows(s.score)
	})
	if len(of) == 0 {
		return nil, ""
	}
	of = lists.Filter(of, func(s *System) bool { return s.Dataset() == of[0].Dataset() })
	best := slices.IndexFunc(of, func(s *System) bool { return r.chosen.Best(s.score) })
	if best >= 0 && len(of) > 1 {
		return of[best], "This system has the highest Mean on the dev set."
	}
	first := "This system is the first in the file."
	guided := lists.Filter(of, func(s *System) bool { return s.score.Points[0].Decoding == recipe.GuidedDecoding })
	if len(guided) > 0 {
		of, first = guided, "This system is the first with guided decoding in the file."
	}
	if len(of) == 1 {
		return of[0], ""
	}
	return of[0], first + r.askForSelection()
}

// askForSelection returns a sentence, after a space, that says how to choose a system by dev
// outputs. It returns "" if the experiment does that already.
func (r *Results) askForSelection() string {
	if r.wants("selection") {
		return ""
	}
	return " To choose by dev outputs, add \"selection\" to report.tables."
}

// The method rewritten reads the first test sentences of a direction, their masks, and the outputs
// of a system for these sentences.
func (r *Results) rewritten(of *System, labels corpus.Styles, asked corpus.Direction) (first []Rewritten, err error) {
	output, sources, err := r.outputsOf(of, corpus.Test, labels, asked)
	if err != nil {
		return nil, err
	}
	path, err := r.ws.File(of.score.Inputs["transfer"], stages.MaskedName(labels, asked))
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
	for i := range min(maxSentences, len(sources)) {
		first = append(first, Rewritten{
			From: labels[asked.From], To: labels[asked.To], Source: strings.Join(sources[i], " "),
			Masked: strings.Join(masked[i], " "), Output: strings.Join(output[i], " "),
		})
	}
	return first, nil
}
