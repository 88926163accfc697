package workspace

import (
	"encoding/json"
	"io"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// planned is the document of `plan --json`; docs/workspace.md describes it.
type planned struct {
	Experiment string         `json:"experiment"`
	File       string         `json:"file"`
	Workspace  string         `json:"workspace"`
	Stages     []plannedStage `json:"stages"`
	Totals     plannedTotals  `json:"totals"`
}

type plannedStage struct {
	Kind     stage.Kind        `json:"kind"`
	ID       string            `json:"id"`
	Version  int               `json:"version"`
	Label    string            `json:"label"`
	Settings any               `json:"settings"`
	Inputs   map[string]string `json:"inputs"`
	State    string            `json:"state"`
	Error    string            `json:"error,omitempty"`
	Seconds  *float64          `json:"seconds"`
	Memory   *int64            `json:"memory_bytes"`
	Disk     *int64            `json:"disk_bytes"`
}

type plannedTotals struct {
	Points        int     `json:"points"`
	Stages        int     `json:"stages"`
	Done          int     `json:"done"`
	ToRun         int     `json:"to_run"`
	Failed        int     `json:"failed_before"`
	Seconds       float64 `json:"seconds"`
	Memory        int64   `json:"memory_bytes"`
	Disk          int64   `json:"disk_bytes"`
	UnknownTime   int     `json:"unknown_seconds"`
	UnknownMemory int     `json:"unknown_memory"`
	UnknownDisk   int     `json:"unknown_disk"`
	Free          *int64  `json:"free_disk_bytes"`
}

// WriteJSON prints what WriteListing does as one JSON document.
func (ws *Workspace) WriteJSON(w io.Writer, p *plan.Plan) error {
	times := ws.Timings()
	doc := planned{Experiment: p.Experiment.Name, File: p.Experiment.File, Workspace: ws.Dir}
	doc.Totals.Points, doc.Totals.Stages = len(p.Points), len(p.Stages)
	var todo []*plan.Stage
	for _, st := range ws.status(p, times) {
		s := st.Stage
		one := plannedStage{
			Kind: s.Kind, ID: s.ID, Version: stages.Version(s.Kind), Label: s.Label, Settings: s.Settings,
			Inputs: map[string]string{}, State: st.State, Error: st.Error,
		}
		for name, in := range s.Inputs {
			one.Inputs[name] = in.ID
		}
		if st.Known {
			seconds := st.Time.Seconds()
			one.Seconds = &seconds
		}
		one.Memory, one.Disk = orNull(times.Memory(s)), orNull(times.Disk(s))
		switch st.State {
		case StateDone:
			doc.Totals.Done++
		case StateFailed:
			doc.Totals.Failed++
		}
		if st.State != StateDone {
			todo = append(todo, s)
		}
		doc.Stages = append(doc.Stages, one)
	}
	e := times.Estimate(todo)
	t := &doc.Totals
	t.ToRun, t.Seconds, t.Memory, t.Disk = len(todo), e.Time.Seconds(), e.Memory, e.Disk
	t.UnknownTime, t.UnknownMemory, t.UnknownDisk = e.UnknownTime, e.UnknownMemory, e.UnknownDisk
	t.Free = orNull(ws.Free())
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

// orNull is null in JSON where a number is not known.
func orNull(n int64, ok bool) *int64 {
	if !ok {
		return nil
	}
	return &n
}
