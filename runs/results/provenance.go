package results

import (
	"cmp"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Provenance says which commits of the program ran a plan's finished stages, on which machines and
// for how long, one sentence each. It reads the records of the stages.
func Provenance(p *plan.Plan, ws *workspace.Workspace) []string {
	commits, cpus, libtorch, threads := &grouped{}, &grouped{}, &grouped{}, &grouped{}
	seconds, ran := map[stage.Name]float64{}, map[stage.Name]int{}
	for _, r := range finished(p, ws, stages.Names()) {
		seconds[r.Name] += r.Seconds
		ran[r.Name]++
		commits.add(shortCommit(r.Commit), string(r.Name))
		if r.Device == "" {
			continue // the stage used no tensors, so its machine does not matter
		}
		cpus.add(r.CPU, string(r.Name))
		libtorch.add(r.Libtorch, string(r.Name))
		threads.add(fmt.Sprint(r.Threads), string(r.Name))
	}
	var spent []string
	for _, name := range stages.Names() {
		if d := time.Duration(seconds[name] * float64(time.Second)); d >= time.Second {
			spent = append(spent, fmt.Sprintf("%s %s (%s)", name, wording.Short(d), wording.Count(ran[name], "stage")))
		}
	}
	var card []string
	for _, g := range []struct {
		what string
		*grouped
	}{{"Commit of the program", commits}, {"CPU", cpus}, {"libtorch", libtorch}, {"Threads of a stage", threads}} {
		if said := g.String(); said != "" {
			card = append(card, g.what+": "+said+".")
		}
	}
	if len(spent) > 0 {
		card = append(card, "Time of the stages (other programs may have run beside them): "+strings.Join(spent, ", ")+".")
	}
	return card
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

// TrainedOn says on which devices and in which precision the finished models of some stages were
// trained. It returns one note for each combination of device and precision: "Trained on cuda:0
// (NVIDIA H100) in bf16: SMLM, SMLM-G." It leaves out models without tensors.
func TrainedOn(p *plan.Plan, ws *workspace.Workspace, trained []stage.Name) (notes []string) {
	for where, models := range trainedOn(p, ws, trained) {
		notes = append(notes, trainedText(where, models))
	}
	return notes
}

// trainedText says which models were trained where.
func trainedText(where string, models []string) string {
	return fmt.Sprintf("Trained on %s: %s.", where, strings.Join(models, ", "))
}

// trainedOn yields each device with its precision, and the names of the models trained on it.
func trainedOn(p *plan.Plan, ws *workspace.Workspace, trained []stage.Name) iter.Seq2[string, []string] {
	used := &grouped{}
	for s, r := range finished(p, ws, trained) {
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
	return func(yield func(string, []string) bool) {
		for _, where := range used.values {
			if !yield(where, used.names[where]) {
				return
			}
		}
	}
}
