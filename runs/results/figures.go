package results

import (
	"fmt"
	"io"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/figure"
)

// NamedFigure is one figure of an experiment.
type NamedFigure struct {
	Name, Title string
	Figure      *figure.Figure
}

// Figures draws the figures that the experiment asks for, in its order. It leaves out
// figures without data.
func (r *Results) Figures() (out []NamedFigure, err error) {
	add := func(name, title string, f *figure.Figure, failed error) {
		if failed != nil {
			err = fmt.Errorf("drawing the figure %s: %w", name, failed)
		}
		if f != nil {
			out = append(out, NamedFigure{name, title, f})
		}
	}
	for _, name := range r.plan.Experiment.Report.Figures {
		switch name {
		case "lambda_eps":
			f, failed := figure.LambdaEps(r.Records)
			also := ""
			if f != nil && f.ShowsPaper {
				also = "Dashed: the paper's values, from its authors' notebook. "
			}
			isAuto := func(o *report.Record) bool { return o.Axis("lambda_eps") == recipe.AutoText }
			if slices.ContainsFunc(r.Records, isAuto) {
				also += `Masks with lambda_eps = "auto" are left out. `
			}
			add(name, "Effect of lambda_eps on the masked test sentences"+r.sampleOf(report.FromMasks)+". Top: character s-BLEU of the masked sentences "+
				"against their sources. Bottom: accuracy of the evaluation classifier on them. "+also+
				"A bar is the standard deviation over seeds. For a single seed it is the 95 % "+
				"interval over test sentences, which for s-BLEU is an upper bound. The vertical axes do not start at 0.",
				f, failed)
		case "tradeoff":
			f, failed := figure.TradeOff(r.Records)
			add(name, "TST% against s-BLEU on the test set"+r.sampleOf(report.FromSystems)+". More of both is better. Error bars are standard deviations over "+
				"seeds. Every mark is at its values. The dashed line is the Pareto front: no ranked system is better than these "+
				"in both metrics. Names and settings that have no room are left out. The axes do not start at 0.", f, failed)
		}
	}
	return out, err
}

// sampleOf returns, in brackets, the size of the sample behind the records of a kind, such as
// "(1,000 sentences; seeds 1, 2)", or "". See report.Sample.
func (r *Results) sampleOf(kind string) string {
	sample := report.Sample(lists.Filter(r.Records, func(o *report.Record) bool { return o.From == kind }))
	if sample == "" {
		return ""
	}
	return " (" + sample + ")"
}

// WriteFigures writes each figure as workspace/figures/EXPERIMENT/NAME.EXT in each format of
// package figure.
func (r *Results) WriteFigures(figures []NamedFigure) error {
	return writeFiles(r.ws, r.ws.FiguresDir(r.plan.Experiment.Name), "figures", func(write writeFile) error {
		for _, f := range figures {
			for _, format := range figure.Formats {
				err := write(f.Name+"."+format, func(w io.Writer) error { return f.Figure.Write(w, format) })
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// datasetsShown lists the data sets of all systems, in order.
func (r *Results) datasetsShown() []string {
	return lists.AddOnce(nil, lists.Map(r.Systems, func(s *System) string { return s.Dataset() })...)
}
