package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// trainingPanel draws the losses, one of them, or the accuracy of one model; nil where none is known.
func trainingPanel(p *pen, name, what string, curves []Curve, names []string, used *trainingLines) *plot.Plot {
	plt := p.axes(clean(name), "", what)
	plt.Add(grid{})
	x, y := emptySpan(), emptySpan()
	runs := map[string]int{}
	for _, c := range curves {
		runs[c.Name]++
	}
	for _, c := range curves {
		i := slices.Index(names, c.Name)
		line := draw.LineStyle{Color: colourOf(i), Width: lineWidth}
		if runs[c.Name] > 1 {
			line.Width = thinWidth
		}
		var train, dev, kept []dot
		for _, e := range c.Epochs {
			at := float64(e.N)
			onTrain, onDev := e.Loss, e.DevLoss
			switch what {
			case trainLossTitle:
				onDev = nil
			case devLossTitle:
				onTrain = nil
			case accuracyTitle:
				onTrain, onDev = nil, e.DevAccuracy
			}
			shown := dot{x: at, y: math.NaN()}
			for _, v := range []struct {
				value *float64
				to    *[]dot
				used  *bool
			}{{onTrain, &train, &used.train}, {onDev, &dev, &used.dev}} {
				d := dot{x: at, y: math.NaN()}
				if v.value != nil {
					d.y = *v.value
					x.add(at)
					y.add(d.y)
					*v.used = true
					shown = d
				}
				*v.to = append(*v.to, d)
			}
			if e.Kept && !math.IsNaN(shown.y) {
				kept = append(kept, shown)
				used.kept = true
			}
		}
		used.alone = used.alone || len(c.Epochs) == 1
		on := line
		on.Dashes = dashed
		plt.Add(curve{dots: train, line: on}, curve{dots: dev, line: line},
			curve{dots: kept, mark: draw.GlyphStyle{Color: line.Color, Radius: markRadius, Shape: mark{shape: circle}}})
	}
	if math.IsInf(y.low, 0) {
		return nil
	}
	x = x.padded(0.05)
	plt.X.Min, plt.X.Max = x.low, x.high
	plt.X.Tick.Marker = plot.ConstantTicks(roundTicks(x.low, x.high, 6, 1))
	y.padded(0.08).set(&plt.Y, 5)
	return plt
}
