package serve

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// runsData is the page of runs: what never changes, and what /api/status says over and over.
type runsData struct {
	File, Workspace string
	Points          int
	Now             *statusData
	Stages          []stageRow
}

type stageRow struct {
	ID, Name, Label, State, Time, Error string
}

// statusData is how far the runs are.
type statusData struct {
	Running []runningData     `json:"running"`
	Stages  int               `json:"stages"`
	Done    int               `json:"done"`
	Failed  int               `json:"failed"`
	Failure string            `json:"failure,omitempty"` // of the last that failed
	States  map[string]string `json:"states"`            // of stages that are not done, by identity
	Times   map[string]string `json:"times"`             // of the others
}

// runningData is what a process does, or did when it was killed.
type runningData struct {
	Alive   bool   `json:"alive"`
	Who     string `json:"who"`
	Command string `json:"command"`
	Stage   string `json:"stage"`
	Percent int    `json:"percent"` // of the stage, below 0 where it does not say
	Note    string `json:"note"`    // where it is, and guesses how long
}

// shortID is how much of an identity tells stages of one plan apart.
const shortID = 12

func (s *Server) runsPage(http.ResponseWriter, *http.Request) (*view, error) {
	p, all := s.study.plan, s.study.stages()
	now, err := s.study.statusOf(all)
	if err != nil {
		return nil, err
	}
	d := runsData{
		File: filepath.Base(p.Experiment.File), Workspace: s.study.ws.Dir, Points: len(p.Points), Now: now,
	}
	for i := range all {
		st := &all[i]
		id := st.Stage.ID[:shortID]
		d.Stages = append(d.Stages, stageRow{
			ID: id, Name: string(st.Stage.Name), Label: st.Stage.Label, State: cmp.Or(d.Now.States[id], st.State),
			Time: timeOf(st), Error: wording.FirstLine(st.Error),
		})
	}
	return &view{Title: "Runs", Page: "runs", Script: "runs.js", Data: d}, nil
}

// timeOf is what a stage took, or a guess.
func timeOf(st *workspace.StageStatus) string {
	switch {
	case st.State == workspace.StateDone:
		return wording.Short(st.Time)
	case st.Known:
		return st.Guess()
	}
	return ""
}

func (s *Server) status(*http.Request) (any, error) {
	return s.study.statusOf(s.study.stages())
}

func (s *study) statusOf(all []workspace.StageStatus) (*statusData, error) {
	d := &statusData{
		Stages: len(all), States: map[string]string{}, Times: map[string]string{}, Running: []runningData{},
	}
	for i := range all {
		st := &all[i]
		id := st.Stage.ID[:shortID]
		if st.State == workspace.StateDone {
			d.Done++
			d.Times[id] = timeOf(st)
			continue
		}
		d.States[id] = st.State
		if st.State == workspace.StateFailed {
			d.Failed++
			d.Failure = st.Stage.Title() + ": " + wording.FirstLine(st.Error)
		}
	}
	running, err := s.ws.Running()
	if err != nil {
		return nil, err
	}
	for i := range running {
		r := runningOf(&running[i])
		if id := running[i].ID; r.Alive && len(id) >= shortID && d.States[id[:shortID]] != "" {
			d.States[id[:shortID]] = "runs"
		}
		d.Running = append(d.Running, r)
	}
	return d, nil
}

func runningOf(r *workspace.Running) runningData {
	d := runningData{Alive: r.Alive, Percent: -1, Who: "a process that has not said which yet"}
	if r.PID != 0 {
		d.Who = fmt.Sprintf("process %d on %s since %s", r.PID, r.Host, r.Since.Local().Format("2006-01-02 15:04:05"))
	}
	if len(r.Command) > 0 {
		d.Command = workspace.Typed(r.Command)
	}
	if r.Stage == "" {
		d.Note = r.Between()
		return d
	}
	stage := plan.Stage{Name: r.Stage, ID: r.ID, Label: r.Label}
	d.Stage = fmt.Sprintf("[%d/%d] %s", r.Index, r.Stages, stage.Title())
	d.Percent, d.Note = r.Percent(), strings.Join(r.Far(), ", ")
	return d
}
