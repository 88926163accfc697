package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Every stage comes after its inputs, and no stage appears twice.
func TestPlanOrder(t *testing.T) {
	p := newPlan(t, load(t, strings.Replace(testkit.SweptStudy, "outputs = \"systems\"\n", "", 1)))
	seen := map[string]bool{}
	for _, s := range p.Stages {
		if seen[s.ID] {
			t.Errorf("%s is there twice", s.Title())
		}
		for name, in := range s.Inputs {
			if !seen[in.ID] {
				t.Errorf("%s stands before its input %s", s.Title(), name)
			}
		}
		seen[s.ID] = true
	}
}

// TestUnseenTextIsJudgesAlone: the unseen text is for some judges of style alone. Only these
// judges, and the stages that measure with them, depend on it. No transfer model, guide, selector,
// n-gram model, Diversity-LSTM, mask or other judge does. From the training text, the judges of the
// unseen text get only the vocabulary, which has no styles and turns outputs into ids.
func TestUnseenTextIsJudgesAlone(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, everyStage...))
	if found := wrongOfUnseen(p); len(found) > 0 {
		t.Error(strings.Join(found, "\n"))
	}
	unseen := p.Stages[slices.IndexFunc(p.Stages, func(s *Stage) bool { return s.Name == stages.Unseen })]
	judges := 0
	for _, s := range p.Stages {
		seen := func(how string, in map[string]*Stage) {
			inputs := s.Inputs
			s.Inputs = in
			maps.Copy(s.Inputs, inputs)
			if how == "reads the training text" {
				s.Inputs["prepare"] = p.Named(stages.Prepare)[0]
			}
			if len(wrongOfUnseen(p)) == 0 {
				t.Errorf("nobody sees that %s %s", s.Title(), how)
			}
			s.Inputs = inputs
		}
		switch s.Name {
		case stages.UnseenCNN:
			judges++
			seen("reads the training text", map[string]*Stage{})
			seen("reads a model", map[string]*Stage{"model": p.Named(stages.Classifier)[0]})
		default:
			if !measures(s) && s != unseen {
				seen("reads the unseen text", map[string]*Stage{"unseen": unseen})
			}
		}
	}
	if judges != 1 {
		t.Errorf("%d judges of the unseen text, want one", judges)
	}
}

// wrongOfUnseen lists the stages that depend on the unseen text although they must not, and the
// judges of the unseen text that read anything besides the unseen text and the vocabulary.
func wrongOfUnseen(p *Plan) (found []string) {
	behind := allBehind(p)
	for _, s := range p.Stages {
		if s.Name == stages.UnseenCNN {
			for name, in := range s.Inputs {
				if in.Name != stages.Unseen && in.Name != stages.Vocab {
					found = append(found, fmt.Sprintf("%s reads %s by its %s", s.Title(), in.Title(), name))
				}
			}
			if s.Inputs["prepare"].Name != stages.Unseen || len(s.Inputs["prepare"].Inputs) > 0 {
				found = append(found, s.Title()+" is not trained on the unseen text alone")
			}
		} else if behind[s][stages.Unseen] && !measures(s) {
			found = append(found, s.Title()+" rests on the unseen text (one that only measures is named in measures)")
		}
	}
	return found
}

// onTest names the stages that may read test sentences: stages that only measure, and stages that
// produce the outputs to be measured.
const onTest = "test-set accuracy attribution mask mask-score transfer score published meteor vectors embedding bertscore"

// everyStage has settings with which the plan has at least one stage of every name.
var everyStage = []string{
	"smlm.decoding=['copied','guided']", "masking.lambda_eps='auto'", "guided.style='auto'", "divlstm.restarts=1",
	"report.tables=['results','selection']", "wordnet=" + inventedWordNet,
	"datasets.tiny.unseen=" + inventedUnseen, "smlm.pretrained=" + smallEncoder,
	"metrics.encoder=" + smallEncoder,
	"vectors=" + inventedVectors,
}

// smallEncoder is an encoder with random weights. inventedWordNet is a folder with a few invented
// words. inventedUnseen is a folder with a few sentences in two styles. inventedScores is a file of
// scores from another program, and inventedVectors is a file of word vectors.
var (
	smallEncoder    = absolute("../../pretrained/testdata/bert")
	inventedWordNet = absolute("../../metrics/meteor/testdata/wordnet")
	inventedUnseen  = absolute("testdata/unseen")
	inventedScores  = absolute("testdata/scores.csv")
	inventedVectors = absolute("testdata/vectors.txt")
)

