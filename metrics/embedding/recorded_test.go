package embedding

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The type recorded holds testdata/parity/embedding.json: the values of nlg-eval's
// eval_emb_metrics.
type recorded struct {
	Vectors []string  // lines of a word2vec text file
	Corpora [][][]any // output, references, embedding average, vector extrema, greedy matching
}

// openRecorded returns the recorded corpora and a judge that uses the recorded vectors.
func openRecorded(t testing.TB) (recorded, *Judge) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/parity/embedding.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "recorded.vec")
	if err := os.WriteFile(path, []byte(strings.Join(r.Vectors, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return r, NewJudge(v, "recorded")
}

func sentences(corpus [][]any) (outputs [][]string, references [][][]string) {
	references = make([][][]string, len(corpus[0])-4)
	for _, row := range corpus {
		outputs = append(outputs, strings.Fields(row[0].(string)))
		for k := range references {
			references[k] = append(references[k], strings.Fields(row[1+k].(string)))
		}
	}
	return outputs, references
}

func TestRecorded(t *testing.T) {
	r, j := openRecorded(t)
	var worst [3]float64
	n := 0
	for _, corpus := range r.Corpora {
		outputs, references := sentences(corpus)
		var best [3][]float64 // nlg-eval takes the best reference
		for _, set := range references {
			average, extrema, greedy := j.Similarities(outputs, set)
			for k, similarity := range [][]float64{average, extrema, greedy} {
				if best[k] == nil {
					best[k] = similarity
				}
				for i, v := range similarity {
					best[k][i] = max(best[k][i], v)
				}
			}
		}
		for i, row := range corpus {
			for k, got := range []float64{best[0][i], best[1][i], best[2][i]} {
				deviation := math.Abs(got - row[len(row)-3+k].(float64))
				worst[k] = max(worst[k], deviation)
				if !(deviation <= 1e-6) {
					t.Errorf("number %d of %v is %v", k, row, got)
				}
			}
			n++
		}
	}
	t.Logf(
		"%d pairs: largest deviation from nlg-eval, which has float32: average %.1e, extrema %.1e, greedy %.1e", n,
		worst[0], worst[1], worst[2],
	)
}

// BenchmarkSimilarities compares 1,000 recorded pairs with vectors of 10 dimensions;
// BenchmarkSimilarities300 uses 300 dimensions, as is usual for GloVe.
func BenchmarkSimilarities(b *testing.B) {
	_, j := openRecorded(b)
	benchmark(b, j)
}

func BenchmarkSimilarities300(b *testing.B) {
	_, small := openRecorded(b)
	builder := newBuilder(300)
	for _, word := range small.vectors.words {
		row := make([]float32, 300)
		for d := range row {
			row[d] = small.vectors.Vector(word)[d%10]
		}
		builder.add([]byte(word), row, nil)
	}
	benchmark(b, NewJudge(builder.finish(), "long"))
}

func benchmark(b *testing.B, j *Judge) {
	r, _ := openRecorded(b)
	outputs, references := sentences(r.Corpora[0])
	outputs, set := append(outputs, outputs...)[:1000], append(references[0], references[0]...)[:1000]
	for b.Loop() {
		j.Similarities(outputs, set)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/pair")
}

func ExampleJudge() {
	v, err := parse(strings.NewReader("walk 2 1\nrun 1 2\nhome 1 1\n"), "example", nil, 0)
	if err != nil {
		panic(err)
	}
	average, extrema, greedy := NewJudge(v, "example").Similarities(
		[][]string{{"walk", "home"}}, [][]string{{"run", "home"}},
	)
	fmt.Printf("%.4f %.4f %.4f\n", average[0], extrema[0], greedy[0])
	// Output: 0.9231 0.8000 0.9743
}
