package workspace

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// NewRecord fills in what is known before the stage runs.
func NewRecord(s *plan.Stage, threads int) (*stage.Record, error) {
	settings, err := s.SettingsJSON()
	if err != nil {
		return nil, fmt.Errorf("writing the settings of %s: %w", s.Short(), err)
	}
	host, _ := os.Hostname()
	r := &stage.Record{
		Kind: s.Kind, ID: s.ID, Version: stages.Version(s.Kind), Label: s.Label, Settings: settings,
		Inputs: map[string]string{}, Sources: s.Sources, Threads: threads, Command: os.Args,
		Go: runtime.Version(), Host: host, CPU: cpuModel(), Start: time.Now(),
	}
	r.Program, r.Commit = programVersion()
	for name, in := range s.Inputs {
		r.Inputs[name] = in.ID
	}
	return r, nil
}

// records reads the records of all finished stages in the workspace; unreadable ones are left out.
func (w *Workspace) records() []*stage.Record {
	var out []*stage.Record
	kinds, _ := os.ReadDir(w.Path("stages"))
	for _, k := range kinds {
		out = append(out, w.recordsOf(stage.Kind(k.Name()))...)
	}
	return out
}

// recordsOf reads the records of all finished stages of a kind in the workspace, of any experiment;
// unreadable ones are left out.
func (w *Workspace) recordsOf(k stage.Kind) []*stage.Record {
	var out []*stage.Record
	ids, _ := os.ReadDir(w.Path("stages", string(k)))
	for _, id := range ids {
		if r, err := w.read(w.Path("stages", string(k), id.Name(), stage.RecordFile)); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// BySame lists the finished stages of a kind of plan.Content by what they are of (plan.OfSame), the
// newest first.
func (w *Workspace) BySame(k stage.Kind) map[string][]*plan.Stage {
	records := w.recordsOf(k)
	slices.SortFunc(records, func(a, b *stage.Record) int {
		return cmp.Or(b.End.Compare(a.End), cmp.Compare(a.ID, b.ID))
	})
	out := map[string][]*plan.Stage{}
	for _, r := range records {
		if r.Version != stages.Version(k) {
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
