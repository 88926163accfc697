package plan

import (
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// A folder that cannot be read, or has fewer layers than are asked for, is refused before anything
// runs, at the line of the key.
func TestEncoderRefused(t *testing.T) {
	for set, want := range map[string]string{
		"smlm.pretrained=nowhere": "smlm.pretrained: the pretrained encoder ",
		"smlm.pretrained=" + smallEncoder + " smlm.pretrained_layers=3": "has 2 layers, fewer than the 3 asked for: take at most 2",
	} {
		_, err := New(load(t, testkit.SmallStudy, strings.Fields(set)...))
		if err == nil || userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "--set smlm.pretrained=") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one sentence with %q", set, err, want)
		}
	}
}

// What a key of a judge's folder changes is found by a plan without it, which is refused nowhere.
func TestEncoderUndone(t *testing.T) {
	p := newPlan(t, load(t, testkit.SmallStudy, everyStage...))
	for name, undo := range map[string]func(s *experiment.Settings){
		"classifier": func(s *experiment.Settings) { s.Classifier.Pretrained = "" },
		"guide":      func(s *experiment.Settings) { s.Guide.Pretrained = "" },
		"masked-lm":  func(s *experiment.Settings) { s.Fluency.Pretrained = "" },
		"selector":   func(s *experiment.Settings) { s.Selector.Pretrained = "" },
	} {
		point := p.Points[0]
		s := point.Point.Settings
		undo(&s)
		other, err := p.With(point, s)
		if err != nil {
			t.Fatal(err)
		}
		before, after := point.Classifier.ID, other.Classifier.ID
		if name != "classifier" {
			before, after = behindOutputs(point, name), behindOutputs(other, name)
		}
		if before == after || after == "" {
			t.Errorf("%s: %q without its folder, %q with it", name, after, before)
		}
	}
}

// behindOutputs is the identity of a stage that the guided dev outputs of a point, or their score,
// read.
func behindOutputs(p *PointStages, name string) string {
	for _, m := range p.Models {
		for _, s := range []*Stage{m.Transfer, m.Dev} {
			if in := s.Inputs[name]; in != nil {
				return in.ID
			}
		}
	}
	return ""
}

// TestSharedStarts: a judge of the weights that a model starts from is warned of, another is not.
func TestSharedStarts(t *testing.T) {
	for _, judge := range []string{"classifier", "selector"} {
		for folder, want := range map[string]int{smallEncoder: 2, otherEncoder: 0} { // SMLM and SMLM-G
			p := newPlan(t, load(t, testkit.SmallStudy, "smlm.pretrained="+smallEncoder, judge+".kind=encoder",
				judge+".pretrained="+folder, "report.tables=['selection']"))
			got := 0
			for _, warning := range p.Warnings() {
				if strings.HasPrefix(warning, judge+".pretrained: ") {
					got++
				}
			}
			if got != want {
				t.Errorf("%s, %s: %d warnings, want %d: %q", judge, folder, got, want, p.Warnings())
			}
		}
	}
}

// TestSelectorKind: an encoder selects in the place of the bag of n-grams, which still tells
// whether attention is on style words.
func TestSelectorKind(t *testing.T) {
	settings := []string{"report.tables=['selection']", "divlstm.restarts=1"}
	was := newPlan(t, load(t, testkit.SmallStudy, settings...))
	p := newPlan(t, load(t, testkit.SmallStudy, append(settings, "selector.kind=encoder", "selector.pretrained="+smallEncoder)...))
	for i, m := range p.Points[0].Models {
		old := was.Points[0].Models[i]
		if m.Dev.Inputs["selector"].Name != stages.Selector || old.Dev.Inputs["selector"].Name != stages.FastText ||
			m.Dev.ID == old.Dev.ID || m.Transfer.ID != old.Transfer.ID || m.Score.ID != old.Score.ID {
			t.Errorf("%s: %v, before %v", m.Train.Title(), m.Dev.Inputs, old.Dev.Inputs)
		}
	}
	if s := p.Points[0].Masks[0].DivLSTM; s.Inputs["selector"].Name != stages.FastText {
		t.Errorf("%s asks %s", s.Title(), s.Inputs["selector"].Title())
	}
}
