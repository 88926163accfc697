package serve

import (
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/track"
)

// curvesData is the page of training curves.
type curvesData struct {
	Stages []choice
	Stage  string // shown alone, "" for all
	Panels []panelData
}

// panelData is the figure of the trainings of one model on one data set.
type panelData struct {
	Title  string
	Figure template.HTML
}

func (s *Server) curvesPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	p := s.study.plan
	d := curvesData{Stage: r.URL.Query().Get("stage")}
	groups := map[string][]training{}
	var titles []string
	for _, of := range p.Stages {
		if !slices.Contains(stages.Trained(), of.Name) {
			continue
		}
		curve, err := track.ReadCurve(s.study.ws, of)
		if err != nil || len(curve.Epochs) == 0 {
			continue
		}
		model := results.ModelName(of)
		d.Stages = lists.AddOnce(d.Stages, choice{model, report.PartName(model)})
		if d.Stage != "" && d.Stage != model {
			continue
		}
		title := report.PartName(model)
		if len(p.Experiment.Datasets) > 1 {
			point, _ := of.First()
			title += " on " + point.Dataset
		}
		titles = lists.AddOnce(titles, title)
		groups[title] = append(groups[title], training{of, curve, settingsOf(of)})
	}
	for _, title := range titles {
		f := trainingOf(groups[title])
		if !slices.ContainsFunc(f.Curves, hasValues) {
			continue
		}
		svg, err := figure.Inline(f)
		if err != nil {
			return nil, err
		}
		d.Panels = append(d.Panels, panelData{title, template.HTML(svg)}) //nolint:gosec // figures escape their texts
	}
	return &view{Title: "Training curves", Page: "curves", Script: "plot.js", Data: d}, nil
}

// training is a training, over or not.
type training struct {
	stage    *plan.Stage
	curve    track.Curve
	settings map[string]string // by key
}

// settingsOf are the swept settings and the seed of a training.
func settingsOf(s *plan.Stage) map[string]string {
	settings := map[string]string{}
	for _, a := range s.Agreed() {
		settings[a.Key] = a.Value
	}
	var of struct {
		Seed *uint64 `json:"seed"`
	}
	if text, err := s.SettingsJSON(); err == nil && json.Unmarshal(text, &of) == nil && of.Seed != nil {
		settings["seed"] = strconv.FormatUint(*of.Seed, 10)
	}
	return settings
}

// trainingOf is the figure of trainings of one model.
func trainingOf(all []training) figure.Training {
	var f figure.Training
	every := func(string) bool { return true }
	for _, one := range all {
		c := figure.Curve{Name: one.list(differs(all)), Note: one.list(every), Running: !one.curve.Over}
		if c.Note == "" {
			c.Note = one.stage.Title()
		}
		for i, e := range one.curve.Epochs {
			c.Epochs = append(c.Epochs, figure.Epoch{
				N: i + 1, Loss: e.TrainLoss, DevLoss: e.Dev.Loss, DevAccuracy: e.Dev.Accuracy, Conicity: e.Dev.Conicity,
				Kept: one.curve.Over && i == one.curve.Best,
			})
		}
		f.Curves = append(f.Curves, c)
	}
	return f
}

// hasValues says whether there is something of a training to draw.
func hasValues(c figure.Curve) bool {
	return slices.ContainsFunc(c.Epochs, func(e figure.Epoch) bool {
		return e.Loss != nil || e.DevLoss != nil || e.DevAccuracy != nil || e.Conicity != nil
	})
}

// differs says which settings some of the trainings do not share. Seeds have one name, and one
// colour.
func differs(all []training) func(key string) bool {
	return func(key string) bool {
		return key != "seed" && slices.ContainsFunc(all, func(one training) bool {
			return one.settings[key] != all[0].settings[key]
		})
	}
}

// list words settings of a training: "lambda_con 10, seed 1".
func (t training) list(of func(key string) bool) string {
	var words []string
	for key, value := range t.settings {
		if of(key) {
			words = append(words, key+" "+value)
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}