func absolute(dir string) string {
	dir, err := filepath.Abs(filepath.FromSlash(dir))
	if err != nil {
		panic(err)
	}
	return dir
}

// TestWhatJudgesDoesNothingElse checks that nothing that trains, guides, selects or rewrites
// depends on the evaluation classifier, the evaluation language model, or the judge of the unseen
// text. It also checks that outputs are selected by the fastText-like classifier, not by the guide.
func TestWhatJudgesDoesNothingElse(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, everyStage...))
	behind := allBehind(p)
	selections := 0
	for _, s := range p.Stages {
		if measures(s) {
			continue
		}
		for _, judge := range []stage.Name{
			stages.Classifier, stages.LM, stages.UnseenCNN,
		} {
			if behind[s][judge] {
				t.Errorf("%s rests on %s, which only measures", s.Title(), judge)
			}
		}
		if s.Name == stages.Score {
			selections++
			if name := s.Inputs["selector"].Name; name != stages.FastText {
				t.Errorf("%s is selected by %s", s.Title(), name)
			}
		}
	}
	if selections == 0 {
		t.Error("no dev outputs are measured")
	}
}

// TestTestSentencesTrainNothing: nothing that trains, guides or selects depends on test sentences.
// Dev outputs and their scores do not depend on test sentences either. Stages that lead to test
// outputs read the test sentences and their masks directly, and never through the model, the guide,
// the n-gram models or the vocabulary.
func TestTestSentencesTrainNothing(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, everyStage...))
	if found := restOnTest(p); len(found) > 0 {
		t.Error(strings.Join(found, "\n"))
	}
	// Add the test set to the inputs of each stage that must not read it. restOnTest must find this
	// stage.
	free := map[stage.Name]bool{}
	for _, s := range p.Stages {
		if measures(s) || readsTest(s) != nil {
			free[s.Name] = true
			continue
		}
		inputs := s.Inputs
		s.Inputs = map[string]*Stage{"more": p.Named(stages.TestSet)[0]}
		maps.Copy(s.Inputs, inputs)
		if found := restOnTest(p); !slices.ContainsFunc(found, func(f string) bool {
			return strings.HasPrefix(f, s.Title()+" rests on")
		}) {
			t.Errorf("nobody sees that %s reads the test set: %v", s.Title(), found)
		}
		s.Inputs = inputs
	}
	for _, name := range stages.Names() {
		if want := slices.Contains(strings.Fields(onTest), string(name)); free[name] != want {
			t.Errorf("%s may read test sentences: %t; onTest has it: %t", name, free[name], want)
		}
	}
	// The function restOnTest also finds a model that trains on masked test sentences.
	for _, m := range p.All()[0].Models() {
		model := p.Get(stage.Name(m.Model), m)
		masks := model.Inputs["mask"]
		model.Inputs["mask"] = p.Get(stages.Mask, m.With("test"))
		if found := restOnTest(p); len(found) == 0 {
			t.Errorf("nobody sees that %s trains on masked test sentences", model.Title())
		}
		model.Inputs["mask"] = masks
	}
}

// allBehind returns, for each stage, the names of the stages that it depends on, directly or
// indirectly.
func allBehind(p *Plan) map[*Stage]map[stage.Name]bool {
	behind := map[*Stage]map[stage.Name]bool{}
	var of func(s *Stage) map[stage.Name]bool
	of = func(s *Stage) map[stage.Name]bool {
		if behind[s] == nil {
			behind[s] = map[stage.Name]bool{}
			for _, in := range s.Inputs {
				behind[s][in.Name] = true
				maps.Copy(behind[s], of(in))
			}
		}
		return behind[s]
	}
	for _, s := range p.Stages {
		of(s)
	}
	return behind
}

// measures reports whether a stage only measures. For a stage that scores dev outputs it returns
// false, because these scores also select models.
func measures(s *Stage) bool {
	if score, ok := s.Settings.(stages.ScoreSettings); ok {
		return !score.Dev
	}
	return slices.Contains([]stage.Name{
		stages.Published, stages.METEOR, stages.Embedding, stages.BERTScore, stages.MaskScore, stages.Vectors,
		stages.Accuracy,
	}, s.Name)
}

