// Package results gathers what finished stages measured. Collect turns these results into rows,
// which become tables, figures and one page. It trains nothing and scores no output. Confidence
// intervals and paired tests are computed here, from the scores of single sentences. Unfinished
// results are left out and counted.
package results

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Results has what finished stages measured.
type Results struct {
	Records      []*report.Record         // what tables and figures show
	Systems      []*System                // the records of test outputs, with their stages
	Significance []report.SignificanceRow // see Test
	Examples     []report.Example
	About        report.About
	Missing      int // number of points with an unfinished stage
	Unscored     int // number of published systems without a score

	plan         *plan.Plan
	ws           *workspace.Workspace
	notes        []note
	exampleRules []string                     // which points the examples come from
	trained      map[string]map[string]string // see trainedSignatures
	chosen       *pointChoice
	shown        []shownExample
	weak         weakJudges
}

// System is the record of a system's test outputs and the stages that measured them.
type System struct {
	*report.Record
	score  *plan.Stage
	beside []*plan.Stage   // stages with further metrics
	given  *metrics.Scores // scores by another program; nil if there are none
}

// Collect reads the results of the finished stages. It leaves out rows whose stages are missing, so
// it works during a run. A damaged file is an error. It trains nothing and writes nothing.
func Collect(p *plan.Plan, ws *workspace.Workspace) (*Results, error) {
	c := &collector{
		plan: p, ws: ws, scores: map[*plan.Stage]*metrics.Scores{},
		out: &Results{plan: p, ws: ws},
	}
	for _, s := range p.Stages {
		if c.done(s) && c.err == nil {
			c.collect(s)
		}
	}
	c.countMissing()
	c.out.chosen = choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) {
		if !c.done(s) {
			return nil, false
		}
		return c.metrics(s), true
	})
	c.examples()
	c.about()
	c.judges()
	if c.err != nil {
		return nil, c.err
	}
	return c.out, nil
}

// wants reports whether the experiment asks for a table.
func (r *Results) wants(table string) bool {
	return slices.Contains(r.plan.Experiment.Report.Tables, table)
}

// collector gathers records. After the first error it reads nothing more.
type collector struct {
	plan   *plan.Plan
	ws     *workspace.Workspace
	out    *Results
	scores map[*plan.Stage]*metrics.Scores // scores read so far
	err    error
}

// collect adds the records of a finished stage.
func (c *collector) collect(s *plan.Stage) {
	d := stages.Definition(s.Name)
	switch {
	case s.Name == stages.Score || s.Name == stages.Published:
		c.system(s)
	case d.Records != nil:
		c.add(d.Records(finishedStage{s, c.ws}))
	}
}

// add adds records, or keeps the first error.
func (c *collector) add(records []*report.Record, err error) {
	c.out.Records, c.err = append(c.out.Records, records...), cmp.Or(c.err, err)
}

// finishedStage is a finished stage in a workspace.
type finishedStage struct {
	stage *plan.Stage
	ws    *workspace.Workspace
}

func (f finishedStage) Name() stage.Name                  { return f.stage.Name }
func (f finishedStage) At() stage.Point                   { return f.stage.Points[0] }
func (f finishedStage) Settings() any                     { return f.stage.Settings }
func (f finishedStage) Read(file string, value any) error { return f.ws.ReadJSON(f.stage, file, value) }

func (f finishedStage) Done() bool { return f.ws.Done(f.stage) }

func (f finishedStage) Any(holds func(stage.Point) bool) bool { return f.stage.Any(holds) }

// Axes returns the swept keys that matter to the stage, with their values. It leaves out the given
// keys. All points that share the stage have these values.
func (f finishedStage) Axes(but ...string) []report.Axis {
	return lists.Filter(f.stage.Agreed(), func(a report.Axis) bool { return !slices.Contains(but, a.Key) })
}

// Input returns an input stage, finished or not.
func (f finishedStage) Input(name string) stage.Finished {
	return finishedStage{f.stage.Inputs[name], f.ws}
}

// countMissing counts the points and published systems that have unfinished results.
func (c *collector) countMissing() {
	missing := map[*experiment.Point]bool{}
	for _, s := range c.plan.Stages {
		switch {
		case !s.Shown() || c.done(s):
		case s.Name == stages.Published:
			c.out.Unscored++
		default:
			for _, p := range s.Points {
				missing[p.Point] = true
			}
		}
	}
	c.out.Missing = len(missing)
}

// done reports whether s is not nil and finished.
func (c *collector) done(s *plan.Stage) bool { return s != nil && c.ws.Done(s) }

// testAccuracy reads a classifier's accuracy on the test sentences.
func (c *collector) testAccuracy(s *plan.Stage) float64 {
	return readResult[stages.AccuracyResult](c, s, "result.json").TestAcc
}

