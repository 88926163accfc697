package workspace

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// WriteListing prints the stages of a plan with their states and times, and a line with totals.
func (ws *Workspace) WriteListing(w io.Writer, p *plan.Plan) error {
	pace := ws.Pace(p)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STAGE\tSETTINGS\tSTATE\tTIME")
	var todo []*plan.Stage
	for _, s := range p.Stages {
		state, when := "to run", "unknown"
		if ws.Done(s) {
			state = "done"
			if r, err := ws.Record(s); err == nil {
				when = wording.ShortSeconds(r.Seconds)
			}
		} else {
			todo = append(todo, s)
			if ws.Failure(s) != nil {
				state = "failed before"
			}
			if d, ok := pace.Of(s.Name); ok {
				when = "about " + wording.Short(d)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.Short(), cmp.Or(s.Label, "-"), state, when)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	parts := []string{
		wording.Count(len(p.Points), "point"),
		fmt.Sprintf("%s, %d done, %d to run", wording.Count(len(p.Stages), "stage"), len(p.Stages)-len(todo), len(todo)),
	}
	if len(todo) > 0 {
		parts = append(parts, pace.Words(todo))
	}
	_, err := fmt.Fprintln(w, strings.Join(parts, "; "))
	return err
}
