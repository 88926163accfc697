package pretrained

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/metrics/bertscore"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

const parityFolder = "../testdata/parity"

// recordedScores is testdata/parity/bertscore.json.
type recordedScores struct {
	Sentences [][]int64
	Pairs     [][]int
	Cases     []struct {
		Family        string
		Layer         int
		IDF, Rescaled bool
		Scores        [][3]float64
	}
	Cosines map[string][]float64
}

func openScores(t *testing.T) (r recordedScores) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parityFolder, "bertscore.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// onComparer calls fn on the torch thread with what compares by the encoder of a folder.
func onComparer(t *testing.T, dir string, fn func(*Comparer) error) {
	t.Helper()
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
		return fn(c)
	})
}

// The special pieces of the recorded sentences.
const (
	recordedCLS = 2
	recordedSEP = 3
)

// pieces are a recorded sentence's, with special ones.
func (r *recordedScores) pieces(m *Model, k int) []int64 {
	ids := append([]int64{recordedCLS}, r.Sentences[k]...)
	return m.cut(append(ids, recordedSEP))
}

// TestBERTScoreParity compares BERTScore and the cosines of sentences with bert-score and
// transformers, for every family.
func TestBERTScoreParity(t *testing.T) {
	r := openScores(t)
	worst, worstCosine := 0.0, 0.0
	for _, recorded := range r.Cases {
		name := fmt.Sprintf("%s, layer %d, idf %v, rescaled %v", recorded.Family, recorded.Layer, recorded.IDF, recorded.Rescaled)
		onComparer(t, filepath.Join("testdata", recorded.Family), func(c *Comparer) error {
			c.special = []int64{recordedCLS, recordedSEP}
			c.Layer, c.IDF = recorded.Layer, recorded.IDF
			if recorded.Rescaled {
				b, err := bertscore.ReadBaseline(filepath.Join(parityFolder, "bertscore_baseline.csv"), c.Layer)
				if err != nil {
					return err
				}
				c.Baseline = &b
			}
			got, err := c.recorded(&r)
			if err != nil {
				return err
			}
			for i, want := range recorded.Scores {
				s := got.BERTScores[i]
				for k, v := range []float64{s.Precision, s.Recall, s.F1} {
					off := math.Abs(v - want[k])
					worst = max(worst, off)
					if !(off <= 1e-5) {
						t.Errorf("%s, pair %v: %+v, bert-score %v", name, r.Pairs[i], s, want)
					}
				}
				if len(r.Pairs[i]) > 2 {
					continue
				}
				off := math.Abs(got.Cosines[i] - r.Cosines[recorded.Family][i])
				worstCosine = max(worstCosine, off)
				if !(off <= 1e-6) {
					t.Errorf("%s, pair %v: cosine %v, transformers %v", name, r.Pairs[i], got.Cosines[i], r.Cosines[recorded.Family][i])
				}
			}
			return nil
		})
	}
	t.Logf("largest deviation: %.1e of bert-score, %.1e of the cosines", worst, worstCosine)
}

// recorded compares the recorded pairs.
func (c *Comparer) recorded(r *recordedScores) (Closeness, error) {
	var outputs [][]int64
	var references [][][]int64
	for _, pair := range r.Pairs {
		outputs = append(outputs, r.pieces(c.Model, pair[0]))
		var all [][]int64
		for _, k := range pair[1:] {
			all = append(all, r.pieces(c.Model, k))
		}
		references = append(references, all)
	}
	closeness, err := c.compare(context.Background(), outputs, [][][][]int64{references})
	if err != nil {
		return Closeness{}, err
	}
	return closeness[0], nil
}

// TestSpaceBeforeRoBERTa: BERTScore puts a space before what a RoBERTa reads, as bert-score does,
// and what is compared by cosine has none; of other families both are of the same pieces.
func TestSpaceBeforeRoBERTa(t *testing.T) {
	outputs, references := []string{"warm soup", ""}, [][]string{{"cold soup"}, {"warm"}}
	for family := range families {
		onComparer(t, filepath.Join("testdata", string(family)), func(c *Comparer) error {
			ctx := context.Background()
			got, err := c.Compare(ctx, outputs, references)
			if err != nil {
				return err
			}
			plain, err := c.compareAfter(ctx, "", outputs, [][][]string{references})
			if err != nil {
				return err
			}
			if plain[0].Cosines[0] != got[0].Cosines[0] {
				t.Errorf("%s: the cosine is %v, without a space %v", family, got[0].Cosines[0], plain[0].Cosines[0])
			}
			if same := plain[0].BERTScores[0] == got[0].BERTScores[0]; same == (family == folder.RoBERTa) {
				t.Errorf("%s: BERTScore %+v, without a space %+v", family, got[0].BERTScores[0], plain[0].BERTScores[0])
			}
			if got[0].BERTScores[1] != (bertscore.Score{}) {
				t.Errorf("%s: an empty output has %+v", family, got[0].BERTScores[1])
			}
			return nil
		})
	}
}

// TestStretches: what is compared a few at a time is what is compared at once.
func TestStretches(t *testing.T) {
	r := openScores(t)
	onComparer(t, filepath.Join("testdata", "bert"), func(c *Comparer) error {
		c.special = []int64{recordedCLS, recordedSEP}
		whole, err := c.recorded(&r)
		if err != nil {
			return err
		}
		c.most = 60 * c.Config.Dim
		parts, err := c.recorded(&r)
		if err != nil {
			return err
		}
		for i := range whole.Cosines {
			a, b := whole.BERTScores[i], parts.BERTScores[i]
			if math.Abs(a.F1-b.F1) > 1e-6 || math.Abs(whole.Cosines[i]-parts.Cosines[i]) > 1e-6 {
				t.Errorf("pair %v: %+v at once, %+v a few at a time", r.Pairs[i], a, b)
			}
		}
		return nil
	})
}
