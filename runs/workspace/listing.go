package workspace

import (
	"bufio"
	"cmp"
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
	Time  time.Duration // done: what it took; else a guess from earlier stages of the kind
	Known bool          // whether Time is
	Error string        // of the last try of a stage that failed before
}

// Status tells the state of every stage of a plan, in its order.
func (ws *Workspace) Status(p *plan.Plan) []StageStatus { return ws.status(p, ws.Timings()) }

func (ws *Workspace) status(p *plan.Plan, times Timings) []StageStatus {
	out := make([]StageStatus, len(p.Stages))
	tried, failed := ws.there()
	for i, s := range p.Stages {
		st := StageStatus{Stage: s, State: stateToRun}
		if tried[s.Kind][s.ID] && ws.Done(s) {
			st.State = StateDone
		} else if len(failed) > 0 && failed[filepath.Base(ws.FailedPath(s, ".json"))] {
			if r := ws.Failure(s); r != nil {
				st.State, st.Error = StateFailed, r.Error
			}
		}
		st.Time, st.Known = times.Of(s)
		out[i] = st
	}
	return out
}

// there lists what may be of a stage, the identities of each kind and the names in failed/: of a
// large plan most is not, and asking for each would take longer.
func (ws *Workspace) there() (tried map[stage.Kind]map[string]bool, failed map[string]bool) {
	tried = map[stage.Kind]map[string]bool{}
	for _, k := range stages.Names() {
		tried[k] = entriesOf(ws.Path("stages", string(k)))
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
	times := ws.Timings()
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
			when = "about " + wording.Short(s.Time)
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
