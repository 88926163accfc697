// Package results gathers what finished stages measured. Collect reads it into rows, which become
// tables, figures and one page. It trains nothing and scores no output. Confidence intervals and
// paired tests are computed here, from the scores of single sentences. What is not finished is left
// out and counted.
package results

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
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
	Missing      int // points with an unfinished stage
	Unscored     int // published systems without a score

	plan         *plan.Plan
	ws           *workspace.Workspace
	tested       map[string][][]report.SignificanceRow // results of Test, by testKey
	overrides    map[string][]report.Override          // keys that differ from the profile, by table
	notes        []note
	exampleRules []string                     // which points the examples come from
	trained      map[string]map[string]string // signatures of tables of classifiers and masks, by table
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
		plan: p, ws: ws, scores: map[*plan.Stage]*metrics.Scores{}, content: newContent(), out: &Results{plan: p, ws: ws},
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

// collector gathers records. After the first error it reads nothing more.
type collector struct {
	plan    *plan.Plan
	ws      *workspace.Workspace
	out     *Results
	scores  map[*plan.Stage]*metrics.Scores // read so far
	content content
	err     error
}

// collect adds the records of a finished stage.
func (c *collector) collect(s *plan.Stage) {
	switch s.Name {
	case stages.Accuracy:
		if model := s.Inputs["model"]; !c.done(model) {
			return
		} else if model.Name == stages.DivLSTM {
			c.divLSTM(model, s)
		} else {
			c.classifier(model, s)
		}
	case stages.MaskScore:
		c.masks(s)
	case stages.Score, stages.Published:
		c.system(s)
	}
}

