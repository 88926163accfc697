package track

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// finder reads runs from a workspace. What cannot be read is left out: it is no business of a
// tracker, and whoever needs it says so.
type finder struct {
	ws   *workspace.Workspace
	over map[string]*Run // finished trainings, by identity
}

// Trainings are those of a plan that have ended an epoch, finished or not.
func Trainings(p *plan.Plan, ws *workspace.Workspace) []*Run {
	return (&finder{ws: ws, over: map[string]*Run{}}).trainings(p)
}

// trainings are the trainings of a plan that have ended an epoch.
func (f *finder) trainings(p *plan.Plan) (out []*Run) {
	for _, s := range p.Stages {
		if !slices.Contains(stages.Trained(), s.Name) {
			continue
		}
		if r := f.over[s.ID]; r != nil {
			out = append(out, r)
			continue
		}
		r := &Run{ID: s.ID, Name: s.Title()}
		if f.curve(s, r); len(r.Steps) == 0 && !r.Over {
			continue // most of a large plan, at every look
		}
		r.Params = trainingParams(p, s)
		if len(r.Steps) > 0 {
			out = append(out, r)
		}
		if r.Over {
			f.over[s.ID] = r
		}
	}
	return out
}

// trainingParams says which training a stage is.
func trainingParams(p *plan.Plan, s *plan.Stage) map[string]string {
	point, _ := s.First()
	params := map[string]string{
		"experiment": p.Experiment.Name, "data set": point.Dataset, "stage": string(s.Name), "identity": s.ID,
	}
	for _, a := range s.Agreed() {
		params[a.Key] = a.Value
	}
	settings, err := s.SettingsJSON()
	if err == nil {
		var of struct {
			Seed *uint64 `json:"seed"`
		}
		if json.Unmarshal(settings, &of) == nil && of.Seed != nil {
			params["seed"] = strconv.FormatUint(*of.Seed, 10)
		}
	}
	return params
}

// curve reads the epochs of a training, finished or not.
func (f *finder) curve(s *plan.Stage, r *Run) {
	var epochs []stages.Epoch
	var end time.Time
	if f.ws.Done(s) {
		var h stages.History
		record, err := f.ws.Record(s)
		if err != nil || f.ws.ReadJSON(s, "history.json", &h) != nil {
			return
		}
		epochs, end, r.Over, r.Kept = h.Epochs, record.End, true, h.Best+1
	} else {
		path := filepath.Join(f.ws.ScratchDir(s), stage.EpochsFile)
		if files.ReadJSON(path, &epochs) != nil {
			return
		}
		if info, err := os.Stat(path); err == nil {
			end = info.ModTime()
		}
	}
	for _, e := range epochs {
		values := map[string]float64{}
		for name, v := range map[string]*float64{
			"train_loss": e.TrainLoss, "dev_loss": e.Dev.Loss, "dev_accuracy": e.Dev.Accuracy, "conicity": e.Dev.Conicity,
		} {
			if v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
				values[name] = *v
			}
		}
		before := epochs[len(epochs)-1].Seconds - e.Seconds
		r.Steps = append(r.Steps, Step{
			Step: e.Steps, Time: end.Add(-time.Duration(before * float64(time.Second))), Values: values,
		})
	}
}

// scores are the scores of every system of ours at every point, of dev and test outputs.
func (f *finder) scores(p *plan.Plan) (out []*Run) {
	seen := map[*plan.Stage]bool{}
	for _, point := range p.Points {
		for _, m := range point.Models {
			for _, s := range []*plan.Stage{m.Score, m.Dev} {
				if s == nil || seen[s] || !f.ws.Done(s) {
					continue
				}
				seen[s] = true
				if r := f.score(p, point, m, s); r != nil {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

func (f *finder) score(p *plan.Plan, point *plan.PointStages, m *plan.ModelStages, s *plan.Stage) *Run {
	record, err := f.ws.Record(s)
	if err != nil {
		return nil
	}
	split := "test"
	if s == m.Dev {
		split = "dev"
	}
	r := &Run{ID: s.ID, Over: true, Params: map[string]string{
		"experiment": p.Experiment.Name, "data set": point.Point.Dataset, "split": split, "identity": s.ID,
		"system": plan.SystemNames[m.Model], "masks": string(m.Method), "decoding": string(m.Decoding),
		"seed": strconv.FormatUint(point.Point.Seed, 10),
	}}
	for _, a := range s.Agreed() {
		r.Params[a.Key] = a.Value
	}
	words := append([]string{plan.SystemOf(m.Model, m.Decoding)}, recipe.AxisWords(s.Agreed())...)
	r.Name = fmt.Sprintf("%s %s, seed %d: %s", point.Point.Dataset, split, point.Point.Seed, strings.Join(words, ", "))
	values := map[string]float64{}
	for _, of := range append([]*plan.Stage{s}, s.Content()...) {
		var found metrics.Scores
		if of.ID != "" && f.ws.Done(of) && f.ws.ReadJSON(of, "metrics.json", &found) == nil {
			maps.Copy(values, found.Metrics)
		}
	}
	named := map[string]float64{}
	for name, v := range values {
		named[split+"/"+name] = v
	}
	r.Steps = []Step{{Time: record.End, Values: named}}
	return r
}
