package workspace

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
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
	for i, s := range p.Stages {
		st := StageStatus{Stage: s, State: stateToRun}
		if ws.Done(s) {
			st.State = StateDone
			if r, err := ws.Record(s); err == nil {
				st.Time = time.Duration(r.Seconds * float64(time.Second))
			}
		} else if r := ws.Failure(s); r != nil {
			st.State, st.Error = StateFailed, r.Error
		}
		out[i] = st
	}
	return out
}

// WriteListing prints the stages of a plan with their states and times, and a line with totals.
func (ws *Workspace) WriteListing(w io.Writer, p *plan.Plan) error {
	status := ws.Status(p)
	pace := paceOf(status)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STAGE\tSETTINGS\tSTATE\tTIME")
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.Stage.Short(), cmp.Or(s.Stage.Label, "-"), s.State, when)
	}
	if err := t.Flush(); err != nil {
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
