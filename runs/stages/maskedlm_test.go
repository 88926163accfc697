package stages

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// smallEncoder is a folder of random weights.
const smallEncoder = "../../pretrained/testdata/bert"

// TestMaskedLM: the model that is kept finds human sentences far likelier than the same words in
// another order, and says which model it is.
func TestMaskedLM(t *testing.T) {
	in := demoInputs(t)
	in["encoder"] = smallEncoder
	job := &stage.Job{Dir: t.TempDir(), Inputs: in}
	err := torch.Run(func() error {
		err := trainMaskedLM(t.Context(), job, maskedLMSettings{
			Seed: 1, MaskedShare: .15, StartSettings: experiment.StartSettings{PretrainedLayers: 1, LayerDecay: .9},
			Training: recipe.Training{Epochs: 4, LR: .01, Beta1: .9, Beta2: .999, BatchTokens: 1000, Clip: 1},
		})
		if err != nil {
			return err
		}
		m, err := loadMaskedLM(job.Dir)
		if err != nil {
			return err
		}
		defer m.Params.Free()
		text, err := loadText(job, corpus.Dev)
		if err != nil {
			return err
		}
		human := text.encoded(corpus.Dev).IDs[:100]
		rng := rand.New(rand.NewPCG(1, 1))
		var other [][]int64
		for _, ids := range human {
			ids = slices.Clone(ids)
			rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			other = append(other, ids)
		}
		perplexity := func(ids [][]int64) float64 {
			f, err := m.fluency(t.Context(), ids)
			if err != nil {
				t.Error(err)
			}
			sum, n := 0., 0
			for i, p := range f.LogProb {
				sum, n = sum+p, n+f.Words[i]
			}
			return math.Exp(-sum / float64(n))
		}
		if was, got := perplexity(human), perplexity(other); was*2 > got {
			t.Errorf("pseudo-perplexity %.1f of human sentences, %.1f in another order", was, got)
		}
		if !strings.HasPrefix(m.signature, "masked-lm:") || !strings.Contains(m.signature, "|layers:1|d:32|") {
			t.Errorf("the signature is %q", m.signature)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
