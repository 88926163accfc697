package stages

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TestEncoderJudges: an encoder stands in the place of the Bi-LSTM, the word CNN and the selector,
// with and without a class for mixed texts, and signatures say that it is one.
func TestEncoderJudges(t *testing.T) {
	in := demoInputs(t)
	in["encoder"] = smallEncoder
	s := experiment.DefaultSettings()
	how := recipe.Training{Epochs: 2, LR: .003, Beta1: .9, Beta2: .999, BatchTokens: 500, Clip: 1}
	start := experiment.PretrainedStart{Pretrained: smallEncoder, LayerDecay: .9}
	s.Classifier.Kind, s.Classifier.PretrainedStart, s.Classifier.Training = experiment.EncoderKind, start, how
	s.Guide.Kind, s.Guide.PretrainedStart, s.Guide.Training, s.Guide.Mixed = experiment.EncoderKind, start, how, true
	s.Mixed.Share = .2
	job := func() *stage.Job { return &stage.Job{Dir: t.TempDir(), Inputs: in} }
	text, err := loadText(job(), corpus.Dev)
	if err != nil {
		t.Fatal(err)
	}
	dev := text.encoded(corpus.Dev)
	err = torch.Run(func() error {
		of := job()
		if err := trainClassifier(t.Context(), of, NewClassifier(&s, 1)); err != nil {
			return err
		}
		with := &instruments{}
		defer with.free()
		judge, err := with.biLSTM("bi-lstm", of.Dir)
		if err != nil {
			return err
		}
		styles, err := judge.styles(t.Context(), dev.IDs)
		if err != nil {
			return err
		}
		right := 0
		for i, style := range styles {
			if style == dev.Styles[i] {
				right++
			}
		}
		if 10*right < 9*len(styles) || judge.name != JudgeName("bi-lstm", filepath.Base(of.Dir), of.Dir) ||
			!strings.HasPrefix(judge.name, "encoder:") {
			t.Errorf("%s: %d of %d right", judge.name, right, len(styles))
		}
		s.Selector.PretrainedStart, s.Selector.Training = start, how
		of = job()
		if err := trainSelector(t.Context(), of, NewSelector(&s, 1)); err != nil {
			return err
		}
		selector, err := with.selector(of.Dir)
		if err != nil || !strings.HasPrefix(selector.name, "encoder:") {
			t.Errorf("%s (%v)", selector.name, err)
		}
		of = job()
		if err := trainWhole(t.Context(), of, NewWhole(&s, 1)); err != nil {
			return err
		}
		whole, err := with.biLSTM("whole", of.Dir)
		if err != nil || !strings.HasPrefix(whole.name, "encoder-mixed:") {
			t.Errorf("%s (%v)", whole.name, err)
		}
		of = job()
		if err := trainGuide(t.Context(), of, NewGuide(&s, 1)); err != nil {
			return err
		}
		guide, err := loadGuide(of.Dir)
		if err != nil {
			return err
		}
		defer guide.free()
		asked, ok := guide.classifying.(guided.Guide)
		if !ok {
			t.Fatal("the guide has no probabilities")
		}
		p, err := asked.LogProbs(t.Context(), dev.IDs[:3])
		if err == nil && len(p[0]) != 3 {
			t.Errorf("%d classes", len(p[0]))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
