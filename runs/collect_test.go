package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// results makes the lab's stages write the artefacts that the tables are made of.
func (l *lab) results() {
	n := 0
	result := func(name string, of func() any) StageFunc {
		return func(ctx context.Context, job *Job) error {
			n++
			text, err := json.Marshal(of())
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(job.Dir, name), text, 0o644); err != nil {
				return err
			}
			const epochs = `{"epochs": [{"epoch": 1, "steps": 3, "train_loss": 0.7, "dev": {"loss": 0.6, "conicity": 0.5}}, {"epoch": 2, "steps": 6, "train_loss": 0.2, "dev": {"loss": 0.9}}], "best": 0}`
			if err := os.WriteFile(filepath.Join(job.Dir, "history.json"), []byte(epochs), 0o644); err != nil {
				return err
			}
			return l.work(ctx, job)
		}
	}
	train := result("result.json", func() any {
		return TrainResult{Parameters: 1234567, Epochs: 3 + n%2, DevAccuracy: 90, TestAcc: 80.5, Conicity: 0.25}
	})
	for _, kind := range []Kind{KindClassifier, KindFastText, KindDivLSTM, KindSMLM, KindSMLMG, KindSMLMFT} {
		l.funcs[kind] = train
	}
	l.funcs[KindMaskScore] = result("result.json", func() any {
		return MaskScores{Test: MaskResult{MaskedShare: 0.25, NoneMasked: 1, AllMasked: 2, Accuracy: 60, SBLEU: 40}}
	})
	scored := result("metrics.json", func() any {
		tst, bleu := float64(n), 50.0
		r := &metrics.Report{Metrics: metrics.Metrics{TST: &tst, SBLEU: &bleu}, Signatures: map[string]string{"s_bleu": "sig"}}
		return r
	})
	l.funcs[KindScore], l.funcs[KindPublished] = scored, scored
	l.funcs[KindPrepare] = func(ctx context.Context, job *Job) error {
		for style := range 2 {
			writeLines(l.t, filepath.Join(job.Dir, fmt.Sprintf("test.%d.txt", style)), 3, fmt.Sprintf("source %d", style))
		}
		return l.work(ctx, job)
	}
	l.funcs[KindTransfer] = func(ctx context.Context, job *Job) error {
		for style := range 2 {
			writeLines(l.t, filepath.Join(job.Dir, fmt.Sprintf("output.%d.txt", style)), 3, fmt.Sprintf("output %d", style))
			writeLines(l.t, filepath.Join(job.Dir, fmt.Sprintf("masked.%d.txt", style)), 3, fmt.Sprintf("masked %d", style))
		}
		return l.work(ctx, job)
	}
}

