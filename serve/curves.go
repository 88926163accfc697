package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/runs/track"
)

// curvesData is the page of training curves.
type curvesData struct {
	Kinds  []choice
	Kind   string // shown alone, "" for all
	Panels []panelData
}

// panelData is one figure of the trainings of one kind on one data set.
type panelData struct {
	Title, Figure  string
	XTicks, YTicks []tick
	Curves         []curveData
	Frame          plotFrame
}

// curveData is the line of one training.
type curveData struct {
	Name, Last string // what it is, and its last value
	Line       string // its points
	Dots       []dotData
	Style      int
	Dashed     bool // of the training set
	Goes       bool // the training is not over
}

// dotData is a point of a line.
type dotData struct {
	X, Y float64
	Text string
}

// low is the frame of a curve.
var low = plotFrame{Width: 480, Height: 300, Left: 58, Right: 468, Top: 12, Bottom: 250}

// figures are what panels show: names of Values, the first dashed where there are two.
var figures = []struct {
	title string
	of    []string
}{
	{"loss (dashed: on the training set)", []string{"train_loss", "dev_loss"}},
	{"dev accuracy, %", []string{"dev_accuracy"}},
	{"conicity of the dev set", []string{"conicity"}},
}

func (s *Server) curvesPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	p, _, err := s.study.stages()
	if err != nil {
		return nil, err
	}
	d := curvesData{Kind: r.URL.Query().Get("kind")}
	groups := map[string][]*track.Run{}
	var titles []string
	for _, run := range track.Trainings(p, s.study.ws) {
		kind := run.Params["kind"]
		if !slices.ContainsFunc(d.Kinds, func(c choice) bool { return c.Value == kind }) {
			d.Kinds = append(d.Kinds, choice{kind, kind})
		}
		if d.Kind != "" && d.Kind != kind {
			continue
		}
		title := kind
		if len(p.Experiment.Datasets) > 1 {
			title += " on " + run.Params["data set"]
		}
		if groups[title] == nil {
			titles = append(titles, title)
		}
		groups[title] = append(groups[title], run)
	}
	for _, title := range titles {
		for _, f := range figures {
			if panel := panelOf(groups[title], f.of); len(panel.Curves) > 0 {
				panel.Title, panel.Figure = title, f.title
				d.Panels = append(d.Panels, panel)
			}
		}
	}
	return &view{Title: "Training curves", Page: "curves", Script: "plot.js", Data: d}, nil
}

// panelOf draws some values of trainings over their epochs.
func panelOf(runs []*track.Run, names []string) panelData {
	p := panelData{Frame: low}
	var values []float64
	most := 1
	for _, run := range runs {
		most = max(most, len(run.Steps))
		for _, step := range run.Steps {
			for _, name := range names {
				if v, has := step.Values[name]; has {
					values = append(values, v)
				}
			}
		}
	}
	if len(values) == 0 {
		return p
	}
	x, y := newAxis([]float64{1, float64(most)}, low.Left, low.Right), newAxis(values, low.Bottom, low.Top)
	for k, run := range runs {
		for i, name := range names {
			c := curveData{
				Name: settingsOf(run), Style: k % styles, Dashed: len(names) > 1 && i == 0, Goes: !run.Over,
			}
			var line []string
			for n, step := range run.Steps {
				v, has := step.Values[name]
				if !has {
					continue
				}
				dot := dotData{x.at(float64(n + 1)), y.at(v), fmt.Sprintf("epoch %d: %.4g", n+1, v)}
				c.Dots, c.Last = append(c.Dots, dot), fmt.Sprintf("%.4g after epoch %d", v, n+1)
				line = append(line, fmt.Sprintf("%g,%g", dot.X, dot.Y))
			}
			if c.Line = strings.Join(line, " "); len(line) > 0 {
				p.Curves = append(p.Curves, c)
			}
		}
	}
	p.YTicks = y.ticks(5)
	for e := 1; e <= most; e += (most + 7) / 8 {
		p.XTicks = append(p.XTicks, tick{x.at(float64(e)), strconv.Itoa(e)})
	}
	return p
}

// settingsOf says what tells a training from others of its kind.
func settingsOf(run *track.Run) string {
	var words []string
	for key, value := range run.Params {
		if !slices.Contains([]string{"experiment", "data set", "kind", "identity"}, key) {
			words = append(words, key+" "+value)
		}
	}
	slices.Sort(words)
	if len(words) == 0 {
		return run.Name
	}
	return strings.Join(words, ", ")
}