// readsTest returns the names of the inputs through which a stage may read test sentences: the test
// set, its masks or its attributions. It returns nil if the stage may not read them. Stages that
// only measure also get nil, because the function measures covers them.
func readsTest(s *Stage) []string {
	switch settings := s.Settings.(type) {
	case stages.TestSetSettings:
		return []string{""}
	case stages.AttributionSettings:
		if slices.Equal(settings.Splits, []string{"test"}) {
			return []string{"test"}
		}
	case stages.MaskSettings:
		if readsTest(s.Inputs["attribution"]) != nil {
			return []string{"attribution"}
		}
	case stages.TransferSettings:
		if !settings.Dev {
			return []string{"test", "test-mask"}
		}
	}
	return nil
}

// restOnTest lists the stages that depend on test sentences although they must not.
func restOnTest(p *Plan) (found []string) {
	onTest := p.Resting(func(s *Stage) bool { return s.Name == stages.TestSet })
	for _, s := range p.Stages {
		if measures(s) {
			continue
		}
		for name, in := range s.Inputs {
			if onTest[in] && !slices.Contains(readsTest(s), name) {
				found = append(found, fmt.Sprintf("%s rests on test sentences by its %s (one that only measures is named in measures)", s.Title(), name))
			}
		}
	}
	return found
}

// TestContentOfTestOutputs: METEOR and the other metrics of content are added to scores of test
// outputs, never to scores of dev outputs.
func TestContentOfTestOutputs(t *testing.T) {
	for _, s := range newPlan(t, load(t, testkit.SmallStudy, everyStage...)).Named(stages.Score) {
		if dev := s.Points[0].OfDev(); dev != (len(s.Content()) == 0) {
			t.Errorf("%s, of dev outputs: %t, has %d stages of content", s.Title(), dev, len(s.Content()))
		}
	}
}

// TestEveryModel: each transfer model has a name in tables and a stage that trains it.
func TestEveryModel(t *testing.T) {
	for _, m := range experiment.TransferModels {
		p := newPlan(t, load(t, testkit.SmallStudy, "smlm.models=['"+m+"']"))
		if len(p.Named(stage.Name(m))) == 0 {
			t.Errorf("%s has no stage of its name", m)
		}
	}
}

// Each stage has inputs with the names that its function expects.
func TestPlanInputs(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, everyStage...))
	want := map[stage.Name]string{
		stages.Guide: "prepare vocab", stages.Fluency: "prepare vocab", stages.Phrases: "prepare vocab",
		stages.Prepare: "", stages.TestSet: "prepare", stages.Vocab: "prepare", stages.Naturalness: "prepare",
		stages.Classifier: "prepare vocab",
		stages.Unseen:     "", stages.UnseenCNN: "prepare vocab",
		stages.DivLSTM:  "prepare selector vocab",
		stages.FastText: "prepare vocab", stages.Accuracy: "model test vocab|model test unseen vocab",
		stages.Attribution: "divlstm prepare vocab|divlstm test vocab", stages.Mask: "attribution tune",
		stages.MaskScore: "classifier mask prepare test test-mask vocab",
		stages.Encoder:   "", stages.SMLM: "attribution encoder prepare vocab", stages.SMLMG: "encoder mask prepare vocab", stages.SMLMFT: "mask prepare smlm vocab",
		stages.Tune: "attribution fluency guide model phrases prepare selector vocab",
		stages.Transfer: "model test test-mask vocab|mask model prepare vocab|" +
			"fluency guide model phrases test test-mask tune vocab|" +
			"fluency guide mask model phrases prepare tune vocab",
		stages.Vectors: "prepare test", stages.LM: "prepare vocab",
		stages.Score: "classifier fasttext lm naturalness test transfer unseen vocab|" +
			"naturalness prepare selector transfer vocab",
		stages.Published: "classifier fasttext lm naturalness test unseen vocab",
		stages.METEOR:    "test transfer|test vocab", stages.Embedding: "test transfer vectors|test vectors vocab",
		stages.BERTScore: "encoder test transfer|encoder test vocab",
	}
	seen := map[stage.Name]bool{}
	for _, s := range p.Stages {
		seen[s.Name] = true
		if got := strings.Join(slices.Sorted(maps.Keys(s.Inputs)), " "); !slices.Contains(
			strings.Split(want[s.Name], "|"), got,
		) {
			t.Errorf("%s reads %q, want %q", s.Name, got, want[s.Name])
		}
	}
	for _, name := range stages.Names() {
		if !seen[name] {
			t.Errorf("the plan has no %s: say in everyStage with which settings it has one", name)
		}
	}
}

