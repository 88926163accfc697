package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/palette"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/report"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// training is one training run. It holds a record for each epoch.
type training struct {
	model  string
	name   string // settings that differ between the model's runs, without the seed: "lambda_con 10"
	epochs []*report.Record
}

// Losses draws the loss on the training set (dashed) and on the dev set over the epochs, for the
// training runs on a data set. There is one panel per model. A disc marks the epoch whose weights
// were kept. Training runs of fewer than minEpochs epochs are not drawn. The figure is nil if
// nothing is drawn.
func Losses(epochs []*report.Record) (*Figure, error) {
	d := newTrainingFigure(epochs)
	for _, model := range d.models() {
		runs := lists.Filter(d.runs, func(r training) bool { return r.model == model })
		d.add(model+", loss", runs, "train_loss", "dev_loss", math.Inf(1))
	}
	return d.finish()
}

// Accuracies draws the dev accuracy over the epochs, with one panel for each model that has one.
func Accuracies(epochs []*report.Record) (*Figure, error) {
	d := newTrainingFigure(epochs)
	for _, model := range d.models() {
		runs := lists.Filter(d.runs, func(r training) bool { return r.model == model })
		d.add(model+", dev Acc.%", runs, "", "dev_accuracy", 100)
	}
	return d.finish()
}

// minEpochs is the smallest number of epochs that is drawn, because fewer points make no curve.
const minEpochs = 3

// trainingFigure is a figure of training runs that is being built.
type trainingFigure struct {
	*Figure
	runs  []training
	names []string // names of runs; a name has the same colour in all panels
	named []string // names of runs that were drawn
	// The fields train and dev say which losses the legend must explain.
	train, dev bool
	err        error
}

func newTrainingFigure(epochs []*report.Record) *trainingFigure {
	d := &trainingFigure{Figure: newFigure(3.6 * vg.Centimeter), runs: trainings(epochs)}
	d.names = lists.AddOnce(nil, lists.Map(d.runs, func(r training) string { return r.name })...)
	return d
}

func (d *trainingFigure) models() []string {
	return lists.AddOnce(nil, lists.Map(d.runs, func(r training) string { return r.model })...)
}

// add draws a panel with the runs of a model, unless there is nothing to draw. onTrain and onDev
// are the keys of the losses or accuracies to draw; onTrain may be "". The axis begins at 0 or
// higher and ends at most or lower.
func (d *trainingFigure) add(title string, runs []training, onTrain, onDev string, most float64) {
	panel := newPanel(title, "", "")
	panel.X.Tick.Marker = wholeTicks{}
	drawn := false
	line := func(r training, key string, style draw.LineStyle) bool {
		course := courseOf(r.epochs, key)
		if len(course) < minEpochs || d.err != nil {
			return false
		}
		dot := draw.GlyphStyle{Color: style.Color, Radius: 0.9, Shape: draw.CircleGlyph{}}
		_, d.err = addLine(panel, course, style, dot)
		drawn = true
		d.named = lists.AddOnce(d.named, r.name)
		return true
	}
	for _, r := range runs {
		if len(r.epochs) < minEpochs {
			continue
		}
		colour := palette.Colour(slices.Index(d.names, r.name))
		d.train = line(r, onTrain, trainStyle(colour)) || d.train
		d.dev = line(r, onDev, devStyle(colour)) || d.dev
		best := lists.Filter(r.epochs, func(e *report.Record) bool { return e.Axis("kept") != "" })
		kept := courseOf(best, onDev)
		if len(kept) > 0 {
			at := plotter.XYs{{X: kept[0].x, Y: kept[0].y}}
			panel.Add(unclipped{&plotter.Scatter{XYs: at, GlyphStyle: keptMark(colour)}})
		}
	}
	if drawn {
		keepPossible(&panel.Y, max(0.001, panel.Y.Max/50), most)
		d.panels = append(d.panels, panel)
	}
}

// courseOf returns the values of a key over the epochs. Epochs without a value are left out.
func courseOf(epochs []*report.Record, key string) (course values) {
	for _, e := range epochs {
		if v, known := e.Values[key]; known {
			course = append(course, value{x: float64(e.Epoch()), y: v})
		}
	}
	return course
}

func devStyle(c color.Color) draw.LineStyle { return draw.LineStyle{Color: c, Width: thick} }

func trainStyle(c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: thin, Dashes: dashes}
}

func keptMark(c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: 2.4, Shape: draw.CircleGlyph{}}
}

// noName is what the legend calls a run that has no settings of its own, if other runs have names.
const noName = "trained once"

// finish writes the legend. It lists the names of runs only if there are several.
func (d *trainingFigure) finish() (*Figure, error) {
	if d.err != nil || len(d.panels) == 0 {
		return nil, d.err
	}
	d.columns = min(3, len(d.panels))
	for _, p := range d.panels[len(d.panels)-d.columns:] {
		p.X.Label.Text = "epoch"
	}
	add := func(text string, style draw.LineStyle) { d.legend.Add(plain(text), &plotter.Line{LineStyle: style}) }
	colour := palette.Colour(slices.Index(d.names, d.named[0]))
	if len(d.named) > 1 {
		colour = palette.Muted
		for _, name := range d.named {
			add(cmp.Or(name, noName), devStyle(palette.Colour(slices.Index(d.names, name))))
		}
	}
	if d.dev {
		add("dev set", devStyle(colour))
	}
	if d.train {
		add("training set", trainStyle(colour))
	}
	d.legend.Add("epoch that is kept", &plotter.Scatter{GlyphStyle: keptMark(colour)})
	return d.Figure, nil
}

// wholeTicks puts ticks at whole numbers.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(low, high float64) []plot.Tick {
	step := max(1, math.Ceil((high-low)/5))
	var ticks []plot.Tick
	for v := math.Ceil(low); v <= high; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprint(v)})
	}
	return ticks
}

// trainings splits the records into training runs. A new run starts when the model changes or when
// the number of the epoch does not rise.
func trainings(epochs []*report.Record) (runs []training) {
	for i, e := range epochs {
		model := e.Axis("model")
		if i > 0 && model == epochs[i-1].Axis("model") && e.Epoch() > epochs[i-1].Epoch() {
			runs[len(runs)-1].epochs = append(runs[len(runs)-1].epochs, e)
			continue
		}
		of := lists.Filter(epochs, func(o *report.Record) bool { return o.Axis("model") == model })
		differ := report.Differing(of, report.Dataset, "model", "epoch", "kept", report.Seed)
		settings := lists.Filter(e.Axes, func(a report.Axis) bool { return slices.Contains(differ, a.Key) })
		runs = append(runs, training{
			model: report.PartName(model), name: strings.Join(recipe.AxisWords(settings), ", "),
			epochs: []*report.Record{e},
		})
	}
	return runs
}
