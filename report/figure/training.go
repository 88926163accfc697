package figure

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/drawing"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
)

// Training is the course of training: the loss on the training set (thin) and on the dev set
// (thick) by epoch, a panel a model, and a panel of dev accuracy for each that has it. Where the
// two losses are different sums, far apart at every epoch, each has a panel. A disc marks the epoch
// whose weights were kept. Names differ in colour and in dashes, so that lines which lie on each
// other are seen. Losses of different models are different sums: every panel has its own axis, and
// says under its title what is on it.
type Training struct {
	Curves []Curve      // panels stand in the order of their first curves
	Only   Shown        // what panels there are; "": all
	Size   drawing.Size // a panel is 3.3 cm high by default, 2.8 where there are many
}

// Shown is a part of the panels of Training.
type Shown string

// The parts.
const (
	Losses   Shown = "losses"
	Measures Shown = "measures" // accuracy
)

// panels are what the panels of a model show.
func (s Shown) panels(curves []Curve) (shown []string) {
	if s != Measures {
		shown = []string{lossTitle}
		if lossesApart(curves) {
			shown = []string{trainLossTitle, devLossTitle}
		}
	}
	if s != Losses {
		shown = append(shown, accuracyTitle)
	}
	return shown
}

// Curve is one training run.
type Curve struct {
	Panel string // the title: the model, with its data set where there are several
	Name  string // what tells runs of a panel apart, seeds left out: "lambda_con 10"; equal names have equal colours
	// Epochs, in order. Several runs of one name, the seeds, are lines of one colour.
	Epochs []Epoch
}

// Epoch is one pass over the training set; nil: not known.
type Epoch struct {
	N           int // from 1
	Loss        *float64
	DevLoss     *float64
	DevAccuracy *float64 // percent
	Kept        bool     // the model ends with these weights
}

// What a panel shows stands under its title.
const (
	lossTitle      = "loss" // on the training set and on the dev set
	trainLossTitle = "training loss"
	devLossTitle   = "dev loss"
	accuracyTitle  = "dev accuracy, %"
)

// farApart is the factor between training and dev loss beyond which, at every epoch, they are taken
// for different sums: one axis would show neither.
const farApart = 4

// mostBeside is how many panels stand in rows of two; more of them stand in rows of three, which a
// column of a two-column paper still has room for.
const mostBeside = 4

// lossesApart says whether the losses of a model are far apart at every epoch that has both, and
// there is one.
func lossesApart(curves []Curve) bool {
	apart := false
	for _, c := range curves {
		for _, e := range c.Epochs {
			if e.Loss == nil || e.DevLoss == nil {
				continue
			}
			low, high := min(*e.Loss, *e.DevLoss), max(*e.Loss, *e.DevLoss)
			if low <= 0 || high <= farApart*low {
				return false
			}
			apart = true
		}
	}
	return apart
}

func (f Training) sheet() (*drawing.Sheet, error) {
	var panels, names []string
	for _, c := range f.Curves {
		for _, e := range c.Epochs {
			what := fmt.Sprintf("the figure of training, model %q, epoch %d,", c.Panel, e.N)
			if err := finite(what, e.Loss, e.DevLoss, e.DevAccuracy); err != nil {
				return nil, err
			}
		}
		panels, names = lists.AddOnce(panels, c.Panel), lists.AddOnce(names, c.Name)
	}
	s := &drawing.Sheet{Size: f.Size, Height: 3.3}
	used := trainingLines{}
	var named []string // of lines that are drawn
	for _, name := range panels {
		curves := lists.Where(f.Curves, func(c Curve) bool { return c.Panel == name })
		for _, what := range f.Only.panels(curves) {
			if panel := trainingPanel(what, curves, names, &used); panel != nil {
				s.Panels = append(s.Panels, panel)
			}
		}
		for _, c := range lists.Where(curves, f.Only.has) {
			named = lists.AddOnce(named, c.Name)
		}
	}
	if len(s.Panels) == 0 {
		return nil, nothing("training", "at least one trained model with a loss")
	}
	s.Columns = min(2, len(s.Panels))
	if len(s.Panels) > mostBeside {
		s.Columns, s.Height = 3, 2.8
	}
	for i := max(0, len(s.Panels)-s.Columns); i < len(s.Panels); i++ {
		s.Panels[i].X.Title = "epoch"
	}
	s.Legend = used.entries(names, named)
	return s, nil
}