func TestCollect(t *testing.T) {
	l := newLab(t, "datasets.tiny.labels=['sad', 'glad']", "masking.methods=['explainable_attention', 'random']", "report.examples=2", "seeds=[1, 2]", "smlm.unmasked=['copied']")
	l.results()
	l.mustRun(RunOptions{})
	r, err := Collect(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	// 2 lambda_eps x 2 seeds x 3 models, and the human references.
	if got := len(r.Results); got != 13 || r.Missing != 0 {
		t.Fatalf("%d results, %d missing", got, r.Missing)
	}
	first, last := r.Results[0], r.Results[12]
	if first.System != "SMLM" || first.Published || first.Seed != 1 || first.Dataset != "tiny" {
		t.Errorf("first row %+v", first)
	}
	if d := cmp.Diff([]report.Axis{{Key: "lambda_eps", Value: "0.15"}}, first.Axes); d != "" {
		t.Error(d)
	}
	if last.System != HumanReferences || !last.Published || !last.Unranked || last.Axes != nil {
		t.Errorf("last row %+v", last)
	}
	// One classifier; a Diversity-LSTM a seed; 2 methods x 2 lambda_eps x 2 seeds.
	if len(r.Classifier) != 2 || len(r.DivLSTM) != 2 || len(r.Masking) != 8 {
		t.Errorf("%d classifiers, %d Diversity-LSTMs, %d masks", len(r.Classifier), len(r.DivLSTM), len(r.Masking))
	}
	if d := cmp.Diff(report.ClassifierRow{Dataset: "tiny", Model: "Bi-LSTM", Seed: 1, DevAccuracy: 90, TestAccuracy: 80.5, Epochs: r.Classifier[0].Epochs, Parameters: 1234567}, r.Classifier[0]); d != "" {
		t.Error(d)
	}
	// 2 directions x 2 sentences x 3 models, of the first point only.
	if len(r.Examples) != 12 {
		t.Fatalf("%d examples", len(r.Examples))
	}
	e := r.Examples[0]
	if e.From != "sad" || e.To != "glad" || !strings.HasPrefix(e.Source, "source 0") || !strings.HasPrefix(e.Output, "output 0") || !strings.HasPrefix(e.Masked, "masked 0") ||
		strings.TrimPrefix(e.Source, "source 0") != strings.TrimPrefix(e.Output, "output 0") || r.Examples[1].Source != e.Source || r.Examples[2].System != "SMLM-FT" {
		t.Errorf("examples %+v", r.Examples[:3])
	}
	if d := cmp.Diff([]string{"tiny: 3 + 3 training and 3 + 3 test sentences (sad + glad)"}, r.About.Data); d != "" {
		t.Error(d)
	}
	if !strings.Contains(r.About.Notes[0], "Epochs run, and steps: classifier ") || r.About.Signatures["s_bleu"] != "sig" {
		t.Errorf("about %+v", r.About)
	}
}

// A sweep over a setting of SMLM-G alone does not repeat SMLM's row.
func TestCollectSharedRows(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=0.15", "decoder.layers=[1, 2]", "smlm.unmasked=['predicted']")
	l.results()
	l.mustRun(RunOptions{})
	r, err := Collect(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range r.Results {
		got = append(got, fmt.Sprint(row.System, row.Axes))
	}
	want := []string{"SMLM[]", "SMLM-G[{decoder.layers 1}]", "SMLM-FT[]", "SMLM-G[{decoder.layers 2}]", HumanReferences + "[]"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

func TestTablesOfAPartialWorkspace(t *testing.T) {
	l := newLab(t, "smlm.unmasked=['copied']")
	l.results()
	empty, err := Collect(l.plan, l.ws)
	if err != nil || empty.Missing != 2 || len(empty.Results) != 0 {
		t.Fatalf("of nothing: %+v, %v", empty, err)
	}
	if tables := empty.Tables(); len(tables) != 1 || tables[0].Name != "datasets" {
		t.Errorf("tables of nothing: %v", tables)
	}
	if err := l.run(t.Context(), RunOptions{Only: []string{"score/" + l.plan.Points[0].Models[0].Score.ID}}); err != nil {
		t.Fatal(err)
	}
	tables, err := WriteTables(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 6 || tables[0].Name != "results" || len(tables[0].Rows) != 1 { // no masking table: nothing is scored
		t.Fatalf("tables %v", tables)
	}
	for _, name := range []string{"results.tex", "results.md", "results.csv", "examples.tex", "datasets.csv"} {
		text, err := os.ReadFile(filepath.Join(l.ws.TablesDir("small"), name))
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if strings.HasPrefix(name, "results.md") && !strings.Contains(string(text), "Not finished: 2 of 2 points; their rows are missing.") {
			t.Errorf("no word about what is missing: %s", text)
		}
	}
	l.mustRun(RunOptions{}) // the tables do not keep the folder from being a workspace
}

func TestTablesBeforeTheFirstRun(t *testing.T) {
	l := newLab(t)
	l.results()
	if _, err := WriteTables(l.plan, l.ws); err != nil {
		t.Fatal(err)
	}
	l.mustRun(RunOptions{})
}

func TestSpoiltResult(t *testing.T) {
	l := newLab(t)
	l.results()
	l.mustRun(RunOptions{})
	path := filepath.Join(l.ws.StageDir(l.plan.Points[0].Classifier), "result.json")
	write(t, path, "{")
	_, err := Collect(l.plan, l.ws)
	wantError(t, err, userr.StageFailed, "reading the result of classifier", path)
}

// A variant has a row for each method whose masks or models differ from the first variant's, and models only in the row of the method that they
// are trained on.
func TestCollectSwitches(t *testing.T) {
	l := newLabOf(t, `[datasets.tiny]
dir = "data"
[masking]
methods = ["explainable_attention", "integrated_gradients"]
[smlm]
models = ["smlm"]
[report]
tables = ["switches"]
[variants.plain]
[variants.cls.smlm]
cls_token = true
[variants.steps.masking]
ig_steps = 5
[variants.latent.divlstm]
latent = 4
`)
	l.results()
	l.funcs[KindAttribution] = func(ctx context.Context, job *Job) error {
		write(l.t, filepath.Join(job.Dir, "result.json"), `{"completeness": {"test": {"gap": 0.5, "change": 2}}}`)
		return l.work(ctx, job)
	}
	l.mustRun(RunOptions{})
	r, err := Collect(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range r.Switches {
		line := row.Method + " " + row.Variant + " [" + row.Changes + "]"
		for _, m := range row.Models {
			line += " " + m.System
		}
		got = append(got, line)
	}
	want := []string{
		"explainable_attention plain [] SMLM (copied) SMLM (predicted)", "integrated_gradients plain []",
		"explainable_attention cls [smlm.cls_token = true] SMLM (copied) SMLM (predicted)",
		"integrated_gradients steps [masking.ig_steps = 5]",
		"explainable_attention latent [divlstm.latent = 4] SMLM (copied) SMLM (predicted)", "integrated_gradients latent [divlstm.latent = 4]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	for _, row := range r.Masking {
		if has := row.Gap != nil; has != (row.Method == "integrated_gradients") || has && (*row.Gap != 0.5 || *row.Change != 2) {
			t.Errorf("completeness of %+v", row)
		}
	}
	if tables := r.Tables(); len(tables) != 2 || tables[0].Name != "switches" || tables[1].Name != "switches-transfer" {
		t.Errorf("tables %v", tables)
	}
}

func TestCollectTraining(t *testing.T) {
	l := newLab(t, "report.tables=['training']", "smlm.models=['smlm']", "masking.lambda_eps=0.15", "divlstm.lambda_con=[0.5, 1]")
	l.results()
	l.mustRun(RunOptions{})
	r, err := Collect(l.plan, l.ws)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range r.Training {
		got = append(got, fmt.Sprint(row.Model, row.Axes, " ", row.Epoch, " ", row.Kept, " ", row.Conicity != nil))
	}
	var want []string
	for _, model := range []string{"classifier[]", "fasttext[]", "divlstm[{lambda_con 0.5}]", "smlm[{lambda_con 0.5}]", "divlstm[{lambda_con 1}]", "smlm[{lambda_con 1}]"} {
		want = append(want, model+" 1 true true", model+" 2 false false")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}
