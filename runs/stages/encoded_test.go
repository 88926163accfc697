package stages_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// A pretrained encoder and a classifier measure the outputs of models, of a published system and
// of people beside their scores. Nothing but what they are needed for runs, another way to match
// makes BERTScore and J anew, and where the folders are gone the tables are the same.
func TestEncoderBesideScores(t *testing.T) {
	m := newMachine(t)
	for _, name := range []stage.Name{stages.Encoder, stages.BERTScore, stages.Acceptability, stages.Classifier} {
		m.funcs[name] = func(ctx context.Context, job *stage.Job) error {
			m.ran = append(m.ran, name)
			return stages.Run(ctx, job)
		}
	}
	folders := t.TempDir()
	for _, name := range []string{"bert", "bert-classes"} {
		from := filepath.FromSlash("../../pretrained/testdata/" + name)
		if err := os.CopyFS(filepath.Join(folders, name), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	small := []string{"metrics.meteor=false", "metrics.embedding=false", "classifier.epochs=1"}
	m.run(small...)
	without := m.look(small...)
	if _, has := without.found.Results[0].Metrics.Metrics["s_bertscore"]; has || strings.Contains(without.tables, "BERTScore") {
		t.Errorf("without an encoder:\n%s", without.tables)
	}

	encoder := append(slices.Clone(small), "metrics.encoder="+filepath.Join(folders, "bert"))
	if s := m.look(encoder...); !strings.Contains(s.tables, "sentence embeddings are not computed yet. Run the experiment") {
		t.Errorf("an encoder is named and nothing ran:\n%s", s.tables)
	}
	if ran := m.run(encoder...); !slices.Equal(ran, []stage.Name{stages.BERTScore, stages.Encoder}) {
		t.Errorf("for the encoder ran %v", ran)
	}
	for _, row := range m.look(encoder...).found.Results {
		v := row.Metrics.Metrics
		for _, key := range []string{"s_bertscore", "s_bertscore_precision", "s_bertscore_recall", "s_cosine"} {
			if !(v[key] > 0 && v[key] < 1) {
				t.Errorf("%s of %s is %v", key, row.System, v[key])
			}
		}
		_, has := v["r_bertscore"]
		if people := row.System == stages.HumanReferences; has == people ||
			has != (row.Metrics.Signatures["r_cosine"] != "") {
			t.Errorf("r-BERTScore of %s: %v", row.System, has)
		}
	}

	all := append(encoder, "metrics.acceptability="+filepath.Join(folders, "bert-classes"), "metrics.acceptable_label=good")
	if ran := m.run(all...); !slices.Equal(ran, []stage.Name{stages.Acceptability, stages.Encoder}) {
		t.Errorf("for the classifier ran %v", ran)
	}
	with := m.look(all...)
	m.joins(with)
	if ran := m.run(all...); len(ran) > 0 {
		t.Errorf("run again: %v", ran)
	}
	idf := append(slices.Clone(all), "metrics.encoder_idf=true")
	if ran := m.run(idf...); !slices.Equal(ran, []stage.Name{stages.Acceptability, stages.BERTScore}) {
		t.Errorf("for other weights ran %v", ran)
	}
	if a, b := m.look(idf...), with; a.found.Results[0].Metrics.Metrics["r_bertscore"] ==
		b.found.Results[0].Metrics.Metrics["r_bertscore"] {
		t.Error("weights by references change nothing")
	}
	if ran := m.run(append(all, "metrics.encoder_layer=2")...); len(ran) > 0 { // the last, which is the default
		t.Errorf("for the last layer ran %v", ran)
	}

	if err := os.Rename(folders, folders+".gone"); err != nil {
		t.Fatal(err)
	}
	gone := m.look(all...)
	if gone.plan.Lacks == nil || userr.CodeOf(gone.plan.Lacks) != userr.BadInput {
		t.Errorf("without the folders a run says %v", gone.plan.Lacks)
	}
	for i, row := range gone.found.Results {
		for _, key := range []string{"s_bertscore", "s_cosine", "acceptability", "joint"} {
			if _, has := row.Metrics.Metrics[key]; !has {
				t.Errorf("%s of %s is gone with the folders: %v", key, row.System, with.found.Results[i].Metrics.Metrics)
			}
		}
	}
}

// joins holds J to the styles, the cosines and the probabilities of each sentence.
func (m *machineState) joins(s state) {
	m.t.Helper()
	seen := 0
	for _, score := range s.plan.Stages {
		if score.Name != stages.Acceptability {
			continue
		}
		seen++
		own := m.sentences(s, score)
		compared := m.sentences(s, score.Inputs["bertscore"])
		mean, n := 0., 0.
		for d := range own {
			for i := range own[d] {
				p, j := own[d][i].Numbers["acceptability"][0], own[d][i].Numbers["joint"][0]
				cosine := max(0, compared[d][i].Numbers["s_cosine"][0])
				if j != 0 && (j != cosine || p <= .5) {
					m.t.Errorf("J of a sentence is %v, its cosine %v, acceptable %v", j, cosine, p)
				}
				mean, n = mean+j, n+1
			}
		}
		if n == 0 {
			m.t.Fatal("no sentence")
		}
		text, err := os.ReadFile(filepath.Join(s.ws.StageDir(score), "metrics.json"))
		if err != nil {
			m.t.Fatal(err)
		}
		var found metrics.Scores
		if err := json.Unmarshal(text, &found); err != nil {
			m.t.Fatal(err)
		}
		if got := found.Metrics["joint"]; math.Abs(got-mean/n) > 1e-12 {
			m.t.Errorf("J is %v, the mean over the sentences %v", got, mean/n)
		}
		if signature := found.Signatures["joint"]; !strings.Contains(signature, "style:bi-lstm:") ||
			!strings.Contains(signature, "label:good") || strings.Contains(signature, "encoder:unnamed") {
			m.t.Errorf("the signature of J is %q", signature)
		}
	}
	if seen != 4 {
		m.t.Errorf("%d systems have acceptability", seen)
	}
}

func (m *machineState) sentences(s state, of *plan.Stage) [][]metrics.Sentence {
	m.t.Helper()
	records, err := metrics.ReadSentences(filepath.Join(s.ws.StageDir(of), "sentences.jsonl"))
	if err != nil {
		m.t.Fatal(err)
	}
	return records
}

// TestTorchEncode: `score` finds what a stage finds; a baseline rescales, and references count by
// the best.
func TestTorchEncode(t *testing.T) {
	dirs := func() []metrics.Input {
		return []metrics.Input{{
			From: "a", To: "b", Source: testkit.Split("the lamp is on", "we left"),
			Output:     testkit.Split("the lamp is off .", "we left"),
			References: [][][]string{testkit.Split("the lamp is off .", "nobody came"), testkit.Split("no lamp", "we left")},
		}}
	}
	request := stages.EncodeRequest{
		Encoder: filepath.FromSlash("../../pretrained/testdata/bert"), Matching: stages.Matching{Layer: 1},
		Acceptability: filepath.FromSlash("../../pretrained/testdata/bert-classes"), Label: "odd", Devices: "cpu",
	}
	plain, rescaled := dirs(), dirs()
	if err := (stages.Torch{}).Encode(t.Context(), request, plain); err != nil {
		t.Fatal(err)
	}
	e := plain[0].Encoded
	for i, s := range e.References.BERTScores { // each is one of its references
		if math.Abs(s.F1-1) > 1e-6 || math.Abs(e.References.Cosines[i]-1) > 1e-6 {
			t.Errorf("output %d, which is a reference, has %+v and the cosine %v", i, s, e.References.Cosines[i])
		}
	}
	if first := e.Source.BERTScores[0]; !(first.F1 < .999) || math.Abs(e.Source.BERTScores[1].F1-1) > 1e-6 {
		t.Errorf("beside the sources: %+v", e.Source.BERTScores)
	}
	if p := plain[0].Acceptable.Probabilities; len(p) != 2 || !(p[0] > 0 && p[0] < 1) || p[0] == p[1] {
		t.Errorf("acceptable: %v", p)
	}
	request.Baseline = filepath.FromSlash("../../testdata/parity/bertscore_baseline.csv")
	if err := (stages.Torch{}).Encode(t.Context(), request, rescaled); err != nil {
		t.Fatal(err)
	}
	before, after := e.Source.BERTScores[0].F1, rescaled[0].Encoded.Source.BERTScores[0].F1
	if want := (before - .17) / (1 - .17); math.Abs(after-want) > 1e-9 {
		t.Errorf("F1 %v is rescaled to %v, not %v", before, after, want)
	}
	if s := rescaled[0].Encoded.Matching; !strings.HasPrefix(s, "layer:1|idf:no|baseline:") {
		t.Errorf("matching is %q", s)
	}
	request.Matching.Layer = 7
	if err := (stages.Torch{}).Encode(t.Context(), request, dirs()); userr.CodeOf(err) != userr.BadInput {
		t.Errorf("a layer that is not there: %v", err)
	}
}

// TestEncoderKeysRefused: what the keys name is looked at before anything runs.
func TestEncoderKeysRefused(t *testing.T) {
	m := newMachine(t)
	bert, judge := filepath.FromSlash("../../pretrained/testdata/bert"), filepath.FromSlash("../../pretrained/testdata/bert-classes")
	absolute := func(path string) string {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	bert, judge = absolute(bert), absolute(judge)
	for want, set := range map[string][]string{
		"has 2 layers, fewer than the 3 asked for": {"metrics.encoder=" + bert, "metrics.encoder_layer=3"},
		"metrics.encoder_baseline: the baseline":   {"metrics.encoder=" + bert, "metrics.encoder_baseline=none.csv"},
		"the labels bad, good, odd":                {"metrics.acceptability=" + judge},
		`has no label "fine"`:                      {"metrics.acceptability=" + judge, "metrics.acceptable_label=fine"},
		"has no classifier head with two":          {"metrics.acceptability=" + bert},
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
