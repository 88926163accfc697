package runs

import (
	"time"

	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// timings knows how long stages took, to guess how long others will take.
type timings struct {
	exact map[string]time.Duration // by identity
	near  map[string]mean          // by kind and identity of the data
	kind  map[plan.Kind]mean
}

type mean struct {
	sum time.Duration
	n   int
}

func (m mean) value() time.Duration { return m.sum / time.Duration(m.n) }

// timings reads the times of all stages of the workspace.
func (w *Workspace) timings() *timings {
	t := &timings{exact: map[string]time.Duration{}, near: map[string]mean{}, kind: map[plan.Kind]mean{}}
	for _, r := range w.records() {
		t.add(r.Kind, r.ID, r.Inputs["prepare"], time.Duration(r.Seconds*float64(time.Second)))
	}
	return t
}

func (t *timings) add(kind plan.Kind, id, data string, d time.Duration) {
	t.exact[id] = d
	near, all := t.near[string(kind)+data], t.kind[kind]
	t.near[string(kind)+data] = mean{near.sum + d, near.n + 1}
	t.kind[kind] = mean{all.sum + d, all.n + 1}
}

// of guesses the stage's time: that of its last run, else the mean of its kind on the same data, else of its kind. ok is
// false where the workspace has none.
func (t *timings) of(s *plan.Stage) (d time.Duration, ok bool) {
	if d, ok := t.exact[s.ID]; ok {
		return d, true
	}
	data := ""
	if in := s.Inputs["prepare"]; in != nil {
		data = in.ID
	}
	if m, ok := t.near[string(s.Kind)+data]; ok {
		return m.value(), true
	}
	if m, ok := t.kind[s.Kind]; ok {
		return m.value(), true
	}
	return 0, false
}
