package experiment

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// TestFewSentencesHaveSteps checks that every training has the minimum number of steps, however few
// sentences there are, and no more epochs than this minimum requires.
func TestFewSentencesHaveSteps(t *testing.T) {
	for _, sentences := range []int{100, 483, 4693, 17_112, 100_000} {
		n := corpus.Size{Sentences: sentences, Words: 10 * sentences, Styles: 2}
		f := fitFor(n)
		usual := fitFor(corpus.Size{Sentences: sentences, Words: 1 << 30, Styles: 2})
		for _, c := range []struct {
			name                   string
			of                     steps
			items, atLeast, epochs int
		}{
			{"smlm", f.smlm, n.Words, smlmSteps, usual.smlm.epochs},
			{"classifier", f.judge, n.Words, judgeSteps, usual.judge.epochs},
			{"divlstm", f.attention, n.Words, attentionSteps, usual.attention.epochs},
			{"pretrained", steps{f.pretrainedEpochs, f.smlm.tokens}, n.Words, smlmSteps, 3},
			{"decoder", steps{f.decoderEpochs, f.smlm.tokens}, n.Words, decoderSteps, 1},
			{"guide", steps{f.guideEpochs, f.judge.tokens}, n.Words, guideSteps, 1},
			{"fasttext", steps{f.selectorEpochs, 1}, n.Sentences, selectorSteps, 5},
		} {
			perEpoch := max(1, c.items/c.of.tokens)
			if all := c.of.epochs * perEpoch; all < c.atLeast {
				t.Errorf("%d sentences: %s has %d steps, fewer than %d", sentences, c.name, all, c.atLeast)
			}
			if c.of.epochs > c.epochs && (c.of.epochs-1)*perEpoch >= c.atLeast {
				t.Errorf("%d sentences: %s has %d epochs of %d steps, more than needed", sentences, c.name, c.of.epochs, perEpoch)
			}
		}
	}
}

// TestFitted checks that the values of the profile "fitted" follow from the size of each data set,
// that keys in the file override them, and that a variant may have this profile.
func TestFitted(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, styles, sentences int) {
		for style := range styles {
			file := filepath.Join(dir, name, corpus.FileName(corpus.Train, style))
			testkit.WriteLines(t, file, sentences, "some words")
		}
	}
	write("few", 2, 500)
	write("many", 2, 40_000)
	write("three", 3, 500)
	testkit.WriteFile(t, filepath.Join(dir, "e.toml"), `
profile = "fitted"
[datasets.few]
dir = "few"
[datasets.many]
dir = "many"
[datasets.sample]
dir = "many"
max_train = 500
[datasets.three]
dir = "three"
[smlm]
epochs = 3
[variants.anew]
[variants.pretrained.smlm]
pretrained = "encoder"
clip = 2
`)
	e, err := Load(filepath.Join(dir, "e.toml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]Settings{}
	for _, p := range e.Points() {
		if p.Variant == "anew" {
			settings[p.Dataset] = p.Settings
		} else if m := p.Settings.SMLM; m.LR != 3e-4 || m.Clip != 2 || m.Epochs != 3 {
			t.Errorf("%s from an encoder: lr %v, clip %v, %d epochs", p.Dataset, m.LR, m.Clip, m.Epochs)
		}
	}
	for name, dim := range map[string]int{"few": 64, "many": 256, "sample": 64, "three": 64} {
		s := settings[name]
		if s.SMLM.Dim != dim || s.SMLM.Epochs != 3 {
			t.Errorf("%s: dim %d, %d epochs", name, s.SMLM.Dim, s.SMLM.Epochs)
		}
		if s.Masking.LambdaEps != recipe.Chosen || s.Guided.Style != recipe.Chosen {
			t.Errorf("%s: lambda_eps %v, style %v", name, s.Masking.LambdaEps, s.Guided.Style)
		}
	}
	if few, many := settings["few"], settings["many"]; few.DivLSTM.Epochs <= many.DivLSTM.Epochs || many.SMLM.Decay == 0 {
		t.Errorf("few have %d epochs of the Diversity-LSTM, many %d", few.DivLSTM.Epochs, many.DivLSTM.Epochs)
	}
	if m := settings["three"].Masking; m.Methods[0] != policy.IntegratedGradients || m.TrainOn[0] != policy.IntegratedGradients {
		t.Errorf("three styles are masked by %v", m.Methods)
	}
	if d := e.Overrides(e.Points()[:1]); len(d) != 1 || d[0].Key != "epochs" {
		t.Errorf("differences from the profile: %+v", d)
	}
}

// TestTextOfAuto: the settings as TOML show "auto" where dev sentences choose a number, and numbers
// as they are.
func TestTextOfAuto(t *testing.T) {
	e := load(t, "[datasets.d]\ndir = \"data\"\n[masking]\nlambda_eps = [\"auto\", 2, 0.5]\n")
	for _, want := range []string{`lambda_eps = ["auto", 2.0, 0.5]`, "style = 1.2"} {
		if text := e.Text(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
