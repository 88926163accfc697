package embedding

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// The list slots has the words that can fill each position of an invented sentence.
var slots = [][]string{
	strings.Fields("ba ke lo mi tu"),
	strings.Fields("fendle gorple hashle jumple kirple lorple"),
	strings.Fields("wask yelt zorn prend"),
	strings.Fields("mornic dullic brightic palic soric"),
}

func inventedText(n int) [][]string {
	rng := rand.New(rand.NewPCG(7, 0))
	text := make([][]string, n)
	for i := range text {
		for _, slot := range slots {
			text[i] = append(text[i], slot[rng.IntN(len(slot))])
		}
		text[i] = append(text[i], ".")
	}
	return text
}

// TestTrainFindsNeighbours checks that the nearest words of each word are the words of the same
// slot. In the invented text, the words of a slot have the same contexts.
func TestTrainFindsNeighbours(t *testing.T) {
	v, err := Train(inventedText(3000), 1, TrainOptions{Dim: 8, Window: 2})
	if err != nil {
		t.Fatal(err)
	}
	j := NewJudge(v, "invented")
	for _, slot := range slots {
		for _, word := range slot {
			others := slices.Clone(v.Words())
			slices.SortFunc(others, func(a, b string) int {
				if j.cosine(v.ids[word], v.ids[a]) > j.cosine(v.ids[word], v.ids[b]) {
					return -1
				}
				return 1
			})
			for _, near := range others[:len(slot)] { // the nearest words include the word itself
				if !slices.Contains(slot, near) {
					t.Errorf("among the %d nearest of %q is %q, of another slot", len(slot), word, near)
				}
			}
		}
	}
}

func TestTrain(t *testing.T) {
	text := inventedText(200)
	text[3] = append(text[3], "rare")
	first, err := Train(text, 1, TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Train(text, 1, TrainOptions{})
	other, _ := Train(text, 2, TrainOptions{})
	if first.Hash() != again.Hash() || !slices.Equal(first.data, again.data) {
		t.Error("the same seed gives other vectors")
	}
	if first.Hash() == other.Hash() {
		t.Error("another seed gives the same vectors")
	}
	if n := len(first.Words()); n != 21 || first.Dim() != n || first.Words()[0] != "." {
		t.Errorf(
			"%d words of %d dimensions, the first %q; want 21 of 21 and the most frequent first",
			n,
			first.Dim(),
			first.Words()[0],
		)
	}
	if first.Vector("rare") != nil {
		t.Error("a word that occurs once has a vector")
	}
	if want := "ppmi-svd,window:5,context-smoothing:0.75,eigenvalue-weight:0.5,min-count:2,seed:1,sentences:200,tokens:1001"; first.Origin != want {
		t.Errorf("origin %q, want %q", first.Origin, want)
	}
	if _, err := Train([][]string{{"ba", "ke"}, {}}, 1, TrainOptions{}); userr.CodeOf(err) != userr.BadInput {
		t.Errorf("without a word that occurs twice: error %v, want a bad input", err)
	}
	alone, err := Train([][]string{{"ba"}, {"ba"}}, 1, TrainOptions{})
	if err != nil || alone.Vector("ba")[0] != 0 {
		t.Errorf("a word without context has %v, %v; want the vector 0", alone.Vector("ba"), err)
	}
}

// TestCooccurrences compares the counts, and the mutual information of two words, with values
// computed by hand.
func TestCooccurrences(t *testing.T) {
	text := index([][]string{{"a", "b", "a", "x", "c"}, {"c", "b"}}, 2, 2)
	if !slices.Equal(text.words, []string{"a", "b", "c"}) {
		t.Fatalf("words %q", text.words)
	}
	m := text.cooccurrences(2)
	want := [][]float64{{2, 2, 1}, {2, 0, 1}, {1, 1, 0}}
	for i, row := range want {
		got := make([]float64, 3)
		columns, values := m.row(i)
		for k, c := range columns {
			got[c] = values[k]
		}
		if !slices.Equal(got, row) {
			t.Errorf("counts of %q are %v, want %v", text.words[i], got, row)
		}
	}
	// For word a and context c, #(a,c) = 1, #(a) = 5 and #(c) = 2. The sum over all contexts is
	// 5^.75 + 3^.75 + 2^.75.
	p := text.ppmi(2)
	columns, values := p.row(0)
	k := slices.Index(columns, 2)
	total := math.Pow(5, .75) + math.Pow(3, .75) + math.Pow(2, .75)
	want02 := math.Log(1 * total / (5 * math.Pow(2, .75)))
	if want02 <= 0 && k >= 0 || want02 > 0 && (k < 0 || math.Abs(values[k]-want02) > 1e-12) {
		t.Errorf("mutual information of a and c: columns %v, values %v, want %v", columns, values, want02)
	}
}

// TestRandomisedSVD compares the singular values, and the matrix U S^2 U', with gonum's exact
// decomposition.
func TestRandomisedSVD(t *testing.T) {
	const k = 6
	m := index(inventedText(500), 2, 2).ppmi(2)
	n := m.size()
	full := mat.NewDense(n, n, nil)
	for i := range n {
		columns, values := m.row(i)
		for j, c := range columns {
			full.Set(i, int(c), values[j])
		}
	}
	var exact mat.SVD
	exact.Factorize(full, mat.SVDThin)
	var eu mat.Dense
	exact.UTo(&eu)
	u, values := randomisedSVD(m, k, 3)
	for d, want := range exact.Values(nil)[:k] {
		if math.Abs(values[d]-want) > 1e-6*want {
			t.Errorf("singular value %d is %v, want %v", d, values[d], want)
		}
		along := 0.0
		for i := range n {
			along += u.Data[i*u.Stride+d] * eu.At(i, d)
		}
		if math.Abs(math.Abs(along)-1) > 1e-6 {
			t.Errorf("left singular vector %d: cosine %v with the exact one", d, along)
		}
	}
	gram := dense(k, k)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, u, u, 0, gram)
	for i, x := range gram.Data {
		want := 0.0
		if i%(k+1) == 0 {
			want = 1
		}
		if math.Abs(x-want) > 1e-9 {
			t.Errorf("the left singular vectors are not orthonormal: U'U holds %v for %v", x, want)
		}
	}
}

func yelp(t testing.TB) [][]string {
	var text [][]string
	for _, name := range []string{"train.0.txt", "train.1.txt"} {
		raw, err := os.ReadFile(testkit.Shared(t, "yelp", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			text = append(text, strings.Fields(line))
		}
	}
	return text
}

// BenchmarkTrain trains on all of Yelp's training text: 266,000 sentences.
func BenchmarkTrain(b *testing.B) {
	text := yelp(b)
	for b.Loop() {
		v, err := Train(text, 1, TrainOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(v.Words())), "words")
	}
}