// Finished stages are found by their identities, so identities must never change by accident.
func TestIdentities(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, "vectors="+inventedVectors))
	var b strings.Builder
	for _, s := range p.Stages {
		text := Canonical(s.Settings)
		b.WriteString(s.ID + " " + string(s.Name) + " " + string(text) + "\n")
	}
	testkit.Golden(t, "testdata/identities.txt", b.String())
	if t.Failed() {
		t.Log("A new key of the settings is off at its zero value and takes omitempty: then what is finished is found.")
	}
}

// The method attention_x_input uses the same plain LSTM (lambda_con 0) as vanilla attention. Like
// the attention methods, it masks with lambda_eps and not with lambda_eps_gradients.
func TestAttentionXInput(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, "masking.lambda_eps=0.3", "masking.lambda_eps_gradients=0.7",
		"masking.methods=['explainable_attention', 'vanilla_attention', 'attention_x_input']"))
	masks := p.All()[0].Masks()
	divLSTM := func(i int) *Stage { return p.Get(stages.DivLSTM, masks[i]) }
	explainable, vanilla, timesX := divLSTM(0), divLSTM(1), divLSTM(2)
	if con, _ := timesX.lambdaCon(); timesX != vanilla || timesX == explainable || con != "0" {
		t.Errorf("attention x input reads %s of lambda_con %s, vanilla attention %s", timesX.Title(), con, vanilla.Title())
	}
	if p.Get(stages.Attribution, masks[2]) == p.Get(stages.Attribution, masks[1]) {
		t.Error("both attentions have the same scores")
	}
	if got := p.Get(stages.Mask, masks[2]).Settings.(stages.MaskSettings).LambdaEps; got != 0.3 {
		t.Errorf("lambda_eps %g, want that of the attentions", got)
	}
}

