package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TrainedOn tells on which devices and in which precision the finished models were trained, a note
// for each: "Trained on cuda:0 (NVIDIA H100) in bf16: smlm, smlm-g." Records of before say nothing
// of it.
func TrainedOn(p *plan.Plan, ws *workspace.Workspace) []string {
	var order []plan.Used
	kinds := map[plan.Used][]string{}
	for _, kind := range trainedKinds {
		for _, s := range p.Stages {
			if s.Kind != kind || !ws.Done(s) {
				continue
			}
			r, err := ws.Record(s)
			if err != nil || r.Device == "" {
				continue
			}
			used := r.Used
			used.Libtorch = "" // of Card
			if kinds[used] == nil {
				order = append(order, used)
			}
			if !slices.Contains(kinds[used], string(kind)) {
				kinds[used] = append(kinds[used], string(kind))
			}
		}
	}
	var notes []string
	for _, u := range order {
		where := u.Device
		if u.Model != "" {
			where += " (" + u.Model + ")"
		}
		if u.Precision != "" {
			where += " in " + u.Precision
		}
		notes = append(notes, fmt.Sprintf("Trained on %s: %s.", where, strings.Join(kinds[u], ", ")))
	}
	return notes
}
