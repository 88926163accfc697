package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// tradeOffData is the page of the plot of one metric over another.
type tradeOffData struct {
	Metrics []choice // of either axis
	X, Y    string
	Plots   []plotData
	Notices []string
}

// choice is an option of a select.
type choice struct {
	Value, Text string
}

// plotData is a plot of one data set.
type plotData struct {
	Dataset        string
	XHead, YHead   string
	XTicks, YTicks []tick
	Marks          []markData
	Systems        []systemData
	Front          string // the points of a line, "" for none
	Frame          plotFrame
}

// plotFrame are the edges of a plot, in units of its picture.
type plotFrame struct{ Width, Height, Left, Right, Top, Bottom float64 }

// systemData is one line of the key, a system and how it writes: "SMLM-G, guided".
type systemData struct {
	Name string
	markStyle
	Of int // marks
}

// markStyle is the colour and shape of a system's marks, both of which the style sheet and the
// template number.
type markStyle struct{ Colour, Shape int }

// markData is a mark: one system at one setting, mean over its seeds.
type markData struct {
	At string // where it is, as transform has it
	markStyle
	System, Name, Numbers, Mode string
	OnFront                     bool
	Label                       *labelData // nil where there is no room for one
	x, y                        float64
	ranked                      bool
}

// plain is the frame of a plot.
var plain = plotFrame{Width: 640, Height: 440, Left: 64, Right: 626, Top: 14, Bottom: 386}

func (s *Server) tradeOffPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	found, err := s.study.results()
	if err != nil {
		return nil, err
	}
	d := tradeOffData{X: "s_bleu", Y: "tst", Notices: found.notices()}
	shown := plottable(found.results.Results)
	for _, m := range shown {
		d.Metrics = append(d.Metrics, choice{m.Key, oneLine(m.Head)})
	}
	for name, into := range map[string]*string{"x": &d.X, "y": &d.Y} {
		given := r.URL.Query().Get(name)
		if given == "" {
			continue
		}
		if !slices.ContainsFunc(shown, func(m *metrics.Metric) bool { return m.Key == given }) {
			return nil, userr.New(userr.BadInput, "%s is no metric that a finished row has: choose one from the list", name)
		}
		*into = given
	}
	x, y := metrics.ColumnsOf(d.X)[0], metrics.ColumnsOf(d.Y)[0]
	var datasets []string
	for i := range found.results.Results {
		if set := found.results.Results[i].Dataset; !slices.Contains(datasets, set) {
			datasets = append(datasets, set)
		}
	}
	for _, set := range datasets {
		if p := plotOf(found.results.Results, set, x, y); len(p.Marks) > 0 {
			d.Plots = append(d.Plots, p)
		}
	}
	return &view{Title: "Trade-off", Page: "tradeoff", Script: "plot.js", Data: d}, nil
}

// plottable are the metrics that some row has.
func plottable(rows []report.ResultRow) []*metrics.Metric {
	has := map[string]bool{}
	for i := range rows {
		for key := range rows[i].Metrics.Metrics {
			has[key] = true
		}
	}
	var keys []string
	for key := range has {
		keys = append(keys, key)
	}
	return metrics.ColumnsOf(keys...)
}

func oneLine(head string) string { return strings.Join(strings.Fields(head), " ") }

