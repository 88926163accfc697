package workspace

import (
	"cmp"
	"time"

	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Timings knows how long stages took, to guess how long others will take: by identity, by kind on
// the same data, and by kind.
type Timings map[string]mean

type mean struct {
	sum time.Duration
	n   int
}

// timingKeys are where a stage's time counts, the nearest first.
func timingKeys(kind kind.Kind, id string, inputs map[string]string) [3]string {
	data := cmp.Or(inputs["test"], inputs["prepare"]) // what it works on; some that read test read prepare too
	return [3]string{id, string(kind) + "/" + data, string(kind)}
}

func timingKeysOf(s *plan.Stage) [3]string {
	ids := map[string]string{}
	for name, in := range s.Inputs {
		ids[name] = in.ID
	}
	return timingKeys(s.Kind, s.ID, ids)
}

// Timings reads the times of all stages of the workspace.
func (w *Workspace) Timings() Timings {
	t := Timings{}
	for _, r := range w.records() {
		t.add(timingKeys(r.Kind, r.ID, r.Inputs), time.Duration(r.Seconds*float64(time.Second)))
	}
	return t
}

// Add notes how long a stage took.
func (t Timings) Add(s *plan.Stage, d time.Duration) { t.add(timingKeysOf(s), d) }

func (t Timings) add(keys [3]string, d time.Duration) {
	t[keys[0]] = mean{d, 1} // its last run
	for _, key := range keys[1:] {
		t[key] = mean{t[key].sum + d, t[key].n + 1}
	}
}

// Of guesses the stage's time: that of its last run, else the mean of its kind on the same data,
// else of its kind. ok is false where the workspace has none.
func (t Timings) Of(s *plan.Stage) (d time.Duration, ok bool) {
	for _, key := range timingKeysOf(s) {
		if m := t[key]; m.n > 0 {
			return m.sum / time.Duration(m.n), true
		}
	}
	return 0, false
}
