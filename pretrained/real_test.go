package pretrained

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// realFolder returns a folder with real weights, and the path of a file of results that a script of
// testdata/parity recorded for this folder. The environment variable SMLM_EXP_TEST_ENCODER names
// the folder, and the given variable names the file. The test is skipped if one of the two
// variables is not set.
func realFolder(t *testing.T, variable, script string) (dir, path string) {
	t.Helper()
	dir, path = os.Getenv("SMLM_EXP_TEST_ENCODER"), os.Getenv(variable)
	if dir == "" || path == "" {
		t.Skipf("SMLM_EXP_TEST_ENCODER and %s do not name a folder of real weights and what testdata/parity/%s wrote of it: "+
			"make test-pretrained has both", variable, script)
	}
	return dir, path
}

// TestRealStates compares pieces and hidden states with those that `testdata/parity/pretrained.py
// FOLDER FILE` wrote. The sentences have many lengths. The states after no layer, after half of the
// layers and after all layers are compared.
func TestRealStates(t *testing.T) {
	dir, path := realFolder(t, "SMLM_EXP_TEST_STATES", "pretrained.py")
	file := testkit.OpenTensors(t, path)
	bytesOf := func(name string) []byte {
		tensor, ok := file.Tensor(name)
		if !ok {
			t.Fatalf("%s has no %s", path, name)
		}
		return tensor.Data()
	}
	intsOf := func(name string) (out []int64) {
		for raw := bytesOf(name); len(raw) > 0; raw = raw[8:] {
			out = append(out, int64(binary.LittleEndian.Uint64(raw)))
		}
		return out
	}
	var texts []string
	if err := json.Unmarshal(bytesOf("texts"), &texts); err != nil {
		t.Fatal(err)
	}
	lengths, ids := intsOf("lengths"), intsOf("ids")
	if len(texts) < 300 || len(lengths) != len(texts) {
		t.Fatalf("%d texts, %d lengths", len(texts), len(lengths))
	}
	onComparer(t, dir, func(c *Comparer) error {
		rows, err := c.encode(t.Context(), texts)
		if err != nil {
			return err
		}
		all := len(c.encoder.Layers)
		for _, layers := range []int{0, all / 2, all} {
			worst, at := 0.0, 0
			want := bytesOf(fmt.Sprintf("expect.%d", layers))
			for i, row := range rows {
				if at+int(lengths[i]) > len(ids) || !slices.Equal(row, ids[at:at+int(lengths[i])]) {
					return fmt.Errorf("%.100q has the pieces %v, and others in transformers", texts[i], row)
				}
				at += len(row)
				var got []float32
				err := torch.Scoped(func() error {
					got = c.hidden(torch.FromInts(row, 1, int64(len(row))), layers).Floats()
					return nil
				})
				if err != nil {
					return err
				}
				for k, v := range got {
					w := float64(math.Float32frombits(binary.LittleEndian.Uint32(want[4*k:])))
					off := math.Abs(float64(v)-w) / max(1, math.Abs(w))
					worst = max(worst, off)
					if !(off <= 1e-5) {
						return fmt.Errorf("%.100q, number %d behind %d layers: %v, transformers %v", texts[i], k, layers, v, w)
					}
				}
				want = want[4*len(got):]
			}
			if len(want) > 0 || at != len(ids) {
				t.Errorf("transformers have %d bytes more behind %d layers", len(want), layers)
			}
			t.Logf("%d sentences, %d layers: largest deviation %.1e", len(rows), layers, worst)
		}
		return nil
	})
}

// TestRealBERTScore compares BERTScore and cosines with those that `testdata/parity/bertscore.py
// FOLDER FILE` wrote for a folder with real weights.
func TestRealBERTScore(t *testing.T) {
	dir, path := realFolder(t, "SMLM_EXP_TEST_BERTSCORE", "bertscore.py")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Pairs [][]string
		Cases []struct {
			Layer  int
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
	onComparer(t, dir, func(c *Comparer) error {
		for _, recorded := range r.Cases {
			if recorded.Layer != len(c.encoder.Layers) { // earlier layers are recorded too
				continue
			}
			got, err := c.Compare(context.Background(), outputs, references)
			if err != nil {
				return err
			}
			for i, want := range recorded.Scores {
				s := got[0].BERTScores[i]
				off := math.Abs(s - want[2]) // after precision and recall
				worst = max(worst, off)
				if !(off <= 1e-5) {
					t.Errorf("pair %.100q: %v, bert-score %v", r.Pairs[i], s, want)
				}
				if len(references[i]) > 1 {
					continue
				}
				off = math.Abs(got[0].Cosines[i] - r.Cosines[i])
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
