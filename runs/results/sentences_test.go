package results

import (
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestShownSystem checks whose sentences are shown: those of the system that is best on the dev
// set, whether this system is guided or not, even if another system is best on the test set.
// Without dev outputs, the sentences of the first system in the file are shown.
func TestShownSystem(t *testing.T) {
	p := planned(t, "masking.lambda_eps=0.5", "smlm.models=['smlm', 'smlm-ft']",
		"smlm.decoding=['copied', 'guided']")
	r, dev := &Results{plan: p}, map[*plan.Stage]*metrics.Scores{}
	add := func(model string, decoding recipe.Decoding, onDev, onTest float64) *System {
		models := p.All()[0].Models()
		m := models[slices.IndexFunc(models, func(m stage.Point) bool {
			return m.Model == model && m.Decoding == decoding
		})]
		dev[p.Get(stages.Score, m.With(corpus.Dev.String()))] = &metrics.Scores{Metrics: metrics.Values{"mean": onDev}}
		of := system(report.Dataset, "tiny", report.System, model)
		of.Values, of.score = metrics.Values{"mean": onTest}, p.Get(stages.Score, m)
		return of
	}
	systems := []*System{
		add("smlm", recipe.Copied, 60, 90), add("smlm", recipe.GuidedDecoding, 65, 70),
		add("smlm-ft", recipe.Copied, 80, 50), add("smlm-ft", recipe.GuidedDecoding, 70, 60),
	}
	for _, c := range []struct {
		measured bool
		finished int     // how many systems have test outputs
		best     *System // the system that must be shown; nil if none
		why      string
	}{
		{true, 4, systems[2], "has the highest Mean on the dev set"},
		{true, 3, systems[2], "has the highest Mean on the dev set"},
		{false, 4, systems[0], "This system is the first in the file, because dev outputs have not chosen a finished one."},
		{true, 2, systems[0], "is the first in the file"},
		{false, 1, systems[0], ""},
		{true, 0, nil, ""},
	} {
		r.chosen = choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) { return dev[s], c.measured })
		r.Systems = systems[:c.finished]
		best, why := r.shownSystem()
		if best != c.best || !strings.Contains(why, c.why) || c.why == "" && why != "" {
			t.Errorf("measured %v, %d systems: %+v and %q, want %+v and %q", c.measured, c.finished, best, why, c.best, c.why)
		}
	}
}
