package masking

import (
	"context"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// BenchmarkScores explains 500 sentences of ten words, a tenth of Yelp's dev and test splits.
func BenchmarkScores(b *testing.B) {
	var d corpus.Encoded
	for i := range 500 {
		ids := make([]int64, 10)
		for t := range ids {
			ids[t] = int64(corpus.NumSpecial + (i*31+t*7)%9000)
		}
		d.IDs, d.Styles = append(d.IDs, ids), append(d.Styles, i%2)
	}
	for _, method := range policy.Methods {
		if method.Scored() != method {
			continue
		}
		b.Run(string(method), func(b *testing.B) {
			err := torch.Run(func() error {
				m := divlstm.New(
					divlstm.Config{
						Vocab: 10000,
						DivLSTMShape: recipe.DivLSTMShape{
							Embedding: 128, Hidden: 128, Attention: 128, Bidirectional: true,
						},
					},
				)
				defer m.Params.Free()
				for b.Loop() {
					a := Attribution{Method: method}
					if _, err := a.Scores(context.Background(), m, d, divlstm.Loss{}, nil); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