func plotOf(rows []report.ResultRow, dataset string, x, y *metrics.Metric) plotData {
	p := plotData{Dataset: dataset, XHead: oneLine(x.Head), YHead: oneLine(y.Head), Frame: plain}
	var xs, ys []float64
	for _, group := range report.BySeed(rows) {
		row := &rows[group[0]]
		if row.Dataset != dataset {
			continue
		}
		m := markData{System: report.SystemOf(row), Name: nameOf(row), ranked: !row.Unranked}
		var atX, atY []float64
		for _, i := range group {
			of := rows[i].Metrics
			vx, hasX := of.Metrics[x.Key]
			vy, hasY := of.Metrics[y.Key]
			if hasX && hasY {
				atX, atY = append(atX, vx), append(atY, vy)
			}
			m.ranked = m.ranked && !of.Collapsed()
		}
		if len(atX) == 0 {
			continue
		}
		var dx, dy float64
		m.x, dx = report.SeedStats(atX)
		m.y, dy = report.SeedStats(atY)
		m.Numbers = number(y, m.y, dy, len(atX)) + ", " + number(x, m.x, dx, len(atX))
		switch {
		case row.Unranked:
			m.Mode = "people"
		case !m.ranked:
			m.Mode = "collapsed: it writes one word everywhere"
		case row.Published:
			m.Mode = "published"
		}
		m.markStyle = p.styleOf(m.System)
		p.Marks = append(p.Marks, m)
		xs, ys = append(xs, m.x), append(ys, m.y)
	}
	across, up := newAxis(xs, plain.Left, plain.Right), newAxis(ys, plain.Bottom, plain.Top)
	p.lay(across, up)
	p.label(across, up)
	if x.Better == metrics.Higher && y.Better == metrics.Higher {
		p.front(across, up)
	}
	return p
}

// lay puts the marks in their places, from left to right.
func (p *plotData) lay(x, y axis) {
	slices.SortStableFunc(p.Marks, func(a, b markData) int {
		if a.x != b.x && a.x < b.x {
			return -1
		} else if a.x != b.x {
			return 1
		}
		return 0
	})
	for i := range p.Marks {
		p.Marks[i].At = fmt.Sprintf("translate(%g %g)", x.at(p.Marks[i].x), y.at(p.Marks[i].y))
	}
	p.XTicks, p.YTicks = x.ticks(6), y.ticks(6)
}

// front joins the marks that none is better than in both metrics, of systems that may be ranked.
func (p *plotData) front(x, y axis) {
	best, line := 0, []string{}
	for i := len(p.Marks) - 1; i >= 0; i-- { // from the right
		m := &p.Marks[i]
		if !m.ranked || len(line) > 0 && m.y <= p.Marks[best].y {
			continue
		}
		if len(line) > 0 && m.x == p.Marks[best].x { // above the one before
			p.Marks[best].OnFront = false
			line = line[:len(line)-1]
		}
		if len(line) > 0 {
			line = append(line, fmt.Sprintf("%g,%g", x.at(m.x), y.at(p.Marks[best].y)))
		}
		m.OnFront = true
		line = append(line, fmt.Sprintf("%g,%g", x.at(m.x), y.at(m.y)))
		best = i
	}
	if len(line) > 1 {
		p.Front = strings.Join(line, " ")
	}
}

// styles is how many colours there are, and how many shapes.
const styles = 8

// styleOf gives every system a colour and a shape that no other of the first 64 has together, and
// counts its marks.
func (p *plotData) styleOf(system string) markStyle {
	for i := range p.Systems {
		if p.Systems[i].Name == system {
			p.Systems[i].Of++
			return p.Systems[i].markStyle
		}
	}
	n := len(p.Systems)
	style := markStyle{Colour: (n + 3*(n/styles)) % styles, Shape: n % styles}
	p.Systems = append(p.Systems, systemData{system, style, 1})
	return style
}

// nameOf names a row without its seed: "SMLM, lambda_eps 0.5".
func nameOf(row *report.ResultRow) string {
	words := []string{row.System}
	for _, a := range row.Axes {
		words = append(words, a.Key+" "+a.Value)
	}
	return strings.Join(words, ", ")
}

// number is a figure with its metric: "TST% 81.2 ± 0.4 of 3 seeds".
func number(m *metrics.Metric, v, deviation float64, n int) string {
	text := fmt.Sprintf("%s %.*f", oneLine(m.Head), m.Decimals, v)
	if n > 1 {
		text += fmt.Sprintf(" ± %.*f of %d seeds", m.Decimals, deviation, n)
	}
	return text
}
