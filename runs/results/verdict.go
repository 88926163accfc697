package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// These limits decide what a verdict says. They were read from results on the data sets in
// docs/results/bring.md.
const (
	worksWell    = 0.75 // share of good dev outputs
	worksInPart  = 0.5  // share of good dev outputs
	manyOdd      = 0.25 // share of outputs that reach the style but have odd trigrams
	oneWord      = 0.4  // share of the most frequent new word among the new words of a direction
	manyUnknown  = 0.04 // share of source words that are in no training sentence
	clearlyApart = 0.75 // share of sources whose style the selector recognises; with less, do not trust its judgements
)

// FewSentences is roughly the number of training sentences below which results are not worth
// comparing.
const FewSentences = 2000

// Verdict says how well replacing words works on a data set.
type Verdict struct {
	Text  string
	Works bool
}

// Verdicts says, for each data set, how well replacing words works and, if it does not work well,
// why. It looks at the model that dev outputs chose. If they chose none, or one without a verdict,
// it looks at the first model with a verdict.
func Verdicts(p *plan.Plan, ws *workspace.Workspace) (all []Verdict, err error) {
	choice, err := readChoice(p, ws)
	if err != nil {
		return nil, err
	}
	for _, set := range p.Experiment.Datasets {
		onSet := func(m stage.Point) bool { return m.Dataset == set.Name }
		of := lists.Filter(models(p), onSet)
		if chosen, ok := choice.model(onSet); ok {
			of = slices.Insert(of, 0, chosen)
		}
		for _, m := range of {
			verdict, err := VerdictOf(p, ws, m)
			if err != nil {
				return nil, err
			}
			if verdict != nil {
				all = append(all, *verdict)
				break
			}
		}
	}
	return all, nil
}

// VerdictOf returns the verdict on a model's data set under the settings that the stage tune chose
// for this model. It returns nil if nothing was chosen.
func VerdictOf(p *plan.Plan, ws *workspace.Workspace, m stage.Point) (*Verdict, error) {
	tune := cmp.Or(p.Get(stages.Transfer, m).Inputs["tune"], p.Get(stages.Mask, m).Inputs["tune"])
	if tune == nil || !ws.Done(tune) {
		return nil, nil
	}
	t, err := stages.ReadTuning(ws.StageDir(tune))
	if err != nil {
		return nil, err
	}
	counts, err := stages.ReadCounts(finishedStage{tune.Inputs["prepare"], ws})
	if err != nil {
		return nil, err
	}
	train, _ := counts.Size(corpus.Train)
	name := m.Dataset
	if len(p.Points) > 1 {
		name += " (" + pointName(m) + ")"
	}
	return &Verdict{verdict(name, t, train), works(t)}, nil
}

// works reports whether replacing words works well.
func works(t stages.Tuning) bool {
	best := t.Choice()
	return best.Good >= worksWell && best.NewWordShare < oneWord && t.Recognised >= clearlyApart
}

// verdict returns the text of a verdict from measured numbers. name is the data set, with the sweep
// point if there are several. The parameter "train" is the number of training sentences.
func verdict(name string, t stages.Tuning, train int) string {
	best := t.Choice()
	of100 := func(share float64) int { return int(math.Round(100 * share)) }
	const notWell = ": replacing words does not do this well."
	first := fmt.Sprintf("%d of 100 dev outputs on %s reach the style, keep the content and read well",
		of100(best.Good), name)
	everywhere := fmt.Sprintf("in one direction %d of 100 new words are %q", of100(best.NewWordShare), best.NewWord)
	alike := t.Recognised < clearlyApart
	switch {
	case works(t):
		return first + ": replacing words works here."
	case alike:
		first += fmt.Sprintf(", but the styles are hard to tell apart (a classifier recognises %d of 100 sources)",
			of100(t.Recognised))
		if best.NewWordShare >= oneWord {
			first += ", and " + everywhere
		}
		return first + notWell
	case best.NewWordShare >= oneWord:
		first += ", but " + everywhere + notWell
	case best.Good >= worksInPart:
		first += ": replacing words works in part."
	default:
		first = "Only " + first + notWell
	}
	all := []string{first}
	if best.Odd >= manyOdd {
		odd := fmt.Sprintf("Another %d reach the style with words that do not fit", of100(best.Odd))
		switch {
		case t.Unknown >= manyUnknown:
			odd += fmt.Sprintf("; %d of 100 words are in no training sentence, so give more.", of100(t.Unknown))
		case best.Good >= worksInPart:
			odd += ": give more training sentences, unless the style lies in added phrases or in word order."
		default:
			odd += ", so it probably lies in added phrases, in word order or in whole sentences."
		}
		all = append(all, odd)
	}
	if train < FewSentences {
		all = append(all, fmt.Sprintf("There are few training sentences (%d): give more.", train))
	} else {
		all = append(all, "Read outputs before you use them: transfer --candidates 5 shows others.")
	}
	return strings.Join(all, " ")
}
