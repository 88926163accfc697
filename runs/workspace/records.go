package workspace

import (
	"cmp"
	"os"
	"slices"

	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// records reads the records of all finished stages in the workspace; unreadable ones are left out.
func (w *Workspace) records() []*Record {
	var out []*Record
	kinds, _ := os.ReadDir(w.Path("stages"))
	for _, k := range kinds {
		out = append(out, w.recordsOf(kind.Kind(k.Name()))...)
	}
	return out
}

// recordsOf reads the records of all finished stages of a kind in the workspace, of any experiment;
// unreadable ones are left out.
func (w *Workspace) recordsOf(k kind.Kind) []*Record {
	var out []*Record
	ids, _ := os.ReadDir(w.Path("stages", string(k)))
	for _, id := range ids {
		if r, err := w.read(w.Path("stages", string(k), id.Name(), recordFile)); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// BySame lists the finished stages of a kind of plan.Content by what they are of (plan.OfSame), the
// newest first.
func (w *Workspace) BySame(k kind.Kind) map[string][]*plan.Stage {
	records := w.recordsOf(k)
	slices.SortFunc(records, func(a, b *Record) int {
		return cmp.Or(b.End.Compare(a.End), cmp.Compare(a.ID, b.ID))
	})
	out := map[string][]*plan.Stage{}
	for _, r := range records {
		if r.Version != k.Version() {
			continue
		}
		if of, err := plan.OfSame(r.Settings, r.Inputs); err == nil {
			out[of] = append(out[of], &plan.Stage{Kind: k, ID: r.ID, Label: r.Label})
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
