// Package results gathers what finished stages measured. Collect reads it into rows, which become
// tables, figures and one page. It trains nothing and scores no output. Confidence intervals and
// paired tests are computed here, from the scores of single sentences. What is not finished is left
// out and counted.
package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Results has the rows of every table, from the finished stages.
type Results struct {
	Results      []report.ResultRow
	Selection    []report.ResultRow // of dev outputs
	Datasets     []report.DatasetRow
	Classifier   []report.ClassifierRow
	DivLSTM      []report.DivLSTMRow
	Masking      []report.AttributionRow
	Training     []report.TrainingRow
	Intervals    []report.IntervalRow
	Significance []report.SignificanceRow // see Test
	Examples     []report.ExampleRow
	About        report.About
	Missing      int // points with an unfinished stage
	Unscored     int // published systems without a score

	plan         *plan.Plan
	ws           *workspace.Workspace
	scores       []*plan.Stage                         // for each of Results
	beside       [][]*plan.Stage                       // for each: stages with further metrics
	given        []*metrics.Scores                     // for each: scores of another program; nil: none
	tested       map[string][][]report.SignificanceRow // results of Test, by testKey
	overrides    map[string][]report.Override          // keys that differ from the profile, by table
	notes        []note
	exampleRules []string                     // which points the examples come from
	trained      map[string]map[string]string // signatures of tables of classifiers and masks, by table
	chosen       *pointChoice
	shown        []shownExample
	weak         weakJudges
}

// Collect reads the results of the finished stages. It leaves out rows whose stages are missing, so
// it works during a run. A damaged file is an error. It trains nothing and writes nothing.
func Collect(p *plan.Plan, ws *workspace.Workspace) (*Results, error) {
	c := &collector{
		plan: p, ws: ws, seen: map[*plan.Stage]bool{},
		reports: map[*plan.Stage]*metrics.Scores{}, content: newContent(), out: &Results{plan: p, ws: ws},
	}
	for _, point := range p.Points {
		c.classifiers(point)
		c.divLSTMs(point)
		c.masks(point)
		c.models(point)
	}
	c.published()
	c.out.chosen = choosePoints(p, func(s *plan.Stage) (*metrics.Scores, bool) {
		if !c.done(s) {
			return nil, false
		}
		return c.metrics(s), true
	})
	c.intervals()
	c.training()
	c.examples()
	c.datasets()
	c.about()
	c.judges()
	if c.err != nil {
		return nil, c.err
	}
	var err error
	tables := lists.AddOnce(slices.Clone(p.Experiment.Report.Tables), "significance") // Compared needs it
	c.out.overrides, err = overridesByTable(p, tables)
	return c.out, err
}

// wants reports whether the experiment asks for a table.
func (r *Results) wants(table string) bool {
	return slices.Contains(r.plan.Experiment.Report.Tables, table)
}

// draws reports whether the experiment asks for a figure.
func (r *Results) draws(figure string) bool {
	return slices.Contains(r.plan.Experiment.Report.Figures, figure)
}

// collector gathers rows, each stage once. After the first error it reads nothing more.
type collector struct {
	plan    *plan.Plan
	ws      *workspace.Workspace
	out     *Results
	seen    map[*plan.Stage]bool
	reports map[*plan.Stage]*metrics.Scores // scores read so far
	content content
	err     error
}

// once reports whether the stage is finished and was not collected before.
func (c *collector) once(s *plan.Stage) bool { return c.onceIn(c.seen, s) }