// TestSettingsComeBack: a stage's function decodes the same settings that the plan encoded, in both
// profiles.
func TestSettingsComeBack(t *testing.T) {
	for _, profile := range experiment.Profiles {
		for _, s := range newPlan(t, load(t, allMatters, "profile="+profile)).Stages {
			text := Canonical(s.Settings)
			back := reflect.New(reflect.TypeOf(s.Settings))
			if err := json.Unmarshal(text, back.Interface()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(s.Settings, back.Elem().Interface()); d != "" {
				t.Errorf("%s, profile %s: read back (-given +read):\n%s", s.Title(), profile, d)
			}
		}
	}
}

// A changed setting must give new identities to the stages that it affects, and to no others.
func TestIdentityChanges(t *testing.T) {
	const models = "smlm smlm-g smlm-ft transfer score embedding"
	for _, c := range []struct{ set, changed string }{
		{"masking.lambda_eps=0.3", "mask mask-score " + models},
		{"divlstm.lambda_con=3", "divlstm accuracy attribution mask mask-score " + models},
		{"divlstm.hidden=32", "divlstm accuracy attribution mask mask-score " + models},
		{"classifier.hidden=32", "classifier accuracy mask-score score published"},
		{"fasttext.buckets=5", "fasttext accuracy score published"},
		{
			"vocab.size=9",
			"vocab lm classifier fasttext divlstm accuracy attribution mask mask-score published " + models,
		},
		{"smlm.epochs=3", "smlm smlm-ft transfer score embedding"},
		{"smlm.dim=256", models},
		{"smlm.dropout=0.1", models},
		{"smlm.loss=masked", "smlm smlm-ft transfer score embedding"},
		{"smlm.decoding=['copied']", "transfer score embedding"},
		// This setting only adds stages.
		{"smlm.decoding=['copied', 'predicted', 'guided']", "guide fluency phrases transfer score embedding"},
		{"smlm.source_token=false", models},
		{"masking.policy=top_share", "mask mask-score " + models},
		{"masking.top_share=0.5", ""},
		{"masking.lambda_eps_gradients=0.3", ""},
		{"decoder.epochs=3", "smlm-g transfer score embedding"},
		{"finetune.lambda_rec=3", "smlm-ft transfer score embedding"},
		{"finetune.reading=algorithm", ""},
		{"finetune.reading=minmax", "smlm-ft transfer score embedding"},
		{
			"seeds=[9]",
			"naturalness lm classifier fasttext divlstm accuracy attribution mask mask-score published " + models,
		},
		{
			"datasets.tiny.max_train=2",
			"prepare test-set vocab naturalness vectors lm classifier fasttext divlstm accuracy attribution mask " +
				"mask-score published " + models,
		},
		{
			"datasets.tiny.labels=['a','b']",
			"prepare test-set vocab naturalness vectors lm classifier fasttext divlstm accuracy attribution mask " +
				"mask-score published " + models,
		},
		{"lm.hidden=32", "lm score published"},
		{"metrics.perplexity=false", "lm score published"},
		{"report.tables=['attribution']", ""},
		{"report.figures=[]", ""},
		{"threads=3", ""},
		{"devices=cuda:1", ""},
		{"workspace=elsewhere", ""},
		{"name=other", ""},
		{"report.examples=3", ""},
		{"report.tables=['results']", ""},
		{"smlm.models=['smlm', 'smlm-g', 'smlm-ft']", ""},
		{"masking.methods=['explainable_attention', 'random']", "mask mask-score"},                // only adds stages
		{"masking.methods=['explainable_attention', 'gradients']", "attribution mask mask-score"}, // only adds stages
	} {
		t.Run(c.set, func(t *testing.T) {
			text := strings.NewReplacer(
				"[0.15, 0.5]", "0.15", `["copied"]`, `["copied", "predicted"]`,
			).Replace(testkit.SmallStudy)
			text = "vectors = '" + inventedVectors + "'\n" + text
			before, after := ids(newPlan(t, load(t, text))), ids(newPlan(t, load(t, text, c.set)))
			var changed []string
			for _, name := range stages.Names() {
				if !slices.Equal(before[name], after[name]) {
					changed = append(changed, string(name))
				}
			}
			want := strings.Fields(c.changed)
			slices.Sort(want)
			slices.Sort(changed)
			if d := cmp.Diff(want, changed); d != "" && len(want)+len(changed) > 0 {
				t.Errorf("changed stages (-want +got):\n%s", d)
			}
		})
	}
}

func ids(p *Plan) map[stage.Name][]string {
	out := map[stage.Name][]string{}
	for _, s := range p.Stages {
		out[s.Name] = append(out[s.Name], s.ID)
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// Moving the data changes no identity. Another word in the training or dev sentences changes every
// stage except the pretrained encoder. Another word in the test sentences or references changes
// only the stages in onTest.
func TestIdentityOfData(t *testing.T) {
	a, b := load(t, testkit.SmallStudy, everyStage...), load(t, testkit.SmallStudy, everyStage...)
	if a.Datasets[0].Dir == b.Datasets[0].Dir {
		t.Fatal("the two data folders are one")
	}
	if d := cmp.Diff(ids(newPlan(t, a)), ids(newPlan(t, b))); d != "" {
		t.Errorf("the place of the data is part of an identity:\n%s", d)
	}
	for file, same := range map[string]string{
		"train.0.txt": "encoder", "dev.1.txt": "encoder",
		"test.1.txt":      allBut(onTest),
		"reference.0.txt": allBut(onTest),
	} {
		before := ids(newPlan(t, b))
		testkit.WriteLines(t, filepath.Join(b.Datasets[0].Dir, file), 3, "other words")
		after := ids(newPlan(t, b))
		var kept []string
		for _, name := range stages.Names() {
			if slices.Equal(before[name], after[name]) {
				kept = append(kept, string(name))
			}
		}
		if got := strings.Join(kept, " "); got != same {
			t.Errorf("another %s leaves the identities of %q as they were, want %q", file, got, same)
		}
	}
}

// allBut lists the names of all stages except the given ones.
func allBut(named string) string {
	var out []string
	for _, name := range stages.Names() {
		if !slices.Contains(strings.Fields(named), string(name)) {
			out = append(out, string(name))
		}
	}
	return strings.Join(out, " ")
}

// TestSharing checks that equal stages are shared. Vanilla attention uses the Diversity-LSTM of
// lambda_con 0, and all points use the same vocabulary and classifier.
func TestSharing(t *testing.T) {
	p := newPlan(
		t,
		load(
			t, testkit.SmallStudy, "divlstm.lambda_con=[0, 10]",
			"masking.methods=['explainable_attention', 'vanilla_attention']",
		),
	)
	n := map[stage.Name]int{}
	for _, s := range p.Stages {
		n[s.Name]++
	}
	// Explainable attention has masks for 2 lambda_eps x 2 lambda_con. Vanilla attention does not
	// depend on lambda_con, so it has masks for 2 lambda_eps. Models train on the masks of
	// explainable attention only.
	want := map[stage.Name]int{
		stages.Prepare: 1, stages.TestSet: 1, stages.Vocab: 1, stages.Classifier: 1, stages.DivLSTM: 2,
		stages.Accuracy: 4, // of the Bi-LSTM, the fastText-like classifier and both Diversity-LSTMs
		// Attributions and masks are made once for the dev (and training) sentences and once for
		// the test sentences.
		stages.Attribution: 6, stages.Mask: 12,
		stages.MaskScore: 6, stages.SMLM: 4,
	}
	for name, w := range want {
		if n[name] != w {
			t.Errorf("%d %s stages, want %d", n[name], name, w)
		}
	}
}

func TestOnlyFinetuned(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, "smlm.models=['smlm-ft']"))
	n := map[stage.Name]int{}
	for _, s := range p.Stages {
		n[s.Name]++
	}
	if n[stages.SMLM] != 2 || n[stages.SMLMFT] != 2 || n[stages.Transfer] != 4 { // of dev and of test sentences
		t.Errorf("smlm-ft alone: %v", n)
	}
}

func TestBadData(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(t *testing.T, dir string)
		want []string
	}{
		{"no folder", func(*testing.T, string) {}, []string{"nodata"}},
		{"published of unequal length", func(t *testing.T, dir string) {
			testkit.WriteLines(t, filepath.Join(dir, "systems", "S.0.txt"), 3, "x")
			testkit.WriteLines(t, filepath.Join(dir, "systems", "S.1.txt"), 2, "x")
		}, []string{"S.1.txt\" has 2 lines", "test.1.txt\" has 3"}},
		{"no UTF-8", func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "systems", "S.0.txt"), "a\n\xff\nb\n")
			testkit.WriteLines(t, filepath.Join(dir, "systems", "S.1.txt"), 3, "x")
		}, []string{"S.0.txt", "2"}},
		{"no systems", func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "systems", "README"), "x")
		}, []string{"datasets.tiny.outputs", "no file NAME.0.txt"}},
		{"no outputs folder", func(*testing.T, string) {}, []string{"datasets.tiny.outputs: there is no", "systems"}},
		{
			"no naturalness file", func(*testing.T, string) {},
			[]string{"datasets.tiny.naturalness: there is no", "weights.tsv"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			testkit.WriteData(t, filepath.Join(dir, "data"), 3)
			c.edit(t, dir)
			set := []string{"datasets.tiny.outputs=systems"}
			switch c.name {
			case "no folder":
				set = []string{"datasets.tiny.dir=nodata"}
			case "no naturalness file":
				set = []string{"datasets.tiny.naturalness=weights.tsv"}
			}
			_, err := New(loadIn(t, dir, testkit.SmallStudy, set...))
			testkit.WantError(t, err, userr.BadInput, c.want...)
		})
	}
}

