package results

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// weakJudges are warnings of classifiers that are little better than chance on human text: of the
// evaluation classifier, of further judges of TST%, and of the selector.
type weakJudges struct{ evaluator, others, selector []string }

// of returns those that are said under a table. TST% is part of Mean.
func (w *weakJudges) of(table string) []string {
	switch table {
	case "results", "seeds":
		return slices.Concat(w.evaluator, w.others)
	case "main", "intervals", "significance", "attribution", "switches":
		return w.evaluator
	case "selection", "search":
		return w.selector
	}
	return nil
}

// judges finds the classifiers that measure style and are little better than chance on human text.
// The selection has a judge of its own, which is asked about dev outputs.
func (c *collector) judges() {
	seen, w := map[*plan.Stage]bool{}, &c.out.weak
	add := func(to *[]string, p *plan.PointStages, s *plan.Stage, measures string, split corpus.Split) {
		if split == corpus.Test && !c.done(p.Accuracy(s)) || !c.onceIn(seen, s) {
			return
		}
		sizes := c.plan.Data[p.Point.Dataset].Sizes[split]
		n := sizes[0] + sizes[1]
		j := report.Judge{
			Measures: measures, Dataset: p.Point.Dataset, Axes: c.axes(s), Split: split.String(), Sentences: n,
			Majority: 100 * float64(max(sizes[0], sizes[1])) / float64(max(n, 1)),
		}
		if split == corpus.Test {
			j.Accuracy = c.testAccuracy(p.Accuracy(s))
		} else {
			j.Accuracy = readResult[stages.TrainResult](c, s, "result.json").DevAccuracy
		}
		if j.Weak() {
			*to = append(*to, j.Warning())
		}
	}
	for _, p := range c.plan.Points {
		add(&w.evaluator, p, p.Classifier, "TST% (and Mean, Acc.%)", corpus.Test)
		in := p.PlannedInstruments()
		add(&w.others, p, in["fasttext"], "TST% fastText", corpus.Test)
		add(&w.others, p, in["bayes"], "TST% Bayes", corpus.Test)
	}
	clear(seen) // the selector may be one of these judges
	for _, p := range c.plan.Points {
		for _, m := range p.Models {
			if m.Dev != nil {
				add(&w.selector, p, m.Dev.Inputs["selector"], "TST% (and Mean)", corpus.Dev)
			}
		}
	}
}
