package workspace

import (
	"time"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Pace has the times of finished stages. It estimates that a stage takes the mean time of the
// stages with the same name.
type Pace map[stage.Name]took

type took struct {
	sum   time.Duration
	count int
}

// Pace returns the times of the finished stages of a plan.
func (w *Workspace) Pace(p *plan.Plan) Pace {
	pace := Pace{}
	for _, s := range p.Stages {
		if r, err := w.Record(s); err == nil {
			pace.Add(s.Name, time.Duration(r.Seconds*float64(time.Second)))
		}
	}
	return pace
}

// Add adds the time of a finished stage.
func (p Pace) Add(name stage.Name, d time.Duration) {
	p[name] = took{p[name].sum + d, p[name].count + 1}
}

// Of estimates the time of a stage. The result ok is false if no stage with the same
// name is finished.
func (p Pace) Of(name stage.Name) (d time.Duration, ok bool) {
	t := p[name]
	if t.count == 0 {
		return 0, false
	}
	return t.sum / time.Duration(t.count), true
}

// sum estimates the total time of stages. The result "unknown" is the number of stages that have no
// estimate.
func (p Pace) sum(stages []*plan.Stage) (sum time.Duration, unknown int) {
	for _, s := range stages {
		d, ok := p.Of(s.Name)
		sum += d
		if !ok {
			unknown++
		}
	}
	return sum, unknown
}

// Words describes how long some stages will take: "about 4m10s", or "at least 4m10s;
// time unknown for 2 stages".
func (p Pace) Words(stages []*plan.Stage) string {
	sum, unknown := p.sum(stages)
	switch {
	case unknown == 0:
		return "about " + wording.Short(sum)
	case unknown == len(stages):
		return "time unknown"
	}
	return "at least " + wording.Short(sum) + "; time unknown for " + wording.Count(unknown, "stage")
}
