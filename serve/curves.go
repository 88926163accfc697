package serve

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/figure"
	"github.com/smlm-exp/smlm-exp/runs/results"
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
	groups := map[string][]*track.Run{}
	var titles []string
	// By identity: judges of one stage, with a class for mixed texts and without, are two models.
	models := map[string]string{}
	for _, of := range p.Stages {
		models[of.ID] = results.ModelName(of)
	}
	for _, run := range track.Trainings(p, s.study.ws) {
		stage := models[run.ID]
		d.Stages = lists.AddOnce(d.Stages, choice{stage, report.PartName(stage)})
		if d.Stage != "" && d.Stage != stage {
			continue
		}
		title := report.PartName(stage)
		if len(p.Experiment.Datasets) > 1 {
			title += " on " + run.Params["data set"]
		}
		titles = lists.AddOnce(titles, title)
		groups[title] = append(groups[title], run)
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

// trainingOf is the figure of trainings of one model, over or not.
func trainingOf(runs []*track.Run) figure.Training {
	var f figure.Training
	for _, run := range runs {
		c := figure.Curve{Name: settingsOf(run, differs(runs)), Note: settingsOf(run, isSetting), Running: !run.Over}
		if c.Note == "" {
			c.Note = run.Name
		}
		for i, step := range run.Steps {
			value := func(name string) *float64 {
				if v, known := step.Values[name]; known {
					return &v
				}
				return nil
			}
			c.Epochs = append(c.Epochs, figure.Epoch{
				N: i + 1, Loss: value("train_loss"), DevLoss: value("dev_loss"), DevAccuracy: value("dev_accuracy"),
				Conicity: value("conicity"), Kept: i+1 == run.Kept,
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

// isSetting says whether a parameter of a run is a setting of its training.
func isSetting(key string) bool {
	return !slices.Contains([]string{"experiment", "data set", "stage", "identity"}, key)
}

// differs says which settings some of the trainings do not share. Seeds have one name, and one
// colour.
func differs(runs []*track.Run) func(key string) bool {
	return func(key string) bool {
		return isSetting(key) && key != "seed" && slices.ContainsFunc(runs, func(run *track.Run) bool {
			return run.Params[key] != runs[0].Params[key]
		})
	}
}

// settingsOf lists parameters of a run: "lambda_con 10, seed 1".
func settingsOf(run *track.Run, of func(key string) bool) string {
	var words []string
	for key, value := range run.Params {
		if of(key) {
			words = append(words, key+" "+value)
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}