func (c *collector) onceIn(seen map[*plan.Stage]bool, s *plan.Stage) bool {
	if c.err != nil || seen[s] || !c.done(s) {
		return false
	}
	seen[s] = true
	return true
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

// axes returns the swept keys that matter to a stage, with their values, except those named. All
// points that share the stage agree on them.
func (c *collector) axes(s *plan.Stage, but ...string) []report.Axis {
	return slices.DeleteFunc(s.Agreed(), func(a report.Axis) bool { return slices.Contains(but, a.Key) })
}

func (c *collector) classifiers(p *plan.PointStages) {
	for _, s := range []*plan.Stage{p.Classifier, p.FastText, p.Unseen} {
		accuracy := p.Accuracy(s)
		if !c.done(accuracy) || !c.once(s) {
			continue
		}
		r := readResult[stages.TrainResult](c, s, "result.json")
		c.out.Classifier = append(c.out.Classifier, report.ClassifierRow{
			Dataset: p.Point.Dataset, Model: string(s.Name), Axes: c.axes(s),
			Seed:        c.plan.Experiment.Seeds[0],
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
			row.OffStyle, row.Evidence, row.Silent = !a.Healthy(), a.Found, a.Silent
		}
		c.out.DivLSTM = append(c.out.DivLSTM, row)
	}
}

// systemName names a model of a point, with its masks and decoding if the point has several.
func systemName(p *plan.PointStages, m *plan.ModelStages) string {
	name := plan.SystemNames[m.Model]
	var more []string
	if len(p.Point.Settings.Masking.TrainOn) > 1 {
		more = append(more, string(m.Method))
	}
	if len(p.Point.Settings.Outputs(m.Model)) > 1 {
		more = append(more, string(m.Decoding))
	}
	if len(more) > 0 {
		name += " (" + strings.Join(more, ", ") + ")"
	}
	return name
}

// models adds a row for each score of our models. It counts the point as missing if one of its
// scores, or the accuracy of one of its classifiers on test sentences, is not finished. Points that
// share a score share its row, which shows only the axes on which they agree.
func (c *collector) models(p *plan.PointStages) {
	if slices.ContainsFunc(p.Models, func(m *plan.ModelStages) bool { return !c.done(m.Score) }) ||
		slices.ContainsFunc(p.Masks, func(m *plan.MaskStages) bool { return !c.done(m.Score) }) ||
		slices.ContainsFunc(p.Accuracies(), func(s *plan.Stage) bool { return !c.done(s) }) {
		c.out.Missing++
	}
	for _, m := range p.Models {
		if c.once(m.Score) {
			c.system(m.Score, c.modelRow(p, m, m.Score))
		}
		if c.once(m.Dev) {
			row := c.modelRow(p, m, m.Dev)
			row.Metrics = c.metrics(m.Dev)
			c.out.Selection = append(c.out.Selection, row)
		}
	}
}

// modelRow returns the row of one of our scores, without its metrics.
func (c *collector) modelRow(p *plan.PointStages, m *plan.ModelStages, score *plan.Stage) report.ResultRow {
	row := p.Row(m, score)
	return report.ResultRow{
		Dataset: p.Point.Dataset, System: row.System, Axes: row.Axes, Seed: row.Seed,
		Guided: m.Decoding == recipe.GuidedDecoding,
	}
}

// system adds a row with its scores and records its stage.
func (c *collector) system(s *plan.Stage, row report.ResultRow) {
	var more []*plan.Stage
	row.Metrics, more = c.joined(s)
	row.Partial = row.Metrics != nil && len(row.Metrics.Directions) < len(c.plan.Data[row.Dataset].Directions)
	c.out.Results = append(c.out.Results, row)
	c.out.scores, c.out.beside = append(c.out.scores, s), append(c.out.beside, more)
	c.out.given = append(c.out.given, nil)
	if c.plan.Given != nil && c.err == nil {
		c.err = c.out.readGiven(len(c.out.Results) - 1)
	}
}

// readGiven adds another program's scores of the outputs to a row of Results.
func (r *Results) readGiven(row int) error {
	dirs, err := r.textOf(row)
	if err != nil {
		return err
	}
	given, missing := r.plan.Given.Score(dirs)
	if missing > 0 {
		r.note([]string{"results"}, r.plan.Given.Missing(r.title([]int{row}), missing))
		return nil
	}
	r.Results[row].Metrics, r.given[row] = joinScores(r.Results[row].Metrics, given), given
	return nil
}

// textOf reads the test sentences and the outputs of a row of Results, by direction.
func (r *Results) textOf(row int) (dirs []metrics.Input, err error) {
	styles := r.plan.Data[r.Results[row].Dataset].Labels
	for _, d := range r.Results[row].Metrics.Directions {
		asked := corpus.Direction{From: styles.Index(d.From), To: styles.Index(d.To)}
		outputs, sources, err := r.outputsOf(row, corpus.Test, styles, asked)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, metrics.Input{From: d.From, To: d.To, Source: sources, Output: outputs})
	}
	return dirs, nil
}

// published adds the rows of published systems and of the human references.
func (c *collector) published() {
	for _, p := range c.plan.Published {
		if !c.done(p.Score) {
			c.out.Unscored++
		}
		if !c.once(p.Score) {
			continue
		}
		c.system(p.Score, report.ResultRow{
			Dataset: p.Dataset, System: p.System, Published: true, Unranked: p.System == stages.HumanReferences,
			Axes: c.plan.PublishedRow(p).Axes,
		})
	}
}

// metrics returns the content of a score, which several tables may show.
func (c *collector) metrics(s *plan.Stage) *metrics.Scores {
	if c.reports[s] == nil {
		c.reports[s] = readResult[metrics.Scores](c, s, "metrics.json")
	}
	return c.reports[s]
}

// masks adds a row for every mask of test sentences.
func (c *collector) masks(p *plan.PointStages) {
	for _, m := range p.Masks {
		if !c.once(m.Score) {
			continue
		}
		r := readResult[stages.MaskScores](c, m.Score, "result.json")
		n, _ := sentencesOf(c.plan, p, corpus.Test)
		s := m.Mask.Settings.(stages.MaskSettings)
		row := report.AttributionRow{
			Dataset: p.Point.Dataset, Method: m.Method, LambdaCon: m.LambdaCon, Policy: s.Name, Seed: p.Point.Seed,
			Axes: c.axes(m.Score, "lambda_con", "lambda_eps", "lambda_eps_gradients", "masking.policy",
				"policy"),
			Sentences:   n,
			MaskedShare: r.Test.MaskedShare, NoneMasked: r.Test.NoneMasked, AllMasked: r.Test.AllMasked,
			Accuracy: r.Test.Accuracy, SBLEU: r.Test.SBLEU, CharBLEU: r.Test.CharBLEU,
		}
		if s.Name == policy.Surplus {
			row.LambdaEps = &s.LambdaEps
		}
		if m.Method == policy.IntegratedGradients && c.done(m.TestAttribution) { // completeness of the attributions
			r := readResult[stages.AttributionResult](c, m.TestAttribution, "result.json")
			if v, ok := r.Completeness[corpus.Test.String()]; ok {
				row.Gap, row.Change = &v.Gap, &v.Change
			}
		}
		c.out.Masking = append(c.out.Masking, row)
	}
}

// trainedStages are the stages that train, without the guide.
var trainedStages = lists.Where(stages.Trained(), func(name stage.Name) bool { return name != stages.Guide })

// oneSeed are the trained stages that use only the experiment's first seed.
var oneSeed = []stage.Name{
	stages.Classifier, stages.FastText, stages.LM, stages.UnseenCNN,
}

// training adds a row for every epoch of every trained model.
func (c *collector) training() {
	if !c.out.wants("training") && !c.out.draws("training") {
		return
	}
	for _, s := range c.plan.Stages {
		if !slices.Contains(trainedStages, s.Name) || !c.done(s) {
			continue
		}
		h := readResult[stages.History](c, s, "history.json")
		first, lambdaCon := s.First()
		axes := c.axes(s)
		if s.Name == stages.DivLSTM && lambdaCon != "" {
			axes = append(c.axes(s, "lambda_con"), report.Axis{Key: "lambda_con", Value: lambdaCon})
		}
		seed := first.Seed
		if slices.Contains(oneSeed, s.Name) {
			seed = c.plan.Experiment.Seeds[0]
		}
		for i, e := range h.Epochs {
			c.out.Training = append(c.out.Training, report.TrainingRow{
				Dataset: first.Dataset, Model: string(s.Name), Axes: axes, Seed: seed, Epoch: e.Epoch, Steps: e.Steps,
				TrainLoss: e.TrainLoss, DevLoss: e.Dev.Loss, DevAccuracy: e.Dev.Accuracy, Conicity: e.Dev.Conicity,
				Kept: i == h.Best,
			})
		}
	}
}

// accuracySignature is the signature of a classifier's accuracy on human sentences of a split.
// "masked-sentences" are human sentences with masks.
const accuracySignature = "accuracy|level:micro|of:%s|decision:likelier-style|split:%s|version:1"

// trainedSignatures are the signatures of the figures in the tables of classifiers and masks, by
// table.
func trainedSignatures() map[string]map[string]string {
	human := map[string]string{
		"dev_accuracy": fmt.Sprintf(accuracySignature, "human-sentences", "dev"),
		"accuracy":     fmt.Sprintf(accuracySignature, "human-sentences", "test"),
	}
	ofDivLSTM := map[string]string{
		"dev_accuracy": human["dev_accuracy"], "accuracy": human["accuracy"],
		"conicity":       "conicity|form:abs|over:time|agg:mean-of-sentences|split:dev|version:1",
		"top_attention":  "top_attention|of:most-attended-word|agg:mean-of-sentences|split:dev|version:1",
		"evidence_found": "evidence_found|of:most-attended-word|over:best-word|by:selector's-log-odds|level:style|split:dev|version:1",
	}
	return map[string]map[string]string{
		"classifier": human, "divlstm": ofDivLSTM, "attribution": {
			"accuracy": fmt.Sprintf(accuracySignature, "masked-sentences", "test"),
			"s_bleu":   metrics.BLEUSignature(4, "source"),
		},
	}
}
