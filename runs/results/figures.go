package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/runs/plan"
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
	for _, name := range r.plan.Experiment.Report.Figures {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		switch name {
		case "lambda_eps":
			f, title := figure.LambdaEpsOf(r.Masking), "Effect of lambda_eps on the masked test sentences. Top: character "+
				"s-BLEU of the masked sentences against their sources. Bottom: accuracy of the evaluation classifier on them."
			if drawn, ok := f.(figure.LambdaEps); ok && slices.ContainsFunc(drawn.Series,
				func(s figure.EpsSeries) bool { return len(s.Paper) > 0 }) {
				title += " Dashed lines show the paper's values, from its authors' notebook."
			}
			title += " A bar is the standard deviation over seeds. For a single seed it is the 95 % interval over test " +
				"sentences, which for s-BLEU is an upper bound. Marks that would overlap stand side by side. The vertical " +
				"axes do not start at 0."
			add(name, title, f)
		case "tradeoff":
			x, y := metrics.ColumnsOf("s_bleu")[0], metrics.ColumnsOf("tst")[0]
			scored := lists.Where(r.Results, func(row report.ResultRow) bool { return !row.Partial })
			add(name, "TST% against s-BLEU on the test set. More of both is better. The dashed line is the Pareto front: "+
				"no ranked system is better than these in both metrics. Where marks crowd, a second panel enlarges the framed "+
				"part. Marks that would hide each other stand side by side. The axes do not start at 0.",
				figure.TradeOffOf(scored, x, y))
		case "training":
			for _, part := range []struct {
				only            figure.Shown
				suffix, caption string
			}{
				{figure.Losses, "", "Training loss and dev loss by epoch"},
				{figure.Measures, "_accuracy", "Dev accuracy of classifiers by epoch"},
			} {
				for dataset, f := range figure.TrainingOf(r.Training, part.only) {
					suffix, of := "", ""
					if len(r.About.Data) > 1 {
						suffix, of = "-"+dataset, " on "+dataset
					}
					add(name+part.suffix+suffix, part.caption+of+". Each model has its own vertical axis, which does "+
						"not start at 0.", f)
				}
			}
		case "masked_share":
			f, title := r.maskedFigure()
			add(name, title, f)
		}
	}
	return out
}

// WriteFigures writes each figure as workspace/figures/EXPERIMENT/NAME.EXT in each of the formats
// of package figure (none: all).
func (r *Results) WriteFigures(figures []NamedFigure, formats ...string) error {
	if len(formats) == 0 {
		formats = figure.Formats
	}
	dir := r.ws.FiguresDir(r.plan.Experiment.Name)
	folder := figure.OpenFolder(dir)
	drawn, err := drawAll(folder, figures, formats)
	if err != nil {
		return err
	}
	return writeFiles(r.ws, dir, "figures", func(write writeFile) error {
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
		return write(figure.MarksFile, folder.WriteMarks)
	})
}

// drawAll draws each figure in each format on all cores, figure after figure.
func drawAll(folder *figure.Folder, figures []NamedFigure, formats []string) ([][]byte, error) {
	out, errs := make([][]byte, len(figures)*len(formats)), make([]error, len(figures)*len(formats))
	machine.Parallel(len(out), func(i int) {
		f, format := figures[i/len(formats)], formats[i%len(formats)]
		out[i], errs[i] = folder.Draw(f.Name+"."+format, f.Figure, format)
	})
	return out, cmp.Or(errs...)
}

// datasetsShown lists the data sets of Results in their order.
func (r *Results) datasetsShown() []string {
	return lists.AddOnce(nil, lists.Map(r.Results, func(row report.ResultRow) string { return row.Dataset })...)
}

// sentenceParts is how many parts of a sentence the figure of masked words tells apart.
const sentenceParts = 10

// maskedShares counts where in the test sentences the masks of the first seed fall, a line a method
// and what else the sweep varies.
func (c *collector) maskedShares(p *plan.PointStages) {
	if !c.out.draws("masked_share") || p.Point.Seed != c.plan.Experiment.Seeds[0] {
		return
	}
	for _, m := range p.Masks {
		if m.Method == policy.NoMasking || !c.onceIn(c.shared, m.TestMask) {
			continue
		}
		if c.err = c.ws.Whole(m.TestMask); c.err != nil {
			return
		}
		var masks [][]bool // of all styles
		for style := range c.plan.Data[p.Point.Dataset].Labels {
			some, err := policy.ReadMasks(c.ws.StageDir(m.TestMask), corpus.Test, style)
			if err != nil {
				c.err = fmt.Errorf("reading the result of %s: %w", m.TestMask.Title(), err)
			}
			masks = append(masks, some...)
		}
		c.out.masks = append(c.out.masks, maskSeries{
			dataset: p.Point.Dataset, method: strings.ReplaceAll(string(m.Method), "_", " "),
			axes:  strings.Join(append([]string{""}, recipe.AxisWords(c.axes(m.TestMask))...), ", "),
			parts: figure.CountParts(masks, sentenceParts),
		})
	}
}

// maskSeries are the masks of one method at one point.
type maskSeries struct {
	dataset, method, axes string // axes: ", lambda_eps 0.5"
	parts                 []figure.Part
}

// mostMaskLines is how many lines a panel can have that a reader tells apart.
const mostMaskLines = 6

// maskedFigure has a panel a data set, and a line a masking method at every point of the sweep;
// where these are too many, at the first only, as the title then says.
func (r *Results) maskedFigure() (f figure.Figure, title string) {
	if len(r.masks) == 0 {
		return nil, ""
	}
	lines, datasets := map[string]int{}, map[string]bool{}
	first := false
	for _, m := range r.masks {
		lines[m.dataset]++
		datasets[m.dataset] = true
		first = first || lines[m.dataset] > mostMaskLines
	}
	title = "Share of masked words in each tenth of the sentence, test set"
	if first {
		title += ", at the first point of the sweep" + strings.Replace(r.masks[0].axes, ", ", ": ", 1)
	}
	title += ". The vertical axis starts at 0."
	var out figure.MaskedShare
	seen := map[string]bool{}
	for _, m := range r.masks {
		s := figure.ShareSeries{Name: m.method + m.axes, Parts: m.parts}
		if first {
			if seen[m.dataset+" "+m.method] {
				continue
			}
			seen[m.dataset+" "+m.method] = true
			s.Name = m.method
		}
		if len(datasets) > 1 {
			s.Panel = m.dataset
		}
		out.Series = append(out.Series, s)
	}
	return out, title
}
