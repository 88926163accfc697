package pretrained

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

const parityFolder = "../testdata/parity"

// recordedScores is the content of testdata/parity/bertscore.json.
type recordedScores struct {
	Sentences [][]int64
	Pairs     [][]int
	Cases     []struct {
		Layer  int
		Scores [][3]float64
	}
	Cosines []float64
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

// These are the ids of the special pieces in the recorded sentences.
const (
	recordedCLS = 2
	recordedSEP = 3
)

// pieces returns the pieces of a recorded sentence, including the special pieces.
func (r *recordedScores) pieces(c *Comparer, k int) []int64 {
	ids := append([]int64{recordedCLS}, r.Sentences[k]...)
	return c.truncate(append(ids, recordedSEP))
}

// TestBERTScoreParity compares BERTScore and the cosines of sentences with recorded results of the
// Python packages bert-score and transformers.
func TestBERTScoreParity(t *testing.T) {
	r := openScores(t)
	worst, worstCosine := 0.0, 0.0
	for _, recorded := range r.Cases {
		name := fmt.Sprintf("layer %d", recorded.Layer)
		onComparer(t, small, func(c *Comparer) error {
			c.special = []int64{recordedCLS, recordedSEP}
			if recorded.Layer != len(c.encoder.Layers) { // earlier layers are recorded too
				return nil
			}
			got, err := c.recorded(&r)
			if err != nil {
				return err
			}
			for i, want := range recorded.Scores {
				s := got.BERTScores[i]
				off := math.Abs(s - want[2]) // after precision and recall
				worst = max(worst, off)
				if !(off <= 1e-5) {
					t.Errorf("%s, pair %v: %v, bert-score %v", name, r.Pairs[i], s, want)
				}
				if len(r.Pairs[i]) > 2 {
					continue
				}
				off = math.Abs(got.Cosines[i] - r.Cosines[i])
				worstCosine = max(worstCosine, off)
				if !(off <= 1e-6) {
					t.Errorf("%s, pair %v: cosine %v, transformers %v", name, r.Pairs[i], got.Cosines[i], r.Cosines[i])
				}
			}
			return nil
		})
	}
	t.Logf("largest deviation: %.1e of bert-score, %.1e of the cosines", worst, worstCosine)
}

// The method recorded returns the closeness of the recorded pairs.
func (c *Comparer) recorded(r *recordedScores) (Closeness, error) {
	var outputs [][]int64
	var references [][][]int64
	for _, pair := range r.Pairs {
		outputs = append(outputs, r.pieces(c, pair[0]))
		var all [][]int64
		for _, k := range pair[1:] {
			all = append(all, r.pieces(c, k))
		}
		references = append(references, all)
	}
	closeness, err := c.compare(context.Background(), outputs, [][][][]int64{references})
	if err != nil {
		return Closeness{}, err
	}
	return closeness[0], nil
}

// TestEmptyOutput checks that an output without words has a BERTScore of 0.
func TestEmptyOutput(t *testing.T) {
	onComparer(t, small, func(c *Comparer) error {
		got, err := c.Compare(context.Background(), []string{"warm soup", " "}, [][]string{{"cold soup"}, {"warm"}})
		if err != nil {
			return err
		}
		if of := got[0].BERTScores; of[0] == 0 || of[1] != 0 {
			t.Errorf("BERTScores %+v", of)
		}
		return nil
	})
}

// TestStretches checks that small chunks of outputs give the same results as all outputs at once.
func TestStretches(t *testing.T) {
	r := openScores(t)
	onComparer(t, small, func(c *Comparer) error {
		c.special = []int64{recordedCLS, recordedSEP}
		whole, err := c.recorded(&r)
		if err != nil {
			return err
		}
		c.maxFloats = 60 * c.dim()
		parts, err := c.recorded(&r)
		if err != nil {
			return err
		}
		for i := range whole.Cosines {
			a, b := whole.BERTScores[i], parts.BERTScores[i]
			if math.Abs(a-b) > 1e-6 || math.Abs(whole.Cosines[i]-parts.Cosines[i]) > 1e-6 {
				t.Errorf("pair %v: %+v at once, %+v a few at a time", r.Pairs[i], a, b)
			}
		}
		return nil
	})
}

// TestPooling compares the cosines of sentence encoders with cosines computed from the hidden
// states.
func TestPooling(t *testing.T) {
	pools := map[folder.Pooling]func(states []float32, d int) []float64{
		folder.Mean: func(states []float32, d int) []float64 {
			out := make([]float64, d)
			for i, v := range states {
				out[i%d] += float64(v)
			}
			return out
		},
		folder.CLS: func(states []float32, d int) (out []float64) {
			for _, v := range states[:d] {
				out = append(out, float64(v))
			}
			return out
		},
	}
	const one, other = "the old ferry never liked winter", "nobody sang about it"
	onComparer(t, small, func(c *Comparer) error {
		rows, err := c.encode(t.Context(), []string{one, other})
		if err != nil {
			return err
		}
		for pooling, pool := range pools {
			var vectors [2][]float64
			for i, row := range rows {
				states := c.hidden(torch.FromInts(row, 1, int64(len(row))), len(c.encoder.Layers)).Floats()
				vectors[i] = pool(states, c.dim())
			}
			var dot, a, b float64
			for k, x := range vectors[0] {
				y := vectors[1][k]
				dot, a, b = dot+x*y, a+x*x, b+y*y
			}
			c.Pooling = pooling
			got, err := c.Compare(t.Context(), []string{one}, [][]string{{other}})
			if err != nil {
				return err
			}
			if want := dot / math.Sqrt(a*b); math.Abs(got[0].Cosines[0]-want) > 1e-6 {
				t.Errorf("%q: the cosine is %v, want %v", pooling, got[0].Cosines[0], want)
			}
		}
		return nil
	})
}

// TestTruncated checks that long texts are counted and cut to the maximum of the encoder or of its
// tokenizer.
func TestTruncated(t *testing.T) {
	long := strings.Repeat("winter ", 60)
	onComparer(t, small, func(c *Comparer) error {
		if c.MaxPieces != 40 {
			t.Errorf("at most %d pieces, want 40", c.MaxPieces)
		}
		c.MaxPieces = 5
		got, err := c.Compare(t.Context(), []string{long + "a", "it", long}, [][]string{{long}, {"it"}, {"nobody"}})
		if err != nil {
			return err
		}
		if c.Truncated != 3 || got[0].Cosines[0] < 1-1e-6 {
			t.Errorf("%d texts were truncated, want 3; cosines %v", c.Truncated, got[0].Cosines)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := c.encode(ctx, []string{"it"}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		return nil
	})
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(small)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), []byte(`{"model_max_length": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := folder.Open(dir); err != nil || f.MaxPieces() != 7 {
		t.Errorf("a tokenizer with a maximum of 7: %v", err)
	}
}
