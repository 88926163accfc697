package stages_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestEncoderBesideScores checks that a pretrained encoder adds metrics for the outputs of models
// and of a published system, and for the references. Only the stages that need the encoder run.
// With another layer, only BERTScore is computed again. If the encoder's folder is removed, the
// tables still have the metrics.
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
	if s := m.look(encoder...); !strings.Contains(s.tables, "sentence embeddings are not computed yet. Run the experiment") {
		t.Errorf("an encoder is named and nothing ran:\n%s", s.tables)
	}
	if ran := m.run(encoder...); !slices.Equal(ran, []stage.Name{stages.BERTScore, stages.Encoder}) {
		t.Errorf("for the encoder ran %v", ran)
	}
	for _, system := range m.look(encoder...).found.Systems {
		v := system.Values
		for _, key := range []string{"s_bertscore", "s_bertscore_precision", "s_bertscore_recall", "s_cosine"} {
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
	lower := append(slices.Clone(encoder), "metrics.encoder_layer=1")
	if ran := m.run(lower...); !slices.Equal(ran, []stage.Name{stages.BERTScore}) {
		t.Errorf("for another layer ran %v", ran)
	}
	of := func(s state) float64 { return s.found.Systems[0].Values["r_bertscore"] }
	if of(m.look(lower...)) == of(with) {
		t.Error("another layer changes nothing")
	}
	// Layer 2 is the last layer, which is the default.
	if ran := m.run(append(encoder, "metrics.encoder_layer=2")...); len(ran) > 0 {
		t.Errorf("for the last layer ran %v", ran)
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

// TestTorchEncode: if an output has several references, the closest one counts. A layer that the
// encoder does not have is an error.
func TestTorchEncode(t *testing.T) {
	dirs := func() []metrics.Input {
		return []metrics.Input{{
			From: "a", To: "b", Source: testkit.Split("the lamp is on", "we left"),
			Output:     testkit.Split("the lamp is off .", "we left"),
			References: [][][]string{testkit.Split("the lamp is off .", "nobody came"), testkit.Split("no lamp", "we left")},
		}}
	}
	request := stages.EncodeRequest{
		Encoder: filepath.FromSlash("../../pretrained/testdata/bert"), Layer: 1,
		Devices: "cpu",
	}
	plain := dirs()
	if err := (stages.Torch{}).Encode(t.Context(), request, plain); err != nil {
		t.Fatal(err)
	}
	e := plain[0].Encoded
	for i, s := range e.References.BERTScores { // each output equals one of its references
		if math.Abs(s.F1-1) > 1e-6 || math.Abs(e.References.Cosines[i]-1) > 1e-6 {
			t.Errorf("output %d, which is a reference, has %+v and the cosine %v", i, s, e.References.Cosines[i])
		}
	}
	if first := e.Source.BERTScores[0]; !(first.F1 < .999) || math.Abs(e.Source.BERTScores[1].F1-1) > 1e-6 {
		t.Errorf("beside the sources: %+v", e.Source.BERTScores)
	}
	if e.Matching != "layer:1|idf:no" {
		t.Errorf("matching is %q", e.Matching)
	}
	long := dirs()
	long[0].Output[1] = testkit.Split(strings.Repeat("word ", 200))[0]
	var warning string
	request.Warn = func(sentence string) { warning = sentence }
	if err := (stages.Torch{}).Encode(t.Context(), request, long); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(warning, "reads at most 40 pieces of a text") || !strings.Contains(warning, "the ends of 1 text (") {
		t.Errorf("a long output: %q", warning)
	}
	request.Layer = 7
	if err := (stages.Torch{}).Encode(t.Context(), request, dirs()); userr.CodeOf(err) != userr.BadInput {
		t.Errorf("a layer that is not there: %v", err)
	}
}

// TestEncoderKeysRefused: a layer that the encoder does not have is refused when the plan is made.
func TestEncoderKeysRefused(t *testing.T) {
	m := newMachine(t)
	bert, err := filepath.Abs(filepath.FromSlash("../../pretrained/testdata/bert"))
	if err != nil {
		t.Fatal(err)
	}
	dense := filepath.Join(t.TempDir(), "dense")
	if err := os.CopyFS(dense, os.DirFS(bert)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dense, "2_Dense"), 0o700); err != nil {
		t.Fatal(err)
	}
	for want, set := range map[string][]string{
		`has the module "Dense", which is not read`: {"metrics.encoder=" + dense},
		"has 2 layers, fewer than the 3 asked for":  {"metrics.encoder=" + bert, "metrics.encoder_layer=3"},
	} {
		e, err := experiment.Load(filepath.Join(m.dir, "e.toml"), set)
		if err != nil {
			t.Fatal(err)
		}
		_, err = plan.New(e)
		if err == nil || userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want one sentence with %q", set, err, want)
		}
	}
}
