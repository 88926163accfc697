package results

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TrainedOn tells on which devices and in which precision finished models of some kinds were
// trained, a note for each: "Trained on cuda:0 (NVIDIA H100) in bf16: smlm, smlm-g." Records of
// before say nothing of it.
func TrainedOn(p *plan.Plan, ws *workspace.Workspace, trained []stage.Kind) []string {
	used := &grouped{}
	for r := range finished(p, ws, trained) {
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
		used.add(where, r.Kind)
	}
	return lists.Map(used.values, func(where string) string {
		return fmt.Sprintf("Trained on %s: %s.", where, strings.Join(used.kinds[where], ", "))
	})
}