// readResult decodes a JSON file of a finished stage. After an error it returns the zero value.
func readResult[T any](c *collector, s *plan.Stage, name string) *T {
	v := new(T)
	if c.err == nil {
		c.err = c.ws.ReadJSON(s, name, v)
	}
	return v
}

// addScores adds scores to the record of a system.
func addScores(r *report.Record, scores *metrics.Scores) {
	r.Scores, r.Values = scores, maps.Clone(scores.Metrics)
	if worst, known := worstMean(scores); known {
		r.Values[report.WorstMean] = worst
	}
}

// worstMean returns the lowest Mean among the directions, if there are more than two directions.
func worstMean(s *metrics.Scores) (worst float64, known bool) {
	if len(s.Directions) <= 2 {
		return 0, false
	}
	for _, d := range s.Directions {
		if v, has := d.Metrics["mean"]; has && (!known || v < worst) {
			worst, known = v, true
		}
	}
	return worst, known
}

// system adds the record of the outputs that a stage scores.
func (c *collector) system(s *plan.Stage) {
	r, p := s.Record(), s.Points[0]
	if p.Decoding != recipe.GuidedDecoding { // the paper has no guided decoding
		r.Paper = r.System()
	}
	c.out.Records = append(c.out.Records, r)
	if p.OfDev() {
		addScores(r, c.metrics(s))
		return
	}
	scores, beside := c.joined(s)
	addScores(r, scores)
	r.Partial = len(scores.Directions) < len(p.Data().Directions)
	c.out.Systems = append(c.out.Systems, &System{Record: r, score: s, beside: beside})
	if c.plan.Given != nil && c.err == nil {
		c.err = c.out.readGiven(c.out.Systems[len(c.out.Systems)-1])
	}
}

// readGiven adds another program's scores to a system.
func (r *Results) readGiven(of *System) error {
	dirs, err := r.textOf(of)
	if err != nil {
		return err
	}
	given, missing := r.plan.Given.Score(dirs)
	if missing > 0 {
		r.note([]string{"results"}, r.plan.Given.Missing(r.title([]*System{of}), missing))
		return nil
	}
	of.given = given
	addScores(of.Record, joinScores(of.Scores, given))
	return nil
}

// textOf reads the test sentences and the outputs of a system, by direction.
func (r *Results) textOf(of *System) (dirs []metrics.Input, err error) {
	styles := r.plan.Sets[of.Dataset()].Labels
	for _, d := range of.Scores.Directions {
		asked := corpus.Direction{From: styles.Index(d.From), To: styles.Index(d.To)}
		outputs, sources, err := r.outputsOf(of, corpus.Test, styles, asked)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, metrics.Input{From: d.From, To: d.To, Source: sources, Output: outputs})
	}
	return dirs, nil
}

// metrics returns the scores that a stage measured. It reads the file of each stage only once,
// because several tables may show the same scores.
func (c *collector) metrics(s *plan.Stage) *metrics.Scores {
	if c.scores[s] == nil {
		c.scores[s] = readResult[metrics.Scores](c, s, "metrics.json")
	}
	return c.scores[s]
}

// accuracySignature is the format of the signature of a classifier's accuracy. Its arguments are
// the kind of sentences and the split. "masked-sentences" are human sentences with masks.
const accuracySignature = "accuracy|level:micro|of:%s|decision:likelier-style|split:%s|version:1"

// trainedSignatures returns the signatures of the numbers in the tables of classifiers and masks,
// by table and metric.
func trainedSignatures() map[string]map[string]string {
	human := map[string]string{
		"dev_accuracy":  fmt.Sprintf(accuracySignature, "human-sentences", "dev"),
		"test_accuracy": fmt.Sprintf(accuracySignature, "human-sentences", "test"),
	}
	ofDivLSTM := map[string]string{
		"dev_accuracy": human["dev_accuracy"], "test_accuracy": human["test_accuracy"],
		"conicity":       "conicity|form:abs|over:time|agg:mean-of-sentences|split:dev|version:1",
		"top_attention":  "top_attention|of:most-attended-word|agg:mean-of-sentences|split:dev|version:1",
		"evidence_found": "evidence_found|of:most-attended-word|over:best-word|by:selector's-log-odds|level:style|split:dev|version:1",
	}
	return map[string]map[string]string{
		"classifier": human, "divlstm": ofDivLSTM, "attribution": {
			"accuracy":      fmt.Sprintf(accuracySignature, "masked-sentences", "test"),
			"masked_s_bleu": metrics.BLEUSignature("source"), "char_s_bleu": metrics.CharBLEUSignature,
		},
	}
}
