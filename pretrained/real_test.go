package pretrained

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// TestRealBERTScore compares BERTScore and cosines with what `testdata/parity/bertscore.py FOLDER
// FILE` wrote of a folder of real weights.
func TestRealBERTScore(t *testing.T) {
	dir, path := os.Getenv("SMLM_EXP_TEST_ENCODER"), os.Getenv("SMLM_EXP_TEST_BERTSCORE")
	if dir == "" || path == "" {
		t.Skip("SMLM_EXP_TEST_ENCODER and SMLM_EXP_TEST_BERTSCORE do not name a folder of real weights and what " +
			"testdata/parity/bertscore.py wrote of it")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Pairs [][]string
		Cases []struct {
			Layer  int
			IDF    bool
			Scores [][3]float64
		}
		Cosines []float64
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	var outputs []string
	var references [][]string
	for _, pair := range r.Pairs {
		outputs, references = append(outputs, pair[0]), append(references, pair[1:])
	}
	worst, worstCosine := 0.0, 0.0
	parity.OnTorch(t, func() error {
		f, err := folder.Open(dir)
		if err != nil {
			return err
		}
		c, err := NewComparer(f)
		if err != nil {
			return err
		}
		defer c.Params.Free()
		for _, recorded := range r.Cases {
			c.Layer, c.IDF = recorded.Layer, recorded.IDF
			got, err := c.Compare(context.Background(), outputs, references)
			if err != nil {
				return err
			}
			for i, want := range recorded.Scores {
				s := got[0].BERTScores[i]
				for k, v := range []float64{s.Precision, s.Recall, s.F1} {
					off := math.Abs(v - want[k])
					worst = max(worst, off)
					if !(off <= 1e-5) {
						t.Errorf("layer %d, idf %v, pair %.100q: %+v, bert-score %v", c.Layer, c.IDF, r.Pairs[i], s, want)
					}
				}
				if len(references[i]) > 1 {
					continue
				}
				off := math.Abs(got[0].Cosines[i] - r.Cosines[i])
				worstCosine = max(worstCosine, off)
				if !(off <= 1e-6) {
					t.Errorf("pair %.100q: cosine %v, transformers %v", r.Pairs[i], got[0].Cosines[i], r.Cosines[i])
				}
			}
		}
		return nil
	})
	t.Logf("largest deviation: %.1e of bert-score, %.1e of the cosines", worst, worstCosine)
}
