package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// results makes the lab's stages write invented results, from which tables can be made.
func (l *lab) results() {
	for _, name := range stages.Names() {
		l.funcs[name] = func(ctx context.Context, job *stage.Job) error {
			return errors.Join(fakebackend.Backend{Varied: true}.Run(ctx, job), l.work(ctx, job))
		}
	}
}

// The method collected returns the results of the finished stages.
func (l *lab) collected() *results.Results {
	l.t.Helper()
	r, err := results.Collect(l.plan, l.ws)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// finished runs all stages with invented results, and returns the results.
func (l *lab) finished() *results.Results {
	l.t.Helper()
	l.results()
	l.mustRun(Options{})
	return l.collected()
}

// The function of returns the records whose field From is the given constant of package report,
// such as report.FromMasks.
func of(r *results.Results, table string) []*report.Record {
	return lists.Filter(r.Records, func(one *report.Record) bool { return one.From == table })
}

func TestCollect(t *testing.T) {
	l := newLab(
		t, "datasets.tiny.labels=['sad', 'glad']", "masking.methods=['explainable_attention', 'random']",
		"report.examples=2", "seeds=[1, 2]", "smlm.decoding=['copied']",
	)
	r := l.finished()
	// There are 13 systems: 2 lambda_eps x 2 seeds x 3 models, and the references.
	if got := len(r.Systems); got != 13 || r.Missing != 0 {
		t.Fatalf("%d systems, %d missing", got, r.Missing)
	}
	first, last := r.Systems[0], r.Systems[12]
	if d := cmp.Diff([]report.Axis{
		{Key: report.Dataset, Value: "tiny"},
		{Key: report.System, Value: "SMLM"},
		{Key: "lambda_eps", Value: "0.15"},
		{Key: report.Seed, Value: "1"},
	}, first.Axes); d != "" || first.Kind != report.Ours {
		t.Errorf("the first system is of kind %v: %s", first.Kind, d)
	}
	if last.Name() != data.References || last.Dataset() != "tiny" || last.Kind != report.People {
		t.Errorf("last system %+v", last.Record)
	}
	// There are 2 classifiers (the evaluation classifier and the selector), one Diversity-LSTM per
	// seed, and masks of 2 methods x 2 lambda_eps x 2 seeds.
	classifiers, divLSTMs, masks := of(r, report.FromClassifier), of(r, report.FromDivLSTM), of(r, report.FromMasks)
	if len(classifiers) != 2 || len(divLSTMs) != 2 || len(masks) != 8 {
		t.Fatalf("%d classifiers, %d Diversity-LSTMs, %d masks", len(classifiers), len(divLSTMs), len(masks))
	}
	want := &report.Record{
		From: report.FromClassifier, Paper: "Bi-LSTM", Text: map[string]string{},
		Axes: []report.Axis{
			{Key: report.Dataset, Value: "tiny"}, {Key: "model", Value: "classifier"}, {Key: report.Seed, Value: "1"},
		},
		Values: metrics.Values{
			"sentences": 6, "dev_accuracy": 90, "test_accuracy": 89, "epochs": classifiers[0].Values["epochs"], "parameters": 1234567,
		},
	}
	if d := cmp.Diff(want, classifiers[0], cmpopts.IgnoreUnexported(report.Record{})); d != "" {
		t.Error(d)
	}
	// There are 12 examples: 2 directions x 2 sentences x 3 models. All examples come from the
	// first sweep point.
	if len(r.Examples) != 12 {
		t.Fatalf("%d examples", len(r.Examples))
	}
	e := r.Examples[0]
	if source := strings.Fields(e.Source); e.From != "sad" || e.To != "glad" ||
		!strings.HasPrefix(e.Source, "test words of style 0 number ") ||
		!strings.HasPrefix(e.Output, "test splendid") || e.Masked != "test <mask> of <mask> 0 <mask> "+source[6] ||
		!strings.HasSuffix(e.Output, "of splendid 0 splendid "+source[6]) || r.Examples[1].Source != e.Source ||
		r.Examples[2].System != "SMLM-FT" {
		t.Errorf("examples %+v", r.Examples[:3])
	}
	if d := cmp.Diff([]string{"tiny: 3 + 3 training and 3 + 3 test sentences (sad + glad)"}, r.About.Data); d != "" {
		t.Error(d)
	}
	seeds := r.Tables("seeds")
	if len(seeds) != 1 || len(seeds[0].Rows) != 7 { // 2 lambda_eps x 3 models, and the references
		t.Errorf("table of seeds: %+v", seeds)
	}
	if !strings.Contains(strings.Join(r.About.Notes, "\n"), "Epochs (and optimizer steps): Evaluation classifier ") ||
		r.About.Signatures["s_bleu"] != "fake" {
		t.Errorf("notes %q, signatures %v", r.About.Notes, r.About.Signatures)
	}
}

// TestCollectSharedRows checks that a sweep over a setting that only SMLM-G uses does not repeat
// the row of SMLM.
func TestCollectSharedRows(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=0.15", "decoder.layers=[1, 2]", "smlm.decoding=['predicted']")
	r := l.finished()
	var got []string
	for _, s := range r.Systems {
		got = append(got, s.Name(report.Seed))
	}
	want := []string{
		"SMLM", "SMLM-G (decoder.layers 1)", "SMLM-FT", "SMLM-G (decoder.layers 2)", data.References,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

func TestTablesOfAPartialWorkspace(t *testing.T) {
	l := newLab(t, "smlm.decoding=['copied']")
	l.results()
	empty, err := results.Collect(l.plan, l.ws)
	if err != nil || empty.Missing != 2 || len(empty.Systems) != 0 {
		t.Fatalf("of nothing: %+v, %v", empty, err)
	}
	if tables := empty.Tables(); len(tables) > 0 {
		t.Errorf("tables of nothing: %v", tables)
	}
	if err := l.run(t.Context(), Options{Only: []string{"score/" + l.plan.Named(stages.Score)[0].ID}}); err != nil {
		t.Fatal(err)
	}
	partial, err := results.Collect(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	tables := partial.Tables()
	if err := partial.WriteTables(tables); err != nil {
		t.Fatal(err)
	}
	if len(tables) != 6 || tables[0].Name != "main" || tables[1].Name != "results" ||
		len(tables[1].Rows) != 1 { // no stage that measures masks or classifiers has run
		t.Fatalf("tables %v", tables)
	}
	for _, name := range []string{"main.tex", "appendix.tex", "results.tex", "results.md", "results.csv", "examples.tex", "datasets.csv"} {
		text, err := os.ReadFile(filepath.Join(l.ws.TablesDir("small"), name))
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if strings.HasPrefix(name, "results.md") &&
			!strings.Contains(string(text), "Rows are missing: 2 of the 2 points are not finished yet.") {
			t.Errorf("no word about what is missing: %s", text)
		}
	}
	l.mustRun(Options{}) // a folder with tables is still accepted as a workspace
}

func TestTablesBeforeTheFirstRun(t *testing.T) {
	l := newLab(t)
	l.results()
	r, err := results.Collect(l.plan, l.ws)
	if err == nil {
		err = r.WriteTables(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.mustRun(Options{})
}

func TestSpoiltResult(t *testing.T) {
	l := newLab(t)
	l.results()
	l.mustRun(Options{})
	path := filepath.Join(l.ws.StageDir(l.plan.Named(stages.Classifier)[0]), "result.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	testkit.WriteFile(t, path, string(text))
	_, err = results.Collect(l.plan, l.ws)
	testkit.WantError(t, err, userr.StageFailed, "the stage classifier", "is damaged", path, "has other contents")
}

// scoredAs puts fakes in place of the stages that compute scores. Each fake scores ten outputs per
// direction, of which right(job) have the target style.
func (l *lab) scoredAs(right func(job *stage.Job) int) {
	score := func(ctx context.Context, job *stage.Job) error {
		dirs := make([]metrics.Input, 2)
		for k := range dirs {
			in := &dirs[k]
			in.From, in.To, in.Target = fmt.Sprint(k), fmt.Sprint(1-k), 1-k
			for i := range 10 {
				words := strings.Fields(fmt.Sprintf("the %d th sentence of five words", i))
				in.Source, in.Output = append(in.Source, words), append(in.Output, l.rewritten(job, words))
				style := k
				if i < right(job) {
					style = 1 - k
				}
				in.Predicted = append(in.Predicted, style)
			}
		}
		r, err := metrics.Score(dirs, metrics.Instruments{Naturalness: even{}})
		if err != nil {
			return err
		}
		r.Intervals = metrics.Intervals(r.Sentences, 100)
		return errors.Join(fakebackend.WriteScores(job, r), l.work(ctx, job))
	}
	l.funcs[stages.Score], l.funcs[stages.Published] = score, score
}

// The method rewritten returns the output that a job scores for a source sentence: the sentence
// itself if l.copies contains the job's id, else the sentence with "0" added to its second word.
func (l *lab) rewritten(job *stage.Job, words []string) []string {
	if !l.copies[job.ID] {
		words = slices.Clone(words)
		words[1] += "0"
	}
	return words
}

// The type even implements a measure of naturalness that gives every sentence 0.5.
type even struct{}

func (even) Score([]string) float64 { return 0.5 }
func (even) Signature() string      { return "even" }

// TestCollectSignificance checks that every row is compared with the row that has the best Mean, or
// with the system that the setting report.against names. The references never count as the
// best.
func TestCollectSignificance(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=[0, 1]", "smlm.models=['smlm']", "smlm.decoding=['copied']")
	l.results()
	best := map[string]bool{} // the scores at lambda_eps 1, of dev and of test outputs
	for _, score := range l.plan.Named(stages.Score) {
		best[score.ID] = score.Points[0].Axes[0].Value == "1"
	}
	l.scoredAs(func(job *stage.Job) int {
		switch {
		case job.Name == stages.Published:
			return 10
		case best[job.ID]:
			return 9
		}
		return 1
	})
	l.mustRun(Options{})
	r, err := results.Collect(l.plan, l.ws)
	if err == nil {
		err = r.Test(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.Significance {
		if s.Comparison.Metric == "tst" {
			got = append(
				got, fmt.Sprintf("%s > %s: %g, %t", s.A, s.B, s.Comparison.Difference, s.Comparison.P() < 0.05),
			)
		}
	}
	want := []string{
		"SMLM (lambda_eps 1) > SMLM (lambda_eps 0): 80, true",
		"SMLM (lambda_eps 1) > references: -10, false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("comparisons (-want +got):\n%s", d)
	}
	if len(r.Systems) != 3 || r.Systems[0].Scores.Intervals["tst"].Value != 10 {
		t.Errorf("%d systems, intervals %+v", len(r.Systems), r.Systems[0].Scores.Intervals)
	}
	for name, problem := range map[string]string{
		"SMLM":                     `"SMLM" means 2 rows: use "SMLM (lambda_eps 0)" or "SMLM (lambda_eps 1)"`,
		"SMLM-X":                   `"SMLM-X" is not a finished row`,
		"SMLM:lambda_eps=2":        "is not a finished row",
		"references:seed=1":        "is not a finished row",
		"SMLM:lambda_eps=1,seed=1": "",
		"references":               "",
	} {
		found, err := r.Find("", name)
		if problem != "" {
			testkit.WantError(t, err, userr.BadInput, problem)
		} else if err != nil || !strings.HasPrefix(name, found[0].System()) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	for against, want := range map[string]string{
		data.References: data.References, "References": data.References,
		"SMLM (lambda_eps 0)": "SMLM (lambda_eps 0)", "smlm:lambda_eps=0": "SMLM (lambda_eps 0)",
		"SMLM": "SMLM (lambda_eps 1)", // the point that dev outputs chose
	} {
		l.plan.Experiment.Report.Against = against
		if r, err = results.Collect(l.plan, l.ws); err == nil {
			err = r.Test(t.Context())
		}
		if err != nil || len(r.Significance) == 0 || r.Significance[0].A != want {
			t.Errorf("against %s: %+v, %v", against, r.Significance, err)
		}
	}
	for against, problem := range map[string]string{
		"SMLM:seed=9":                     `"SMLM:seed=9" is not a finished row`,
		data.References + ":lambda_eps=1": "is not a finished row",
	} {
		l.plan.Experiment.Report.Against = against
		if r, err = results.Collect(l.plan, l.ws); err == nil {
			err = r.Test(t.Context())
		}
		testkit.WantError(t, err, userr.BadInput, problem)
	}
	_, err = plan.New(load(t, testkit.SmallStudy, "report.against=Tag"))
	testkit.WantError(
		t, err, userr.BadInput, `--set report.against=Tag: report.against names "Tag", but the experiment has no such row: use `,
		`"references"`,
	)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	l.plan.Experiment.Report.Against = ""
	if r, err = results.Collect(l.plan, l.ws); err != nil {
		t.Fatal(err)
	}
	if err := r.Test(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestChosenOnDev checks that all systems are compared with the one that has the highest Mean on
// the dev set, even if another has a higher Mean on the test set. Tables name this system, and its
// model is the default of the commands transfer and pack. If the experiment trains no system, there
// is no comparison, and a note says so.
func TestChosenOnDev(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=[0, 1]", "smlm.models=['smlm']", "smlm.decoding=['copied']")
	l.results()
	right := map[string]int{}
	for _, score := range l.plan.Named(stages.Score) {
		p := score.Points[0]
		right[score.ID] = 4
		if p.OfDev() == (p.Axes[0].Value == "0") { // setting 0 is better on dev, setting 1 on test
			right[score.ID] = 7
		}
	}
	l.scoredAs(func(job *stage.Job) int {
		if job.Name == stages.Published {
			return 10
		}
		return right[job.ID]
	})
	l.mustRun(Options{})
	r, err := results.Collect(l.plan, l.ws)
	if err == nil {
		err = r.Test(t.Context())
	}
	if err != nil || len(r.Significance) == 0 || r.Significance[0].A != "SMLM (lambda_eps 0)" {
		t.Fatalf("the first test %+v, %v", r.Significance, err)
	}
	note := "On tiny, A is our system with the highest Mean on the dev set."
	if notes := r.Tables("significance")[0].Notes; !slices.Contains(notes, note) {
		t.Errorf("notes %q", notes)
	}
	model, ok, err := results.ChosenModel(l.plan, l.ws, results.AnyModel) // what transfer and pack use
	if err != nil || !ok || model.Axes[0].Value != "0" {
		t.Errorf("the model %v, %t, %v is chosen", model.Axes, ok, err)
	}
	legend := []string{"Of our systems on tiny, SMLM (lambda_eps 0) has the highest Mean on the dev set."}
	if d := cmp.Diff(legend, r.Tables("results")[0].Legend); d != "" {
		t.Errorf("legend (-want +got):\n%s", d)
	}

	none := newLab(t, "smlm.models=[]")
	none.results()
	none.mustRun(Options{})
	r = none.collected()
	if err := r.Test(t.Context()); err != nil || r.Significance != nil {
		t.Errorf("without a trained system: %+v, %v", r.Significance, err)
	}
}

// TestVerdictOnTheChosen checks that the verdict is about the model that dev outputs chose, not
// about the first one, and that ChosenModel finds the best of the models that a user allows.
func TestVerdictOnTheChosen(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=[0, 1]", "smlm.models=['smlm']", "smlm.decoding=['guided']", "guided.style='auto'")
	l.results()
	at := func(s *plan.Stage) string { return s.Points[0].Axes[0].Value }
	good, right := map[string]string{}, map[string]int{}
	for _, tune := range l.plan.Named(stages.Tune) {
		good[tune.ID] = map[string]string{"0": "0.45", "1": "0.84"}[at(tune)]
	}
	for _, score := range l.plan.Named(stages.Score) {
		right[score.ID] = map[string]int{"0": 4, "1": 7}[at(score)]
	}
	tunes := l.funcs[stages.Tune]
	l.funcs[stages.Tune] = func(ctx context.Context, job *stage.Job) error {
		err := tunes(ctx, job)
		testkit.WriteFile(t, filepath.Join(job.Dir, "choice.json"),
			`{"recognised": 1, "chosen": 0, "tried": [{"style": 2, "good": `+good[job.ID]+`}]}`)
		return err
	}
	l.scoredAs(func(job *stage.Job) int { return right[job.ID] })
	l.mustRun(Options{})
	verdicts, err := results.Verdicts(l.plan, l.ws)
	if err != nil || len(good) != 2 || len(verdicts) != 1 || !strings.HasPrefix(verdicts[0].Text, "84 of 100") {
		t.Errorf("%d choices, verdicts %+v, %v", len(good), verdicts, err)
	}
	model, ok, err := results.ChosenModel(l.plan, l.ws, func(m stage.Point) bool { return m.Axes[0].Value == "0" })
	if err != nil || !ok || model.Axes[0].Value != "0" {
		t.Errorf("of the models with lambda_eps 0, %v is chosen, %t, %v", model.Axes, ok, err)
	}
}

// TestCopiesAreNotFirst: in this test, the outputs of one sweep point copy the sources and have the
// highest Mean, on dev and on test sentences. Tables mark this point with §‖ and do not mark it as
// the best. This point does not represent its system in the main table, and no system is tested
// against it.
func TestCopiesAreNotFirst(t *testing.T) {
	l := newLab(t, "smlm.decoding=['copied', 'guided']", "report.figures=['tradeoff']")
	l.results()
	right := map[string]int{}
	for _, score := range l.plan.Named(stages.Score) { // scores of dev and of test outputs
		switch p := score.Points[0]; {
		case p.Axes[0].Value != "0.5":
			right[score.ID] = 2
		case p.Decoding == recipe.Copied:
			l.copies[score.ID] = true
		default:
			right[score.ID] = 3
		}
	}
	l.scoredAs(func(job *stage.Job) int { return right[job.ID] })
	l.mustRun(Options{})
	r, err := results.Collect(l.plan, l.ws)
	if err == nil {
		err = r.Test(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range r.Tables("results", "selection") {
		means, said := made.Column("mean"), strings.Join(slices.Concat(made.Legend, made.Under()), "\n")
		most, marked := 0.0, ""
		for _, row := range made.Rows {
			cell := row.Cells[means]
			mean, err := strconv.ParseFloat(cell.Text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if mean > most {
				most, marked = mean, cell.Sign
			}
			if (cell.Sign == "§‖") != (mean == 50) || row.Cells[0].Sign != cell.Sign && row.Cells[1].Sign != cell.Sign {
				t.Errorf("%s: Mean %s%s of %q", made.Name, cell.Text, cell.Sign, row.Cells[0].Text)
			}
		}
		var text strings.Builder
		if err := made.Write(&text, "markdown"); err != nil {
			t.Fatal(err)
		}
		if most != 50 || marked != "§‖" || strings.Contains(text.String(), "**50.0") {
			t.Errorf("%s: the highest Mean is %v%s:\n%s", made.Name, most, marked, text.String())
		}
		if !strings.Contains(said, "seed 1): 10 of 10 / 10 of 10 outputs.") {
			t.Errorf("%s says\n%s", made.Name, said)
		}
	}
	var chosen []string
	for _, row := range r.Tables("main")[0].Rows {
		chosen = append(chosen, row.Cells[0].Text+" "+row.Cells[1].Text)
	}
	if d := cmp.Diff([]string{"SMLM (copied) 0.15", "SMLM (guided) 0.5"}, chosen[:2]); d != "" {
		t.Errorf("shown at the points (-want +got):\n%s", d)
	}
	signed := 0
	for _, s := range r.Significance {
		if s.SignA != "" {
			t.Errorf("tested against %s%s", s.A, s.SignA)
		}
		if s.SignB == "§‖" {
			signed++
		}
	}
	if signed == 0 {
		t.Errorf("of %d tests none is of the system that copies", len(r.Significance))
	}
	figures, err := r.Figures()
	figures = slices.DeleteFunc(figures, func(f results.NamedFigure) bool { return f.Name != "tradeoff" })
	var svg strings.Builder
	if err != nil || len(figures) != 1 || figures[0].Figure.Write(&svg, "svg") != nil ||
		!strings.Contains(svg.String(), "pale: left unchanged, TST% below 20") {
		t.Errorf("the figures %+v, error %v", figures, err)
	}
}

// TestSizesInCaptions checks that the caption of every table that measures sentences says how many
// these are, and that the caption of the figure lambda_eps says what it leaves out.
func TestSizesInCaptions(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=['auto', 0, 1]", "smlm.models=['smlm']", "smlm.decoding=['guided']")
	r := l.finished()
	for _, made := range r.Tables() {
		if !slices.Contains([]string{"datasets", "examples"}, made.Name) && !strings.Contains(made.Title, " sentences") {
			t.Errorf("%s: %s", made.Name, made.Title)
		}
	}
	for name, want := range map[string]string{
		"classifier": "on dev sentences and on the tiny test set (6 sentences",
		"divlstm":    "on dev sentences and on the tiny test set (6 sentences",
		"tuning":     "on dev sentences (6 sentences",
	} {
		if title := r.Tables(name)[0].Title; !strings.Contains(title, want) {
			t.Errorf("%s: %s, want %s", name, title, want)
		}
	}
	figures, err := r.Figures()
	if err != nil || !strings.Contains(figures[0].Title, `Masks with lambda_eps = "auto" are left out.`) {
		t.Errorf("%+v, %v", figures, err)
	}
}

// TestComparedNotes checks that the notes on our systems stand below a comparison only if it has
// such a system.
func TestComparedNotes(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=0", "smlm.models=['smlm']", "smlm.decoding=['guided']")
	r := l.finished()
	for _, has := range []bool{true, false} {
		pair := lists.Filter(r.Systems, func(s *results.System) bool { return (s.Kind == report.Ours) == has })
		text := strings.Join(r.Compared(nil, pair, nil).Under(), "\n")
		for _, note := range []string{"Epochs", "Guided outputs come"} {
			if strings.Contains(text, note) != has {
				t.Errorf("with a system of ours: %t; it says\n%s", has, text)
			}
		}
	}
}

// TestDirectionsOfSystems checks that a system is measured only in those directions of the
// experiment for which the system has outputs. A system without outputs in some of these directions
// counts as partial.
func TestDirectionsOfSystems(t *testing.T) {
	systems := t.TempDir()
	testkit.WriteLines(t, filepath.Join(systems, "S.1.txt"), 3, "an output")
	for asked, want := range map[string][]string{
		"['0 -> 1', '1 -> 0']": {"SMLM 0>1 1>0", "S 1>0 partial", "references 0>1 1>0"},
		"['1 -> 0']":           {"SMLM 1>0", "S 1>0", "references 1>0"},
	} {
		l := newLab(t, "datasets.tiny.directions="+asked, "datasets.tiny.outputs='"+systems+"'", "smlm.models=['smlm']",
			"masking.lambda_eps=0.5")
		r := l.finished()
		var got []string
		for _, s := range r.Systems {
			text := s.System()
			for _, d := range s.Scores.Directions {
				text += " " + d.From + ">" + d.To
			}
			if s.Partial {
				text += " partial"
			}
			got = append(got, text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", asked, d)
		}
	}
}
