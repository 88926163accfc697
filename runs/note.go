package runs

import (
	"time"

	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// What a run says of itself between stages.
const (
	looking = "looking at what is finished"
	waiting = "waiting for other processes"
)

// leave leaves a note of how far the run is, for those who ask.
func (p *progress) leave() {
	p.told = p.now()
	if p.tell == nil {
		return
	}
	r := workspace.Running{Stages: len(p.todo), Finished: p.finished, Failed: p.failed, Index: p.index}
	present, known := time.Duration(0), false
	if s := p.stage; s != nil {
		r.Kind, r.ID, r.Label, r.Began = s.Kind, s.ID, s.Label, p.began
		r.Done, r.Total, r.Note = p.done, p.total, oneLine(p.note)
		if present, known = p.left(p.now().Sub(p.began)); known {
			r.Left = seconds(present)
		}
	}
	if p.idle {
		r.Note = waiting
	}
	if all, _ := p.rest(present); all > 0 || known {
		r.All = seconds(all)
	}
	p.tell(r)
}

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}
