package smlm

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// TestTransferWritesAWord lets <eos> be the likeliest token everywhere: an output still has its
// first word, so that no file of outputs has an empty line.
func TestTransferWritesAWord(t *testing.T) {
	err := torch.Run(func() error {
		torch.Seed(1)
		g := NewGenerator(decoding(asPrinted(Config{
			Vocab: 20, SMLMShape: recipe.SMLMShape{Layers: 1, Heads: 2, Dim: 8, FF: 8},
		}), 1))
		defer g.Params.Free()
		bias := make([]float32, 20)
		bias[corpus.EosID] = 1000
		g.out.B.Set(torch.FromFloats(bias, 20))
		d := corpus.Encoded{
			IDs: [][]int64{{10, 11, 12}, {13}}, Styles: []int{0, 1},
			Masks: [][]bool{{true, false, true}, {false}},
		}
		out, err := g.Transfer(context.Background(), d, Decoding{MaxExtra: 5})
		if err != nil {
			return err
		}
		for i, ids := range out {
			if len(ids) != 1 || ids[0] < corpus.NumSpecial {
				t.Errorf("sentence %d became %v, want one ordinary word", i, ids)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
