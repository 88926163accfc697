package workspace

import (
	"sync"
	"sync/atomic"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// smallFile is up to which size Ahead reads files, in bytes: tables are made of such, and models
// are larger.
const smallFile = 128 << 10

// Ahead begins to look through what is finished, on another core: all records, and all smaller
// files to their end. What is found right by then needs no look when a plan asks for it; what is
// damaged is told then. The function that it returns ends that.
func (w *Workspace) Ahead() (end func()) {
	var ended atomic.Bool
	var reader sync.WaitGroup
	reader.Go(func() {
		for _, k := range stages.Names() {
			for id := range entriesOf(w.Path("stages", string(k))) {
				if ended.Load() {
					return
				}
				w.ahead(&plan.Stage{Kind: k, ID: id}, &ended)
			}
		}
	})
	return func() {
		ended.Store(true)
		reader.Wait()
	}
}

func (w *Workspace) ahead(s *plan.Stage, ended *atomic.Bool) {
	r, err := w.Record(s)
	if err != nil {
		return
	}
	for name, f := range r.Files {
		if f.Size <= smallFile && !ended.Load() {
			_ = w.whole(s, name, f) // who needs it is told
		}
	}
}
