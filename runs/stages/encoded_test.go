package stages_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestEncoderBesideScores checks that a pretrained encoder adds metrics for the outputs of models
// and of a published system, and for the references. Only the stages that need the encoder run.
// If the encoder's folder is removed, the tables still have the metrics.
func TestEncoderBesideScores(t *testing.T) {
	m := newMachine(t)
	for _, name := range []stage.Name{stages.Encoder, stages.BERTScore, stages.Classifier} {
		m.funcs[name] = func(ctx context.Context, job *stage.Job) error {
			m.ran = append(m.ran, name)
			return stages.Run(ctx, job)
		}
	}
	folder := filepath.Join(t.TempDir(), "bert")
	if err := os.CopyFS(folder, os.DirFS(filepath.FromSlash("../../pretrained/testdata/bert"))); err != nil {
		t.Fatal(err)
	}
	small := []string{"wordnet=none", "classifier.epochs=1"}
	m.run(small...)
	without := m.look(small...)
	if _, has := without.found.Systems[0].Values["s_bertscore"]; has || strings.Contains(without.tables, "BERTScore") {
		t.Errorf("without an encoder:\n%s", without.tables)
	}

	encoder := append(slices.Clone(small), "metrics.encoder="+folder)
	if s := m.look(encoder...); !strings.Contains(s.tables, "sentence embeddings are missing: run the experiment") {
		t.Errorf("an encoder is named and nothing ran:\n%s", s.tables)
	}
	if ran := m.run(encoder...); !slices.Equal(ran, []stage.Name{stages.BERTScore, stages.Encoder}) {
		t.Errorf("for the encoder ran %v", ran)
	}
	for _, system := range m.look(encoder...).found.Systems {
		v := system.Values
		for _, key := range []string{"s_bertscore", "s_cosine"} {
			if !(v[key] > 0 && v[key] < 1) {
				t.Errorf("%s of %s is %v", key, system.Name(), v[key])
			}
		}
		_, has := v["r_bertscore"]
		signed := system.Scores.Signatures["r_cosine"] != ""
		if people := system.Kind == report.People; has == people || has != signed {
			t.Errorf("r-BERTScore of %s: %v", system.Name(), has)
		}
	}

	with := m.look(encoder...)
	if ran := m.run(encoder...); len(ran) > 0 {
		t.Errorf("run again: %v", ran)
	}

	if err := os.Mkdir(filepath.Join(folder, "1_Pooling"), 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, filepath.Join(folder, "1_Pooling", "config.json"), `{"pooling_mode": "cls"}`)
	if ran := m.run(encoder...); !slices.Equal(ran, []stage.Name{stages.BERTScore}) {
		t.Errorf("for another pooling ran %v", ran)
	}
	cosine := m.look(encoder...).found.Systems[0]
	if before := with.found.Systems[0].Values["s_cosine"]; cosine.Values["s_cosine"] == before ||
		!strings.Contains(cosine.Scores.Signatures["s_cosine"], "of:cls-of-states") {
		t.Errorf("another pooling: s_cosine %v, before %v", cosine.Values["s_cosine"], before)
	}

	if err := os.Rename(folder, folder+".gone"); err != nil {
		t.Fatal(err)
	}
	gone := m.look(encoder...)
	if gone.plan.Lacks == nil || userr.CodeOf(gone.plan.Lacks) != userr.BadInput {
		t.Errorf("without the folder a run says %v", gone.plan.Lacks)
	}
	for _, system := range gone.found.Systems {
		if _, has := system.Values["s_bertscore"]; has || len(system.Values) == 0 {
			t.Errorf("without the folder, %s has %v", system.Name(), system.Values)
		}
	}
}

// TestEncoderWithModules: an encoder with unknown modules is refused when the plan is made.
func TestEncoderWithModules(t *testing.T) {
	m := newMachine(t)
	dense := filepath.Join(t.TempDir(), "dense")
	if err := os.CopyFS(dense, os.DirFS(filepath.FromSlash("../../pretrained/testdata/bert"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dense, "2_Dense"), 0o700); err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Load(filepath.Join(m.dir, "e.toml"), []string{"metrics.encoder=" + dense})
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan.New(e)
	testkit.WantError(t, err, userr.BadInput, `has the module "Dense", which is not read`)
}
