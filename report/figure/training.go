package figure

import (
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot/vg/draw"
)

// Training is the course of training: the loss on the training set (dashed) and on the dev set (solid) by epoch, a panel a model, and a panel
// of dev accuracy for each model that has one. Where the two losses are different sums, far apart at every epoch, each has a panel. A disc marks the epoch whose weights were kept. Losses of different models are different sums: every
// panel has its own axis.
type Training struct {
	Curves []Curve // panels stand in the order of their first curves
	Size   Size    // a panel is 3.6 cm high by default
}

// Curve is one training run.
type Curve struct {
	Panel string // the model, with its data set where there are several: "yelp, classifier"
	Name  string // what tells runs of a panel apart, seeds left out: "lambda_con 10"; equal names have equal colours
	// Epochs, in order. Several runs of one name, the seeds, are thin lines of one colour.
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

// Write implements Figure.
func (f Training) Write(w io.Writer, format string) error {
	return write(w, format, f.Size, f.sheet)
}

// What a panel shows is the title of its axis.
const (
	lossTitle      = "loss" // on the training set and on the dev set
	trainLossTitle = "training loss"
	devLossTitle   = "dev loss"
	accuracyTitle  = "dev accuracy, %"
)

// farApart is the factor between training and dev loss beyond which, at every epoch, they are taken for different sums: one axis would show neither.
const farApart = 4

// lossesApart says whether the losses of a model are far apart at every epoch that has both, and there is one.
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

func (f Training) sheet(p *pen) (*sheet, error) {
	s := &sheet{pen: p, columns: 2, panel: p.panelOr(3.6)}
	var panels, names []string
	for _, c := range f.Curves {
		for _, e := range c.Epochs {
			for _, v := range []*float64{e.Loss, e.DevLoss, e.DevAccuracy} {
				if v == nil {
					continue
				}
				if err := finite(fmt.Sprintf("the figure of training, model %q, epoch %d,", c.Panel, e.N), *v); err != nil {
					return nil, err
				}
			}
		}
		panels, names = addOnce(panels, c.Panel), addOnce(names, c.Name)
	}
	used := trainingLines{}
	for _, name := range panels {
		curves := slices.DeleteFunc(slices.Clone(f.Curves), func(c Curve) bool { return c.Panel != name })
		shown := []string{lossTitle, accuracyTitle}
		if lossesApart(curves) {
			shown = []string{trainLossTitle, devLossTitle, accuracyTitle}
		}
		for _, what := range shown {
			if plt := trainingPanel(p, name, what, curves, names, &used); plt != nil {
				s.panels = append(s.panels, plt)
			}
		}
	}
	if len(s.panels) == 0 {
		return nil, nothing("training", "at least one trained model with a loss")
	}
	s.columns = min(2, len(s.panels))
	for i := max(0, len(s.panels)-s.columns); i < len(s.panels); i++ {
		s.panels[i].X.Label.Text = "epoch"
	}
	s.entries = used.entries(names)
	return s, nil
}

// trainingLines remembers what the legend must explain.
type trainingLines struct {
	train, dev, kept bool
	alone            bool // some points are joined to no other
}

func (u trainingLines) entries(names []string) []entry {
	var list []entry
	if len(names) > 1 {
		for i, n := range names {
			if n == "" {
				continue
			}
			list = append(list, entry{text: clean(n), line: &draw.LineStyle{Color: colourOf(i), Width: lineWidth}})
		}
	}
	clr := colourOf(0)
	if len(names) > 1 {
		clr = muted
	}
	for _, kind := range []struct {
		used bool
		text string
		line draw.LineStyle
	}{
		{u.dev, "dev set", draw.LineStyle{Color: clr, Width: lineWidth}},
		{u.train, "training set", draw.LineStyle{Color: clr, Width: lineWidth, Dashes: dashed}},
	} {
		if !kind.used {
			continue
		}
		e := entry{text: kind.text, line: &kind.line}
		if u.alone {
			m := alone(kind.line)
			e.mark = &m
		}
		list = append(list, e)
	}
	if u.kept {
		list = append(list, entry{text: "weights kept", mark: &draw.GlyphStyle{Color: clr, Radius: markRadius, Shape: mark{shape: circle}}})
	}
	return list
}
