package workspace

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
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
	out, there := make([]StageStatus, len(p.Stages)), ws.there()
	for i, s := range p.Stages {
		st := StageStatus{Stage: s, State: stateToRun}
		if there[path.Join(string(s.Kind), s.ID)] && ws.Done(s) {
			st.State = StateDone
		} else if there[filepath.Base(ws.FailedPath(s, ".json"))] {
			if r := ws.Failure(s); r != nil {
				st.State, st.Error = StateFailed, r.Error
			}
		}
		st.Time, st.Known = times.Of(s)
		out[i] = st
	}
	return out
}

// there lists what may be of a stage, "KIND/IDENTITY" and the names in failed/: of a large plan
// most is not, and asking for each would take longer.
func (ws *Workspace) there() map[string]bool {
	out := map[string]bool{}
	for _, k := range kind.Names() {
		ids, _ := os.ReadDir(ws.Path("stages", string(k)))
		for _, id := range ids {
			out[path.Join(string(k), id.Name())] = true
		}
	}
	failed, _ := os.ReadDir(ws.Path("failed"))
	for _, f := range failed {
		out[f.Name()] = true
	}
	return out
}

// WriteListing prints the stages of a plan with their states and times, and a line that sums them
// up.
func (ws *Workspace) WriteListing(w io.Writer, p *plan.Plan) error {
	times := ws.Timings()
	status := ws.status(p, times)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STAGE\tSETTINGS\tSTATE\tTIME")
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
		label := s.Stage.Label
		if label == "" {
			label = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.Stage.Short(), label, s.State, when)
	}
	if err := t.Flush(); err != nil {
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
