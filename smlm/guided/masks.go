package guided

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// unmask takes masks from words without evidence, which attention masked beside words of style. The
// evidence of a word is how much the guide's log odds of the source's style fall if the word is
// hidden. The word with the most evidence stays masked, the first of equal ones.
func (w *Writer) unmask(ctx context.Context, all []*draft) error {
	if w.How.Evidence == 0 {
		return nil
	}
	var rows [][]int64
	for _, s := range all {
		for k, on := range s.masks {
			if on {
				rows = append(rows, s.hiding(k))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	logs, err := w.Guide.LogProbs(ctx, rows)
	if err != nil {
		return err
	}
	for _, s := range all {
		evidence := make([]float64, len(s.masks))
		for k, on := range s.masks {
			evidence[k] = math.Inf(-1)
			if on {
				evidence[k] = logs[0][s.asked] - logs[0][s.from] - s.odds()
				logs = logs[1:]
			}
		}
		most := largest(evidence)
		for k, on := range s.masks {
			s.masks[k] = on && (k == most || evidence[k] >= w.How.Evidence-rounding)
		}
	}
	return nil
}

// hiding returns the source with <unk> in place k.
func (s *draft) hiding(k int) []int64 {
	ids := append([]int64(nil), s.source...)
	ids[k] = corpus.UnkID
	return ids
}
