package figure

import (
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// TradeOff sets style against content: TST% over s-BLEU, a mark a system or point of a sweep, ours and published ones with different marks, and
// the front of those that no other beats in both. A mark whose name has no room beside it gets a number, and the name stands in the legend.
type TradeOff struct {
	Panels []TradeOffPanel // usually one a data set; two in a row from 14 cm on
	Size   Size            // a panel is 6.5 cm high by default
}

// TradeOffPanel is one data set.
type TradeOffPanel struct {
	Title  string // "" for none
	Points []TradeOffPoint
}

// TradeOffPoint is one system, or one point of a sweep.
type TradeOffPoint struct {
	Name      string
	SBLEU     Value // BLEU-4 against the sources, percent
	TST       Value // outputs that the classifier takes for the target style, percent
	Published bool  // not ours

	// Neither of these is on the front or in its way.
	Collapsed bool // writes one word everywhere; in grey, with a sign behind its name
	People    bool // human references, no system; Published does not matter
}

// collapsedSign is that of package report's tables.
const collapsedSign = "‡"

// label is the name as it is drawn.
func (q *TradeOffPoint) label() string {
	name := clean(q.Name)
	if q.Collapsed && name != "" {
		name += collapsedSign
	}
	return name
}

// twoColumns is the width, in points, from which panels stand two in a row.
const twoColumns = 14 * 72 / 2.54

// Write implements Figure.
func (f TradeOff) Write(w io.Writer, format string) error {
	return write(w, format, f.Size, f.sheet)
}

func (f TradeOff) sheet(p *pen) (*sheet, error) {
	s := &sheet{pen: p, columns: 1, panel: p.panelOr(6.5)}
	var clouds []*cloud
	seen := map[pointKind]bool{}
	for _, panel := range f.Panels {
		if len(panel.Points) == 0 {
			continue
		}
		c := &cloud{pen: p, points: panel.Points}
		for _, q := range panel.Points {
			if err := finite(fmt.Sprintf("the figure of TST%% against s-BLEU, system %q,", q.Name), q.SBLEU.Mean, q.SBLEU.Deviation, q.TST.Mean, q.TST.Deviation); err != nil {
				return nil, err
			}
			seen[q.kind()] = true
		}
		clouds = append(clouds, c)
		s.panels = append(s.panels, c.axes(clean(panel.Title)))
	}
	if len(clouds) == 0 {
		return nil, nothing("TST% against s-BLEU", "at least one system with both figures")
	}
	if p.width >= twoColumns && len(clouds) > 1 {
		s.columns = 2
	}
	for i := 0; i < len(s.panels); i += s.columns { // the title stands at the left only
		s.panels[i].Y.Label.Text = "TST, %"
	}
	for k, text := range pointKinds {
		if seen[pointKind(k)] {
			m := pointKind(k).mark()
			s.entries = append(s.entries, entry{text: text, mark: &m})
		}
	}
	// Where the names stand depends on the panels' size alone, and the legend on which names found no room.
	next, steps := 1, false
	for i, rect := range s.dataRectangles() {
		front, _ := clouds[i].front(s.panels[i], draw.Canvas{Rectangle: rect})
		steps = steps || len(front) > 1
		numbered := clouds[i].arrange(s.panels[i], rect, next)
		next += len(numbered)
		s.numbers = append(s.numbers, numbered...)
	}
	if steps {
		front := "Pareto front"
		if seen[collapsedOurs] || seen[collapsedPublished] || seen[people] {
			front += " (without collapsed systems and people)"
		}
		s.entries = append(s.entries, entry{text: front, line: &frontLine})
	}
	return s, nil
}

var frontLine = draw.LineStyle{Color: muted, Width: thinWidth, Dashes: dashed}

// axes makes the panel of a cloud.
func (c *cloud) axes(title string) *plot.Plot {
	plt := c.pen.axes(title, "s-BLEU, %", "")
	x, y := emptySpan(), emptySpan()
	for _, q := range c.points {
		x.addValue(&q.SBLEU)
		y.addValue(&q.TST)
	}
	x.padded(0.08).set(&plt.X, 7)
	y.padded(0.08).set(&plt.Y, 7)
	plt.Add(grid{vertical: true}, c)
	return plt
}
