package workspace

import (
	"time"

	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Timings knows how long stages took, to guess how long others will take.
type Timings struct {
	exact map[string]time.Duration // by identity
	near  map[string]mean          // by kind and identity of the data
	kind  map[plan.Kind]mean
}

type mean struct {
	sum time.Duration
	n   int
}

func (m mean) value() time.Duration { return m.sum / time.Duration(m.n) }

// NewTimings knows of no stage yet.
func NewTimings() *Timings {
	return &Timings{exact: map[string]time.Duration{}, near: map[string]mean{}, kind: map[plan.Kind]mean{}}
}

// Timings reads the times of all stages of the workspace.
func (w *Workspace) Timings() *Timings {
	t := NewTimings()
	for _, r := range w.Records() {
		t.Add(r.Kind, r.ID, r.Inputs["prepare"], time.Duration(r.Seconds*float64(time.Second)))
	}
	return t
}

// Add notes how long a stage of a kind took on the data of an identity.
func (t *Timings) Add(kind plan.Kind, id, data string, d time.Duration) {
	t.exact[id] = d
	near, all := t.near[string(kind)+data], t.kind[kind]
	t.near[string(kind)+data] = mean{near.sum + d, near.n + 1}
	t.kind[kind] = mean{all.sum + d, all.n + 1}
}

// Of guesses the stage's time: that of its last run, else the mean of its kind on the same data, else of its kind. ok is
// false where the workspace has none.
func (t *Timings) Of(s *plan.Stage) (d time.Duration, ok bool) {
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
