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

// StageStatus is the state of one stage of a plan.
type StageStatus struct {
	Stage *plan.Stage
	State string
	Time  time.Duration // how long the stage took; 0 if it is not finished
	Error string        // error of the last try if State is StateFailed, else ""
}

// Status returns the state of every stage of a plan, in the order of the plan.
func (ws *Workspace) Status(p *plan.Plan) []StageStatus {
	out := make([]StageStatus, len(p.Stages))
	tried, failed := ws.there()
	for i, s := range p.Stages {
		st := StageStatus{Stage: s, State: stateToRun}
		if tried[s.Name][s.ID] && ws.Done(s) {
			st.State = StateDone
			if r, err := ws.Record(s); err == nil {
				st.Time = time.Duration(r.Seconds * float64(time.Second))
			}
		} else if len(failed) > 0 && failed[filepath.Base(ws.FailedPath(s, ".json"))] {
			if r := ws.Failure(s); r != nil {
				st.State, st.Error = StateFailed, r.Error
			}
		}
		out[i] = st
	}
	return out
}

// The method there lists what exists on disk: the identities in the folder of each stage name
// (tried), and the names of the files in the folder "failed" (failed). In a large plan, most stages
// have no folder, so it is faster to list the folders once than to look for each stage.
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

// WriteListing prints the stages of a plan with their states and times, and a line with totals.
func (ws *Workspace) WriteListing(w io.Writer, p *plan.Plan) error {
	status := ws.Status(p)
	pace := paceOf(status)
	lines := make([][4]string, 0, len(status)+1)
	lines = append(lines, [4]string{"STAGE", "SETTINGS", "STATE", "TIME"})
	var todo []*plan.Stage
	for _, s := range status {
		when := "unknown"
		if s.State == StateDone {
			when = wording.Short(s.Time)
		} else {
			todo = append(todo, s.Stage)
			if d, ok := pace.Of(s.Stage.Name); ok {
				when = "about " + wording.Short(d)
			}
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
	if len(todo) > 0 {
		parts = append(parts, pace.Words(todo))
	}
	_, err := fmt.Fprintln(w, strings.Join(parts, "; "))
	return err
}

// writeColumns writes lines of aligned columns two spaces apart. text/tabwriter allocates every
// cell separately, which is slow for a hundred thousand stages.
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
