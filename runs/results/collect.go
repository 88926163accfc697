package results

import (
	"errors"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Results are the rows of every table, from the stages that are finished.
type Results struct {
	Results      []report.ResultRow
	Selection    []report.ResultRow // of dev outputs
	Search       []report.SearchRow
	Datasets     []report.DatasetRow
	Classifier   []report.ClassifierRow
	DivLSTM      []report.DivLSTMRow
	Masking      []report.AttributionRow
	Training     []report.TrainingRow
	Switches     []report.SwitchRow
	Human        []report.HumanRow
	Intervals    []report.IntervalRow
	Significance []report.SignificanceRow // see Test
	Examples     []report.ExampleRow
	About        report.About
	Missing      int                 // points of which a stage is not finished
	Damaged      []*workspace.Damage // stages whose rows, and those of all that rests on them, are left out
	Unscored     int                 // published systems that are not scored yet

	Force bool // write over files that show more than is finished now

	plan         *plan.Plan
	ws           *workspace.Workspace
	scores       []*plan.Stage                         // of each of Results
	beside       [][]*plan.Stage                       // of each: what stands beside its score
	tested       map[string][][]report.SignificanceRow // what Test found, by testKey
	masks        []maskSeries
	overrides    map[string][]report.Override // of the profile, by table
	notes        []note
	exampleRules []string                     // which point the examples are of
	trained      map[string]map[string]string // signatures of the tables of classifiers, by table
	chosen       *pointChoice
	shown        []shownExample
	rule         *report.SearchRule // nil: there is no search
	weak         weakJudges
}

// Collect reads the results of the finished stages. Rows whose stages are missing, or rest on a
// damaged one, are left out, so it works while a run goes on; a file that it reads and finds
// damaged is an error. It trains nothing and writes nothing.
func Collect(p *plan.Plan, ws *workspace.Workspace) (*Results, error) {
	c := &collector{
		plan: p, ws: ws, seen: map[*plan.Stage]bool{}, shared: map[*plan.Stage]bool{},
		reports: map[*plan.Stage]*metrics.Scores{}, content: newContent(), out: &Results{plan: p, ws: ws},
	}
	c.damaged()
	for _, point := range p.Points {
		c.classifiers(point)
		c.divLSTMs(point)
		c.masks(point)
		c.maskedShares(point)
		c.models(point)
	}
	c.published()
	c.search()
	c.out.chosen = choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) {
		if !c.done(s) {
			return nil, false
		}
		return c.metrics(s), true
	})
	c.intervals()
	c.training()
	c.switches()
	c.human()
	c.examples()
	c.datasets()
	c.about()
	c.judges()
	if c.err != nil {
		return nil, c.err
	}
	var err error
	tables := lists.AddOnce(slices.Clone(p.Experiment.Report.Tables), "significance") // which Compared has always
	c.out.overrides, err = overridesByTable(p, tables)
	return c.out, err
}

// wants says whether the experiment asks for a table.
func (r *Results) wants(table string) bool {
	return slices.Contains(r.plan.Experiment.Report.Tables, table)
}

// draws says whether the experiment asks for a figure.
func (r *Results) draws(figure string) bool {
	return slices.Contains(r.plan.Experiment.Report.Figures, figure)
}

// collector gathers rows, each stage's once. After the first error it reads nothing more.
type collector struct {
	plan    *plan.Plan
	ws      *workspace.Workspace
	out     *Results
	seen    map[*plan.Stage]bool
	shared  map[*plan.Stage]bool            // masks whose shares are counted
	reports map[*plan.Stage]*metrics.Scores // the scores read
	broken  map[*plan.Stage]bool            // damaged, or rests on a damaged one
	content content
	err     error
}

// damaged finds the stages that are there and not whole, as far as Check can tell.
func (c *collector) damaged() {
	found := c.ws.CheckAll(c.plan.Stages)
	c.broken = c.plan.Resting(func(s *plan.Stage) bool {
		var d *workspace.Damage
		if !errors.As(found[s], &d) {
			return false
		}
		c.out.Damaged = append(c.out.Damaged, d)
		return true
	})
}

// once says whether the stage is finished and not collected yet.
func (c *collector) once(s *plan.Stage) bool { return c.onceIn(c.seen, s) }

func (c *collector) onceIn(seen map[*plan.Stage]bool, s *plan.Stage) bool {
	if c.err != nil || seen[s] || !c.done(s) {
		return false
	}
	seen[s] = true
	return true
}

// done says whether there is such a stage, and it is finished and rests on nothing damaged.
func (c *collector) done(s *plan.Stage) bool { return s != nil && !c.broken[s] && c.ws.Done(s) }

// testAccuracy reads a classifier's accuracy on the test sentences.
func (c *collector) testAccuracy(s *plan.Stage) float64 {
	return readResult[stages.AccuracyResult](c, s, "result.json").TestAcc
}

// readResult decodes a JSON file of a finished stage, zero after an error.
func readResult[T any](c *collector, s *plan.Stage, name string) *T {
	v := new(T)
	if c.err == nil {
		c.err = c.ws.ReadJSON(s, name, v)
	}
	return v
}

// axes returns the swept keys that matter to a stage, with their values, but for those named: what
// all the points that share it agree on.
func (c *collector) axes(s *plan.Stage, but ...string) []report.Axis {
	return slices.DeleteFunc(s.Agreed(), func(a report.Axis) bool { return slices.Contains(but, a.Key) })
}

func (c *collector) classifiers(p *plan.PointStages) {
	for _, m := range []struct {
		name  string
		stage *plan.Stage
	}{{report.BiLSTM, p.Classifier}, {"fastText-like", p.FastText}} {
		accuracy := p.Accuracy(m.stage)
		if !c.done(accuracy) || !c.once(m.stage) {
			continue
		}
		r := readResult[stages.TrainResult](c, m.stage, "result.json")
		c.out.Classifier = append(c.out.Classifier, report.ClassifierRow{
			Dataset: p.Point.Dataset, Model: m.name, Axes: c.axes(m.stage), Seed: c.plan.Experiment.Seeds[0],
			DevAccuracy: r.DevAccuracy, TestAccuracy: c.testAccuracy(accuracy), Epochs: r.Epochs,
			Parameters: r.Parameters,
		})
	}
}

func (c *collector) divLSTMs(p *plan.PointStages) {
	for _, m := range p.Masks {
		accuracy := p.Accuracy(m.DivLSTM)
		if !c.done(accuracy) || !c.once(m.DivLSTM) {
			continue
		}
		r := readResult[stages.TrainResult](c, m.DivLSTM, "result.json")
		row := report.DivLSTMRow{
			Dataset: p.Point.Dataset, LambdaCon: m.LambdaCon, Axes: c.axes(m.DivLSTM, "lambda_con"), Seed: p.Point.Seed,
			DevAccuracy: r.DevAccuracy, TestAccuracy: c.testAccuracy(accuracy), Conicity: r.Conicity,
			Reduction: string(p.Point.Settings.DivLSTM.Reduction), Epochs: r.Epochs,
		}
		if a := r.Attention; a != nil {
			row.TopShare, row.Restarts = &a.TopShare, a.Restarts
			row.Found, row.OffStyle = a.Found, !a.Healthy()
		}
		c.out.DivLSTM = append(c.out.DivLSTM, row)
	}
}