// TestNaturalnessFile checks that two data sets with the same naturalness file share one stage. The
// content of the file identifies the stage.
func TestNaturalnessFile(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	testkit.WriteFile(t, filepath.Join(dir, "w.tsv"), "__intercept__\t0.5\ngood\t1\n")
	text := "[datasets.a]\ndir = 'data'\nnaturalness = 'w.tsv'\n[datasets.b]\ndir = 'data'\nnaturalness = 'w.tsv'\n"
	var found []*Stage
	for _, s := range newPlan(t, loadIn(t, dir, text)).Stages {
		if s.Name == stages.Naturalness {
			found = append(found, s)
		}
	}
	if len(found) != 1 || len(found[0].Inputs) != 0 || found[0].Sources["file"] != filepath.Join(dir, "w.tsv") {
		t.Fatalf("stages %v", found)
	}
	testkit.WriteFile(t, filepath.Join(dir, "w.tsv"), "__intercept__\t0.6\ngood\t1\n")
	for _, s := range newPlan(t, loadIn(t, dir, text)).Stages {
		if s.ID == found[0].ID {
			t.Error("other weights, same identity")
		}
	}
}

// TestVariantsShare: stages that the variants do not change are shared by all variants.
func TestVariantsShare(t *testing.T) {
	e := load(t, testkit.VariantsStudy)
	n := map[stage.Name]int{}
	for _, s := range newPlan(t, e).Stages {
		n[s.Name]++
	}
	if n[stages.Classifier] != 1 || n[stages.DivLSTM] != 2 || n[stages.Mask] != 8 || n[stages.SMLM] != 5 {
		t.Errorf("stages %v", n)
	}
}
