package results

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// OffStyle says of a plan's finished Diversity-LSTMs whose attention is not on style words, after
// the last restart too, that there are some; "" where there are none.
func OffStyle(p *plan.Plan, ws *workspace.Workspace) string {
	first, off, all := "", 0, 0
	for _, s := range p.Stages {
		if s.Kind != stages.DivLSTM {
			continue
		}
		var r stages.TrainResult
		if !ws.Done(s) || ws.ReadJSON(s, "result.json", &r) != nil {
			continue
		}
		if all++; r.Attention == nil || r.Attention.Healthy() {
			continue
		}
		if off++; off == 1 {
			first = s.Title()
		}
	}
	if off == 0 {
		return ""
	}
	return fmt.Sprintf("attention is not on style words in %d of %d trainings of a Diversity-LSTM, the first %s, so that "+
		"their masks and all that is trained on them say little: give more sentences, more divlstm.epochs or restarts, or "+
		"another divlstm.lambda_con; the table divlstm has the figures", off, all, first)
}