// countMissing counts the points and published systems that have unfinished results.
func (c *collector) countMissing() {
	missing := map[*experiment.Point]bool{}
	for _, s := range c.plan.Stages {
		switch {
		case !s.Shown() || c.done(s):
		case s.Name == stages.Published:
			c.out.Unscored++
		case !s.Points[0].OfDev():
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

// axes returns the swept keys that matter to a stage, with their values, except those named. All
// points that share the stage agree on them.
func (c *collector) axes(s *plan.Stage, but ...string) []report.Axis {
	return slices.DeleteFunc(s.Agreed(), func(a report.Axis) bool { return slices.Contains(but, a.Key) })
}

// add adds the record of a trained model.
func (c *collector) add(table, dataset string, axes []report.Axis, seed uint64, values metrics.Values) *report.Record {
	r := &report.Record{Table: table, Values: values, Text: map[string]string{}}
	r.Axes = append([]report.Axis{{Key: report.Dataset, Value: dataset}}, axes...)
	r.Axes = append(r.Axes, plan.SeedAxis(seed))
	c.out.Records = append(c.out.Records, r)
	return r
}

// classifier adds the record of a classifier whose accuracy on test sentences is measured.
func (c *collector) classifier(s, accuracy *plan.Stage) {
	r := readResult[stages.TrainResult](c, s, "result.json")
	axes := append([]report.Axis{{Key: "model", Value: string(s.Name)}}, c.axes(s)...)
	record := c.add(report.FromClassifier, s.Points[0].Dataset, axes, s.Points[0].FirstSeed(), metrics.Values{
		"dev_accuracy": r.DevAccuracy, "test_accuracy": c.testAccuracy(accuracy), "epochs": float64(r.Epochs),
		"parameters": float64(r.Parameters),
	})
	record.Paper = map[stage.Name]string{stages.FastText: "FastText", stages.Classifier: "Bi-LSTM"}[s.Name]
}

// divLSTM adds the record of a Diversity-LSTM.
func (c *collector) divLSTM(s, accuracy *plan.Stage) {
	r, settings := readResult[stages.TrainResult](c, s, "result.json"), s.Settings.(stages.DivLSTMSettings)
	axes := append([]report.Axis{lambdaCon(settings.LambdaCon)}, c.axes(s, "lambda_con")...)
	record := c.add(report.FromDivLSTM, s.Points[0].Dataset, axes, s.Points[0].Seed, metrics.Values{
		"dev_accuracy": r.DevAccuracy, "test_accuracy": c.testAccuracy(accuracy), "conicity": r.Conicity,
		"epochs": float64(r.Epochs),
	})
	record.Text["reduction"] = string(settings.Reduction)
	if settings.LambdaCon > 0 { // the paper has no values for the plain LSTM
		record.Paper = "Diversity-LSTM"
	}
	if a := r.Attention; a != nil {
		record.Values["top_attention"], record.Values["restarts"] = a.TopShare, float64(a.Restarts)
		record.Text["evidence_found"] = evidenceText(a)
		if !a.Healthy() {
			record.Text[report.OffStyle] = "yes"
		}
	}
}

func lambdaCon(v float64) report.Axis { return report.Axis{Key: "lambda_con", Value: table.Short(v)} }

// evidenceText returns the evidence found of each style. A style without words of its own has none.
func evidenceText(a *stages.AttentionHealth) string {
	each := lists.Map(a.Found, func(v float64) string { return table.Decimals(v, 2) })
	for _, style := range a.Silent {
		each[style] = table.Absent
	}
	return strings.Join(each, " / ")
}

// addScores adds scores to the record of a system.
func addScores(r *report.Record, scores *metrics.Scores) {
	r.Scores, r.Values = scores, maps.Clone(scores.Metrics)
	if worst, known := worstMean(scores); known {
		r.Values[report.WorstMean] = worst
	}
}

// worstMean returns the lowest Mean of any direction, if there are more than two.
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

// metrics returns the content of a score, which several tables may show.
func (c *collector) metrics(s *plan.Stage) *metrics.Scores {
	if c.scores[s] == nil {
		c.scores[s] = readResult[metrics.Scores](c, s, "metrics.json")
	}
	return c.scores[s]
}

// masks adds the record of the masks of test sentences.
func (c *collector) masks(s *plan.Stage) {
	r, p, mask := readResult[stages.MaskScores](c, s, "result.json"), s.Points[0], s.Inputs["test-mask"]
	policyOf := mask.Settings.(stages.MaskSettings)
	attribution := mask.Inputs["attribution"]
	con := attribution.Inputs["divlstm"].Settings.(stages.DivLSTMSettings).LambdaCon
	axes := []report.Axis{
		{Key: "method", Value: string(p.Method)},
		lambdaCon(con),
		{Key: "lambda_eps", Value: table.Absent},
		{Key: "policy", Value: table.Absent},
	}
	if p.Method == policy.NoMasking {
		axes[1].Value = table.Absent
	}
	if policyOf.Name == policy.Surplus {
		axes[2].Value = table.Short(policyOf.LambdaEps)
	}
	if p.Method != policy.NoMasking && p.Method != policy.Random { // these have no policy of their own
		axes[3].Value = string(policyOf.Name)
	}
	axes = append(axes, c.axes(s, "lambda_con", "lambda_eps", "lambda_eps_gradients", "masking.policy", "policy")...)
	n, _ := sentencesOf(p, corpus.Test)
	record := c.add(report.FromMasks, p.Dataset, axes, p.Seed, metrics.Values{
		"sentences": float64(n), "masked_share": r.Test.MaskedShare, "none_masked": float64(r.Test.NoneMasked),
		"all_masked": float64(r.Test.AllMasked), "accuracy": r.Test.Accuracy, "masked_s_bleu": r.Test.SBLEU,
		"char_s_bleu": r.Test.CharBLEU,
	})
	if p.Method == policy.NoMasking || policyOf.Name == policy.Surplus { // the paper's table has only this policy
		record.Paper = string(p.Method)
	}
	if p.Method == policy.IntegratedGradients && c.done(attribution) {
		r := readResult[stages.AttributionResult](c, attribution, "result.json")
		if v, ok := r.Completeness[corpus.Test.String()]; ok {
			record.Values["completeness_gap"] = v.Gap / v.Change
		}
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
		first := s.Points[0]
		axes := append([]report.Axis{{Key: "model", Value: string(s.Name)}}, c.axes(s)...)
		if settings, ok := s.Settings.(stages.DivLSTMSettings); ok { // vanilla attention has another lambda_con than the point
			axes = append([]report.Axis{axes[0]}, c.axes(s, "lambda_con")...)
			axes = append(axes, lambdaCon(settings.LambdaCon))
		}
		seed := first.Seed
		if slices.Contains(oneSeed, s.Name) {
			seed = first.FirstSeed()
		}
		for i, e := range h.Epochs {
			kept := ""
			if i == h.Best {
				kept = "*"
			}
			axes := append(slices.Clone(axes), report.Axis{Key: "epoch", Value: strconv.Itoa(e.Epoch)},
				report.Axis{Key: "kept", Value: kept})
			values := metrics.Values{"steps": float64(e.Steps)}
			for key, v := range map[string]*float64{
				"train_loss": e.TrainLoss, "dev_loss": e.Dev.Loss, "dev_accuracy": e.Dev.Accuracy, "conicity": e.Dev.Conicity,
			} {
				if v != nil {
					values[key] = *v
				}
			}
			c.add(report.FromEpochs, first.Dataset, axes, seed, values)
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
			"masked_s_bleu": metrics.BLEUSignature(4, "source"), "char_s_bleu": metrics.CharBLEUSignature,
		},
	}
}
