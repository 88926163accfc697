package workspace

import (
	"os"

	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// records reads the records of all finished stages in the workspace; unreadable ones are left out.
func (w *Workspace) records() []*Record {
	var out []*Record
	kinds, _ := os.ReadDir(w.Path("stages"))
	for _, kind := range kinds {
		ids, _ := os.ReadDir(w.Path("stages", kind.Name()))
		for _, id := range ids {
			if r, err := w.read(w.Path("stages", kind.Name(), id.Name(), recordFile)); err == nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// Invalidate removes the finished stages, of any experiment, that build on a stage, but not the
// stage.
func (w *Workspace) Invalidate(s *plan.Stage) error {
	stale := map[string]bool{s.ID: true}
	records := w.records()
	for grown := true; grown; {
		grown = false
		for _, r := range records {
			for _, id := range r.Inputs {
				if stale[id] && !stale[r.ID] {
					stale[r.ID], grown = true, true
				}
			}
		}
	}
	for _, r := range records {
		if stale[r.ID] && r.ID != s.ID {
			if err := w.Remove(w.Path("stages", string(r.Kind), r.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}
