package results

import (
	"fmt"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// originsOf is why the words of the outputs of transfers are there, by style.
type originsOf map[*plan.Stage][2][]*stages.Origins

// read returns those of a finished transfer, nil where its decoding is not guided.
func (o originsOf) read(ws *workspace.Workspace, transfer *plan.Stage) (all [2][]*stages.Origins, err error) {
	if known, ok := o[transfer]; ok {
		return known, nil
	}
	if err := ws.Whole(transfer); err != nil {
		return all, err
	}
	dir := ws.StageDir(transfer)
	var outputs [2][][]string
	for style := range outputs {
		path := filepath.Join(dir, fmt.Sprintf("output.%d.txt", style))
		if outputs[style], err = corpus.ReadOutputs(path); err != nil {
			return all, err
		}
	}
	if all, err = stages.ReadOrigins(dir, outputs); err == nil {
		o[transfer] = all
	}
	return all, err
}

// marked is how the page calls an origin.
var marked = map[guided.Origin]page.How{
	guided.Kept: page.Kept, guided.Restored: page.Restored, guided.Refilled: page.Refilled, guided.Added: page.Added,
}

// marks are the origins of an output's words, which stand where the source's words stood.
func marks(o *stages.Origins, source []string) []page.Origin {
	out := make([]page.Origin, len(o.Words))
	for k, w := range o.Words {
		out[k] = page.Origin{How: marked[w.Origin], P: w.P, Guide: w.Guide}
		if k < len(source) {
			out[k].Source = source[k]
		}
	}
	return out
}
