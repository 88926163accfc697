package workspace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// The states of a stage.
const (
	StateDone   = "done"
	stateToRun  = "to run"
	StateFailed = "failed before"
)

// StageStatus is where one stage of a plan stands.
type StageStatus struct {
	Stage *plan.Stage
	State string
	Time  time.Duration // done: what it took; else a guess from earlier stages of its name
	Known bool          // whether Time is
	Rough bool          // Time is guessed from sizes
	Error string        // of the last try of a stage that failed before
}

// Status tells the state of every stage of a plan, in its order.
func (ws *Workspace) Status(p *plan.Plan) []StageStatus { return ws.status(p, ws.Timings(p)) }

func (ws *Workspace) status(p *plan.Plan, times Timings) []StageStatus {
	out := make([]StageStatus, len(p.Stages))
	tried, failed := ws.there()
	for i, s := range p.Stages {
		st := StageStatus{Stage: s, State: stateToRun}
		if tried[s.Name][s.ID] && ws.Done(s) {
			st.State = StateDone
		} else if len(failed) > 0 && failed[filepath.Base(ws.FailedPath(s, ".json"))] {
			if r := ws.Failure(s); r != nil {
				st.State, st.Error = StateFailed, r.Error
			}
		}
		var how guessed
		st.Time, how = times.guess(s)
		st.Known, st.Rough = how != unknown, how == rough
		out[i] = st
	}
	return out
}

// there lists what may be of a stage, the identities of each name and the files in failed/: of a
// large plan most is not, and asking for each would take longer.
func (ws *Workspace) there() (tried map[stage.Name]map[string]bool, failed map[string]bool) {
	tried = map[stage.Name]map[string]bool{}
	for _, name := range stages.Names() {
		tried[name] = entriesOf(ws.Path("stages", string(name)))
	}
	return tried, entriesOf(ws.Path("failed"))
}

func entriesOf(dir string) map[string]bool {
	entries, _ := os.ReadDir(dir)
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}

// WriteListing prints the stages of a plan with their states and times, and a line that sums them
// up.
func (ws *Workspace) WriteListing(w io.Writer, p *plan.Plan) error {
	times := ws.Timings(p)
	status := ws.status(p, times)
	lines := make([][4]string, 0, len(status)+1)
	lines = append(lines, [4]string{"STAGE", "SETTINGS", "STATE", "TIME"})
	var todo []*plan.Stage
	for _, s := range status {
		when := "unknown"
		switch {
		case s.State == StateDone:
			when = wording.Short(s.Time)
		case s.Known:
			when = s.Guess()
		}
		if s.State != StateDone {
			todo = append(todo, s.Stage)
		}
		lines = append(lines, [4]string{s.Stage.Short(), cmp.Or(s.Stage.Label, "-"), s.State, when})
	}
	if err := writeColumns(w, lines); err != nil {
		return err
	}
	parts := []string{
		wording.Count(len(p.Points), "point"),
		fmt.Sprintf("%s, %d done, %d to run", wording.Count(len(status), "stage"), len(status)-len(todo), len(todo)),
	}
	if takes := times.Estimate(todo).String(); takes != "" {
		parts = append(parts, takes)
	}
	_, err := fmt.Fprintln(w, strings.Join(parts, "; "))
	return err
}

// Guess words the time that a stage will take, where it is known.
func (st *StageStatus) Guess() string {
	switch {
	case !st.Rough:
		return "about " + wording.Short(st.Time)
	case st.Time < 50*time.Millisecond:
		return "under 0.1s"
	}
	return "roughly " + wording.Short(st.Time)
}

// writeColumns writes lines of aligned columns two spaces apart; text/tabwriter keeps a cell apart
// for each, which is slow for a hundred thousand stages.
func writeColumns(w io.Writer, lines [][4]string) error {
	var widths [4]int
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	out := bufio.NewWriter(w)
	for _, line := range lines {
		for i, cell := range line {
			_, _ = out.WriteString(cell) // the writer keeps its first error, which Flush returns
			if i == len(line)-1 {
				break
			}
			for range widths[i] - utf8.RuneCountInString(cell) + 2 {
				_ = out.WriteByte(' ')
			}
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}

// planned is the document of `plan --json`; docs/workspace.md describes it.
type planned struct {
	Experiment string         `json:"experiment"`
	File       string         `json:"file"`
	Workspace  string         `json:"workspace"`
	Stages     []plannedStage `json:"stages"`
	Totals     plannedTotals  `json:"totals"`
}

type plannedStage struct {
	Name     stage.Name        `json:"stage"`
	ID       string            `json:"id"`
	Version  int               `json:"version"`
	Label    string            `json:"label"`
	Settings any               `json:"settings"`
	Inputs   map[string]string `json:"inputs"`
	State    string            `json:"state"`
	Error    string            `json:"error,omitempty"`
	Seconds  *float64          `json:"seconds"`
	Rough    bool              `json:"rough,omitempty"`
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
	times := ws.Timings(p)
	doc := planned{Experiment: p.Experiment.Name, File: p.Experiment.File, Workspace: ws.Dir}
	doc.Totals.Points, doc.Totals.Stages = len(p.Points), len(p.Stages)
	var todo []*plan.Stage
	for _, st := range ws.status(p, times) {
		s := st.Stage
		one := plannedStage{
			Name: s.Name, ID: s.ID, Version: stages.Version(s.Name), Label: s.Label, Settings: s.Settings,
			Inputs: map[string]string{}, State: st.State, Error: st.Error,
		}
		for name, in := range s.Inputs {
			one.Inputs[name] = in.ID
		}
		if st.Known {
			seconds := st.Time.Seconds()
			one.Seconds, one.Rough = &seconds, st.Rough
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