// trainingPanel draws the losses, one of them, or the accuracy of one model; nil where none is
// known.
func trainingPanel(what string, curves []Curve, names []string, used *trainingLines) *drawing.Panel {
	panel := &drawing.Panel{Title: curves[0].Panel, Under: what}
	x, y, alone := drawing.EmptySpan(), drawing.EmptySpan(), false
	for _, c := range curves {
		line := nameLine(slices.Index(names, c.Name))
		thin := line
		thin.Thin = true
		train, dev := drawing.Curve{Line: &thin}, drawing.Curve{Line: &line}
		kept := drawing.Curve{Mark: &drawing.Mark{Colour: line.Colour}}
		for _, e := range c.Epochs {
			onTrain, onDev := e.Loss, e.DevLoss
			switch what {
			case trainLossTitle:
				onDev = nil
			case devLossTitle:
				onTrain = nil
			case accuracyTitle:
				onTrain, onDev = nil, e.DevAccuracy
			}
			dot := func(v *float64, to *drawing.Curve, used *bool) {
				d := drawing.Dot{X: float64(e.N), Y: math.NaN()}
				if v != nil {
					d.Y, *used = *v, true
					x.Add(Value{Mean: d.X})
					y.Add(Value{Mean: d.Y})
				}
				to.Dots = append(to.Dots, d)
			}
			dot(onTrain, &train, &used.train)
			dot(onDev, &dev, &used.dev)
			if shown := cmp.Or(onDev, onTrain); e.Kept && shown != nil {
				dot(shown, &kept, &used.kept)
			}
		}
		alone = alone || len(c.Epochs) == 1
		panel.Curves = append(panel.Curves, train, dev, kept)
	}
	if y.Empty() {
		return nil
	}
	used.alone = used.alone || alone
	panel.X = drawing.Axis{Range: x.Padded(0.06), Most: 5, Whole: true}
	panel.Y = drawing.Axis{Range: y.Padded(0.1), Most: 4}
	return panel
}

// has says whether a part has something of a training.
func (s Shown) has(c Curve) bool {
	return slices.ContainsFunc(c.Epochs, func(e Epoch) bool {
		return s != Measures && (e.Loss != nil || e.DevLoss != nil) ||
			s != Losses && e.DevAccuracy != nil
	})
}

// nameLine is the line of the i-th name.
func nameLine(i int) drawing.Line { return drawing.Line{Colour: drawing.Colour(i), Pattern: i} }

// noName is the legend's text of models that nothing tells apart, beside models of several names.
const noName = "trained once"

// trainingLines remembers what the legend must explain.
type trainingLines struct {
	train, dev, kept bool
	alone            bool // some points are joined to no other
}

// entries are those of a legend: of all names, those of lines that are drawn, where there are
// several; one alone has nothing to be told from.
func (u trainingLines) entries(names, drawn []string) []drawing.Entry {
	var list []drawing.Entry
	base := nameLine(slices.Index(names, drawn[0]))
	if len(drawn) > 1 || drawn[0] != "" && len(names) > 1 {
		base = drawing.Line{Colour: drawing.Muted}
		for i, n := range names {
			if line := nameLine(i); slices.Contains(drawn, n) {
				list = append(list, drawing.Entry{Text: cmp.Or(n, noName), Line: &line})
			}
		}
	}
	add := func(used bool, text string, line drawing.Line) {
		if used {
			list = append(list, drawing.Entry{Text: text, Line: &line})
			if u.alone {
				list[len(list)-1].Mark = line.Alone()
			}
		}
	}
	thin := base
	thin.Thin = true
	add(u.dev, "dev set", base)
	add(u.train, "training set", thin)
	if u.kept {
		list = append(list, drawing.Entry{Text: "epoch that is kept", Mark: &drawing.Mark{Colour: base.Colour}})
	}
	return list
}

// TrainingOf is the training of each data set: a panel a model, whose lines are named by what tells
// them apart. A part that no row has is nil.
func TrainingOf(rows []report.TrainingRow, part Shown) iter.Seq2[string, Figure] {
	type model struct{ dataset, name string }
	axes := map[model][][]report.Axis{}
	var datasets []string
	for _, r := range rows {
		m := model{r.Dataset, r.Model}
		axes[m] = append(axes[m], r.Axes)
	}
	apart := map[model][]string{}
	for m, all := range axes {
		apart[m] = report.Differing(all)
	}
	curves := map[string][]Curve{}
	for i := 0; i < len(rows); {
		row, k := &rows[i], i
		c := Curve{Panel: report.PartName(row.Model), Name: only(row.Axes, apart[model{row.Dataset, row.Model}])}
		for ; k < len(rows) && (k == i || rows[k].Epoch > rows[k-1].Epoch); k++ {
			e := &rows[k]
			c.Epochs = append(c.Epochs, Epoch{
				N: e.Epoch, Loss: e.TrainLoss, DevLoss: e.DevLoss, DevAccuracy: e.DevAccuracy, Kept: e.Kept,
			})
		}
		if curves[row.Dataset] == nil {
			datasets = append(datasets, row.Dataset)
		}
		curves[row.Dataset] = append(curves[row.Dataset], c)
		i = k
	}
	return func(yield func(string, Figure) bool) {
		for _, dataset := range datasets {
			var f Figure
			if slices.ContainsFunc(curves[dataset], part.has) {
				f = Training{Curves: curves[dataset], Only: part}
			}
			if !yield(dataset, f) {
				return
			}
		}
	}
}
