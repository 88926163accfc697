package pretrained

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// TestClassesOfSentences compares the probabilities of every class with those of transformers,
// each sentence of another length.
func TestClassesOfSentences(t *testing.T) {
	r := openScores(t)
	for family, want := range r.Probabilities {
		parity.OnTorch(t, func() error {
			f, err := folder.Open(filepath.Join("testdata", family+"-classes"))
			if err != nil {
				return err
			}
			m, err := Open(f, 0, Classes)
			if err != nil {
				return err
			}
			defer m.Params.Free()
			var rows [][]int64
			for k := range r.Sentences {
				rows = append(rows, r.pieces(m, k))
			}
			got, err := m.probabilities(context.Background(), rows)
			if err != nil {
				return err
			}
			for k := range want {
				for c := range want[k] {
					if !(math.Abs(float64(got[k][c]-want[k][c])) <= 1e-5) {
						t.Errorf("%s, sentence %d: %v, transformers %v", family, k, got[k], want[k])
					}
				}
			}
			return nil
		})
	}
}

func TestWritten(t *testing.T) {
	if got := written.Replace("well , is it ( or not ) ok ? yes !"); got != "well, is it (or not) ok? yes!" {
		t.Errorf("written as %q", got)
	}
}
