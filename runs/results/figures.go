package results

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// NamedFigure is one figure of an experiment.
type NamedFigure struct {
	Name, Title string
	Figure      figure.Figure
}

// Figures builds the figures that the experiment asks for, in its order: those named, or all. One
// for which there is nothing to draw yet is left out; training curves are a figure a data set.
func (r *Results) Figures(only ...string) []NamedFigure {
	var out []NamedFigure
	add := func(name, title string, f figure.Figure) {
		if f != nil {
			out = append(out, NamedFigure{name, title, f})
		}
	}
	for _, name := range r.figures {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		switch name {
		case "lambda_eps":
			f, title := r.lambdaEpsFigure(), "Effect of lambda_eps on the masked test sentences: character-level "+
				"s-BLEU, and accuracy of the evaluation classifier"
			if drawn, ok := f.(figure.LambdaEps); ok && slices.ContainsFunc(drawn.Series,
				func(s figure.EpsSeries) bool { return len(s.Paper) > 0 }) {
				title += "; dashed: the paper, by its authors' notebook"
			}
			add(name, title+".", f)
		case "tradeoff":
			add(name, "TST% against s-BLEU on the test set, with the Pareto front of the systems that have not "+
				"collapsed.", r.tradeOffFigure())
		case "training":
			r.eachTraining(func(dataset string, f figure.Figure) {
				suffix, of := "", ""
				if len(r.About.Data) > 1 {
					suffix, of = "-"+dataset, " on "+dataset
				}
				add(name+suffix, "Training and dev loss by epoch, and dev accuracy of classifiers"+of+".", f)
			})
		case "masked_share":
			f, title := r.maskedFigure()
			add(name, title, f)
		}
	}
	return out
}

// WriteFigures writes each figure as workspace/figures/EXPERIMENT/NAME.EXT in each of the formats
// of package figure (none: all).
func (r *Results) WriteFigures(
	p *plan.Plan, ws *workspace.Workspace, figures []NamedFigure, formats ...string,
) error {
	if len(formats) == 0 {
		formats = figure.Formats
	}
	if err := r.keepFolder("the folder of figures", ws.FiguresDir(p.Experiment.Name)); err != nil {
		return err
	}
	dir := ws.FiguresDir(p.Experiment.Name)
	folder := figure.OpenFolder(dir)
	drawn, err := drawAll(folder, figures, formats)
	if err != nil {
		return err
	}
	return writeFiles(ws, dir, "figures", func(write writeFile) error {
		for i, text := range drawn {
			name := figures[i/len(formats)].Name + "." + formats[i%len(formats)]
			err := write(name, func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
			if err != nil {
				return err
			}
		}
		if err := write(figure.MarksFile, folder.WriteMarks); err != nil {
			return err
		}
		return r.writeFinished(write)
	})
}

// drawAll draws each figure in each format on all cores, figure after figure.
func drawAll(folder *figure.Folder, figures []NamedFigure, formats []string) ([][]byte, error) {
	out, errs := make([][]byte, len(figures)*len(formats)), make([]error, len(figures)*len(formats))
	onAllCores(len(out), func(i int) {
		f, format := figures[i/len(formats)], formats[i%len(formats)]
		out[i], errs[i] = folder.Draw(f.Name+"."+format, f.Figure, format)
	})
	return out, cmp.Or(errs...)
}

// tradeOffFigure has a panel a data set, and a point a system; seeds are a mean with its deviation.
func (r *Results) tradeOffFigure() figure.Figure {
	f := figure.TradeOff{}
	for _, dataset := range r.datasetsShown() {
		groups := map[string][]report.ResultRow{}
		var order []string
		for _, k := range r.of(dataset) {
			row := r.Results[k]
			_, style := row.Metrics.Metrics["tst"]
			if _, content := row.Metrics.Metrics["s_bleu"]; !style || !content {
				continue
			}
			name := pointName(&row)
			if groups[name] == nil {
				order = append(order, name)
			}
			groups[name] = append(groups[name], row)
		}
		panel := figure.TradeOffPanel{Title: dataset}
		for _, name := range order {
			rows := groups[name]
			panel.Points = append(panel.Points, figure.TradeOffPoint{
				Name: name, Published: rows[0].Published,
				Collapsed: slices.ContainsFunc(rows, func(row report.ResultRow) bool {
					return row.Metrics.Collapsed()
				}),
				// the human references
				People: slices.ContainsFunc(rows, func(row report.ResultRow) bool { return row.Unranked }),
				SBLEU: *overSeeds(rows, func(row report.ResultRow) float64 {
					return row.Metrics.Metrics["s_bleu"]
				}),
				TST: *overSeeds(rows, func(row report.ResultRow) float64 { return row.Metrics.Metrics["tst"] }),
			})
		}
		if len(panel.Points) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	if len(f.Panels) == 0 {
		return nil
	}
	if len(f.Panels) > 1 {
		f.Size.Width = 17
	}
	return f
}

// pointName names a row without its seed: "SMLM, lambda_eps 0.5".
func pointName(row *report.ResultRow) string {
	return strings.Join(append([]string{row.System}, axisWords(row.Axes)...), ", ")
}

// axisWords are swept settings in running text: "lambda_eps 0.5".
func axisWords(axes []report.Axis) []string {
	words := make([]string, len(axes))
	for i, a := range axes {
		words[i] = a.Key + " " + a.Value
	}
	return words
}

// datasetsShown lists the data sets of Results in their order.
func (r *Results) datasetsShown() []string {
	var out []string
	for i := range r.Results {
		if d := r.Results[i].Dataset; !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// eachTraining draws the training of each data set: a panel a model.
func (r *Results) eachTraining(take func(dataset string, f figure.Figure)) {
	var datasets []string
	curves := map[string][]figure.Curve{}
	for i := 0; i < len(r.Training); {
		row, k := &r.Training[i], i
		c := figure.Curve{Panel: row.Model, Name: strings.Join(axisWords(row.Axes), ", ")}
		for ; k < len(r.Training) && (k == i || r.Training[k].Epoch > r.Training[k-1].Epoch); k++ {
			e := &r.Training[k]
			c.Epochs = append(c.Epochs, figure.Epoch{
				N: e.Epoch, Loss: e.TrainLoss, DevLoss: e.DevLoss,
				DevAccuracy: e.DevAccuracy, Kept: e.Kept,
			})
		}
		if curves[row.Dataset] == nil {
			datasets = append(datasets, row.Dataset)
		}
		curves[row.Dataset] = append(curves[row.Dataset], c)
		i = k
	}
	for _, dataset := range datasets {
		take(dataset, figure.Training{Curves: curves[dataset]})
	}
}

func sortedFloats[V any](m map[float64]V) []float64 { return slices.Sorted(maps.Keys(m)) }
