package smlm

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestAuthorsCount: the paper says 45 million. The published code's modules at 25,000 words and 9
// special tokens hold 45,295,974, targets by running them; of these it trains 19.1 and 0.26
// million, all of which a model and head of that size have here.
func TestAuthorsCount(t *testing.T) {
	const vocab, layers, dim, ff = 25009, 2, 512, 2048
	parity.OnTorch(t, func() error {
		c := Config{
			Vocab:     vocab,
			SMLMShape: recipe.SMLMShape{Layers: layers, Heads: 8, Dim: dim, FF: ff}, ControlCodes: authors.ControlCodes,
		}
		m, head := New(c), NewHead(dim, 2)
		defer m.Params.Free()
		defer head.Params.Free()
		state := torch.RNGState()
		if got := m.AuthorsCount(); got != 45_295_974 {
			t.Errorf("%d parameters by the authors' count, want 45,295,974", got)
		}
		if !slices.Equal(state, torch.RNGState()) {
			t.Error("counting moves the random generator")
		}
		d := corpus.Encoded{IDs: [][]int64{{9, 10}}, Styles: []int{0}, Masks: [][]bool{{true, false}}}
		generator, discriminator := m.adversarialLosses(
			head,
			m.adversarialBatch(
				d, []int{0}, FinetuneLoss{
					Finetune:  recipe.Finetune{LambdaSta: 1, LambdaRecInv: 1},
					Objective: Objective{Loss: recipe.Positions},
				},
			),
			true,
		)
		generator.Add(discriminator).Backward()
		// By hand, of the layers' sizes: two layers of 4 d (d+1) + ff (d+1) + d (ff+1) + 4 d, and
		// words of vocab (d+1).
		if got := trained(m.Params); got != 2*3_152_384+12_829_617 {
			t.Errorf("the model trains %d parameters, want 19,134,385", got)
		}
		if got := trained(head.Params); got != 512*513+2*513 {
			t.Errorf("the head trains %d parameters, want 263,682", got)
		}
		return nil
	})
}

// trained counts the parameters that have a gradient.
func trained(p *nn.Params) (n int) {
	for _, t := range p.All() {
		if t.Grad() != nil {
			n += int(t.Numel())
		}
	}
	return n
}
