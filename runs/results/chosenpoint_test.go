package results

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// The function planned returns the plan of the small study with these overrides.
func planned(t *testing.T, set ...string) *plan.Plan {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), testkit.SmallStudy)
	e, err := experiment.Load(filepath.Join(dir, "e.toml"), set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// swept returns the plan of one system at three values of lambda_eps with two seeds each.
func swept(t *testing.T) *plan.Plan {
	t.Helper()
	return planned(t, "masking.lambda_eps=[0.15, 0.5, 1]", "seeds=[1, 2]", "smlm.models=['smlm']", "smlm.decoding=['copied']")
}

// scoreOf returns the stage that scores the outputs of a split by the only system of a point. Split
// "" means test.
func scoreOf(p *plan.Plan, point int, split string) *plan.Stage {
	return p.Get(stages.Score, p.All()[point].Models()[0].With(split))
}

func anyPoint(stage.Point) bool { return true }

// TestChosenByDevOutputs gives three settings, over two seeds each, the dev Means 60, 65 and 90.
// One seed of the third setting writes the same new word nearly everywhere, so the second setting
// is chosen, although its first seed has the lowest Mean of all.
func TestChosenByDevOutputs(t *testing.T) {
	p := swept(t)
	dev := corpus.Dev.String()
	scores := map[*plan.Stage]*metrics.Scores{}
	for i, mean := range []float64{60, 60, 50, 80, 90, 90} {
		s := &metrics.Scores{Metrics: metrics.Values{"mean": mean}, Directions: make([]metrics.Direction, 2)}
		if i == 5 {
			d := &s.Directions[0]
			d.N, d.NewWords, d.DistinctNewWords, d.MostFrequentNewWordShare = 100, 200, 3, .9
		}
		scores[scoreOf(p, i, dev)] = s
	}
	choose := func() *pointChoice {
		return choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) { return scores[s], scores[s] != nil })
	}
	c := choose()
	for i := range p.Points {
		shown, best, want := c.Shows(scoreOf(p, i, "")), c.Best(scoreOf(p, i, "")), i == 2 || i == 3
		if shown != want || best != want {
			t.Errorf("point %d: shown %v, best %v, want %v", i, shown, best, want)
		}
	}
	shown, which, _ := c.Example("tiny", anyPoint)
	if shown != p.All()[2] || which != "the sweep point with the highest dev Mean (lambda_eps 0.5, seed 1)" {
		t.Errorf("example %q", which)
	}
	shown, _, _ = c.Example("tiny", func(s stage.Point) bool { return s.Seed == 2 })
	if shown != p.All()[3] {
		t.Error("the first seed that has outputs is not shown")
	}
	// If one of the dev scores is missing, nothing is chosen.
	delete(scores, scoreOf(p, 0, dev))
	if _, which, _ = choose().Example("tiny", anyPoint); !strings.HasPrefix(which, "the first point") {
		t.Errorf("with a dev output missing: %q", which)
	}
}

// TestNothingToChooseBy: without dev outputs nothing is chosen. Every point is shown, the examples
// come from the first point, and a sentence says so.
func TestNothingToChooseBy(t *testing.T) {
	p := swept(t)
	none := func(*plan.Stage) (*metrics.Scores, bool) { return nil, false }
	c := choosePoints(p, none)
	for i := range p.Points {
		if score := scoreOf(p, i, ""); !c.Shows(score) || c.Best(score) {
			t.Errorf("point %d: shown %v, best %v", i, c.Shows(score), c.Best(score))
		}
	}
	shown, which, _ := c.Example("tiny", anyPoint)
	if shown != p.All()[0] || !strings.Contains(which, "because dev outputs have not chosen one") {
		t.Errorf("%q", which)
	}
	if _, _, ok := c.Example("yelp", anyPoint); ok {
		t.Error("a point of another data set")
	}
	p.Points = p.Points[:2]
	if _, which, _ = choosePoints(p, none).Example("tiny", anyPoint); which != "the only sweep point (lambda_eps 0.15, seed 1)" {
		t.Errorf("of one point: %q", which)
	}
}
