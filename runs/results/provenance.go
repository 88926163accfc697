package results

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// commitNote says which commits of the program ran a plan's finished stages. It reads the stages'
// records. It returns "" if no commit is known.
func commitNote(p *plan.Plan, ws *workspace.Workspace) string {
	commits := &grouped{}
	for s, r := range finished(p, ws, stages.Names()) {
		commits.add(shortCommit(r.Commit), string(s.Name))
	}
	if said := commits.String(); said != "" {
		return "Commit of the program: " + said + "."
	}
	return ""
}

func shortCommit(commit string) string {
	digits, changes, changed := strings.Cut(commit, "+")
	if digits = digits[:min(10, len(digits))]; changed {
		digits += " and " + changes
	}
	return digits
}

// The function finished iterates over a plan's finished stages with the given names, and their
// records. It yields all stages with the first name, then all stages with the second, and so on.
func finished(p *plan.Plan, ws *workspace.Workspace, names []stage.Name) iter.Seq2[*plan.Stage, *stage.Record] {
	return func(yield func(*plan.Stage, *stage.Record) bool) {
		for _, name := range names {
			for _, s := range p.Stages {
				if s.Name != name || !ws.Done(s) {
					continue
				}
				if r, err := ws.Record(s); err == nil && !yield(s, r) {
					return
				}
			}
		}
	}
}

// The type grouped groups names of stages or models by a value in their records.
type grouped struct {
	values []string
	names  map[string][]string
}

// notKnown replaces a value that a record lacks, such as the commit of a program built outside of
// git.
const notKnown = "not known"

func (g *grouped) add(value, of string) {
	value = cmp.Or(value, notKnown)
	if g.names == nil {
		g.names = map[string][]string{}
	}
	g.values, g.names[value] = lists.AddOnce(g.values, value), lists.AddOnce(g.names[value], of)
}

// String lists the values. It names the stages only if there are several values. It returns "" if
// no value is known.
func (g *grouped) String() string {
	if len(g.values) == 1 {
		if g.values[0] == notKnown {
			return ""
		}
		return g.values[0]
	}
	parts := lists.Map(g.values, func(v string) string { return v + " (" + strings.Join(g.names[v], ", ") + ")" })
	return strings.Join(parts, "; ")
}

// trainedOn says on which devices and in which precision the finished models were trained. It
// returns one note for each combination of device and precision: "Trained on cuda:0 (NVIDIA
// H100) in bf16: SMLM, SMLM-G." It leaves out models without tensors.
func trainedOn(p *plan.Plan, ws *workspace.Workspace) []string {
	used := &grouped{}
	for s, r := range finished(p, ws, stages.Trained()) {
		if r.Device == "" {
			continue
		}
		where := r.Device
		if r.Model != "" {
			where += " (" + r.Model + ")"
		}
		if r.Precision != "" {
			where += " in " + string(r.Precision)
		}
		used.add(where, report.PartName(string(s.Name)))
	}
	return lists.Map(used.values, func(where string) string {
		return fmt.Sprintf("Trained on %s: %s.", where, strings.Join(used.names[where], ", "))
	})
}
