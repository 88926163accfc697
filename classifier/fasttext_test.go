package classifier

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

var smallShape = FastTextConfig{Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 3, Buckets: 40}}

// wide returns a model with weights that tell sentences apart, output included.
func wide(c FastTextConfig, seed uint64) *FastText {
	m := NewFastText(c, seed)
	rng := rand.New(rand.NewPCG(seed, 9))
	for _, weights := range [][]float32{m.vectors, m.output} {
		for i := range weights {
			weights[i] = float32(rng.NormFloat64())
		}
	}
	return m
}

// lossByDefinition is -log softmax(W mean(vectors))[style] in float64, written apart from the
// model.
func lossByDefinition(m *FastText, features []int32, style int) float64 {
	var z [2]float64
	for k := range z {
		for j := range m.Config.Dim {
			sum := 0.0
			for _, f := range features {
				sum += float64(m.vectors[int(f)*m.Config.Dim+j])
			}
			z[k] += float64(m.output[k*m.Config.Dim+j]) * sum / float64(len(features))
		}
	}
	return -math.Log(math.Exp(z[style]) / (math.Exp(z[0]) + math.Exp(z[1])))
}

// TestFastTextGradient compares what a step at lr 1 takes from each weight with central differences
// of the loss. A word and an n-gram occur twice.
func TestFastTextGradient(t *testing.T) {
	for style := range 2 {
		m := wide(smallShape, 3)
		features := m.features(nil, []int64{12, 13, 12, 13, corpus.UnkID, 20})
		before := wide(smallShape, 3)
		loss := m.step(m.scratch(), features, style, 1)
		if want := lossByDefinition(before, features, style); math.Abs(loss-want) > 1e-5*want {
			t.Errorf("loss %v, by the definition %v", loss, want)
		}
		worst, moved := 0.0, 0
		compare := func(weights, after []float32) {
			for i, old := range weights {
				const h = 1. / 128 // a power of two, so that float32 weights take it with little rounding
				weights[i] = old + h
				up := lossByDefinition(before, features, style)
				weights[i] = old - h
				down := lossByDefinition(before, features, style)
				weights[i] = old
				want := (up - down) / (2 * h)
				got := float64(old) - float64(after[i])
				worst = max(worst, math.Abs(got-want))
				if got != 0 {
					moved++
				}
			}
		}
		compare(before.vectors, m.vectors)
		compare(before.output, m.output)
		t.Logf("style %d: %d weights moved, largest deviation %.1e", style, moved, worst)
		if worst > 1e-5 {
			t.Errorf("style %d: a gradient is off by %v", style, worst)
		}
		// Vectors: words 12, 13 and 20; of the n-grams 12 13, 13 12 (12 13 twice), 12 13 12 and 13
		// 12 13, if no two share a bucket.
		distinct := slices.Compact(slices.Sorted(slices.Values(features)))
		if want := smallShape.Dim * (len(distinct) + 2); moved != want || len(distinct) != 3+4 {
			t.Errorf("%d weights moved, want %d, of vectors %v", moved, want, distinct)
		}
	}
}

// TestFastTextFeatures: words first, then for every place the n-grams that begin there; none
// reaches over an unknown word.
func TestFastTextFeatures(t *testing.T) {
	m := NewFastText(FastTextConfig{
		Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 1, Ngrams: 3, Buckets: 1 << 20},
	}, 1)
	gram := func(ids ...int64) int32 {
		f := m.features(nil, ids)
		if len(ids) == 2 {
			return f[2] // a, b, ab
		}
		return f[4] // a, b, c, ab, abc, bc
	}
	ab, bc, abc, cd, bcd := gram(10, 11), gram(11, 12), gram(10, 11, 12), gram(12, 13), gram(11, 12, 13)
	for _, c := range []struct {
		name string
		ids  []int64
		want []int32
	}{
		{"none", nil, nil},
		{"unknown", []int64{corpus.UnkID, corpus.UnkID}, nil},
		{"special tokens", []int64{corpus.MaskID, corpus.PadID, corpus.Dst1}, nil},
		{"one", []int64{10}, []int32{10}},
		{"four", []int64{10, 11, 12, 13}, []int32{10, 11, 12, 13, ab, abc, bc, bcd, cd}},
		{"unknown between", []int64{10, 11, corpus.UnkID, 12, 13}, []int32{10, 11, 12, 13, ab, cd}},
		{"unknown ends", []int64{corpus.UnkID, 10, 11, corpus.UnkID}, []int32{10, 11, ab}},
	} {
		if got := m.features(nil, c.ids); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Computed in Python: files of weights hold vectors by these numbers, so they must never
	// change.
	if ab != 963922 || abc != 439565 {
		t.Errorf("n-grams %d and %d have moved", ab, abc)
	}
	if ab == gram(11, 10) {
		t.Error("the order of two words does not matter")
	}
	for _, f := range []int32{ab, bc, abc, cd, bcd} {
		if f < 30 || f >= 30+1<<20 {
			t.Errorf("feature %d is no bucket", f)
		}
	}
	// All pairs of 1000 words in 2^20 buckets: if hashes are even, 2^20 (1 - exp(-10^6 / 2^20)) =
	// 644,496 buckets are in use.
	m = NewFastText(FastTextConfig{
		Vocab: 1009, FastTextShape: recipe.FastTextShape{Dim: 1, Ngrams: 2, Buckets: 1 << 20},
	}, 1)
	used := map[int32]bool{}
	for a := range int64(1000) {
		for b := range int64(1000) {
			used[m.features(nil, []int64{9 + a, 9 + b})[2]] = true
		}
	}
	if n := len(used); n < 634_000 || n > 655_000 {
		t.Errorf("%d buckets are in use", n)
	}
}

// TestFastTextPredictions: a sentence's style is its own, whatever stands around it; unknown words
// alone and no words are style 0.
func TestFastTextPredictions(t *testing.T) {
	m := wide(smallShape, 5)
	both := map[int]bool{}
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Int64Range(0, 29), 0, 8)
		ids := rapid.SliceOfN(row, 0, 20).Draw(t, "ids")
		var d corpus.Encoded
		order := rapid.Permutation(testkit.Indices(len(ids))).Draw(t, "order")
		want := m.Predict(ids)
		for _, i := range order {
			d.IDs, d.Styles = append(d.IDs, ids[i]), append(d.Styles, i%2)
		}
		for k, got := range m.Predict(d.IDs) {
			if got != want[order[k]] {
				t.Fatalf("sentence %v is of style %d, in another order %d", d.IDs[k], want[order[k]], got)
			}
			both[got] = true
		}
		a := m.Evaluate(d)
		slices.Reverse(d.IDs)
		slices.Reverse(d.Styles)
		if b := m.Evaluate(d); a.Accuracy != b.Accuracy || math.Abs(a.Loss-b.Loss) > 1e-12*a.Loss {
			t.Fatalf("%+v, in reverse order %+v", a, b)
		}
	})
	if len(both) != 2 {
		t.Errorf("only styles %v were predicted: the test is blind", both)
	}
	nothing := corpus.Encoded{IDs: [][]int64{{}, {corpus.UnkID}, {corpus.UnkID, corpus.MaskID}}, Styles: []int{0, 0, 1}}
	if got := m.Predict(nothing.IDs); !slices.Equal(got, []int{0, 0, 0}) {
		t.Errorf("nothing known: %v", got)
	}
	if got := m.Evaluate(nothing); math.Abs(got.Loss-math.Ln2) > 1e-15 || math.Abs(got.Accuracy-200./3) > 1e-9 {
		t.Errorf("nothing known: %+v, want loss ln 2", got)
	}
	if got := m.Evaluate(corpus.Encoded{}); got != (nn.Validation{}) {
		t.Errorf("no sentences: %+v", got)
	}
}

func TestFastTextShape(t *testing.T) {
	if got, want := NewFastText(smallShape, 1).Parameters(), (30+40)*5+2*5; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
	// Words alone have no buckets.
	c := FastTextConfig{Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 1, Buckets: 40}}
	if got, want := NewFastText(c, 1).Parameters(), 30*5+2*5; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
	for want, c := range map[string]FastTextConfig{
		"vocabulary of 9":    {9, recipe.FastTextShape{Dim: 5, Ngrams: 2, Buckets: 40}},
		"vectors of 0":       {30, recipe.FastTextShape{Dim: 0, Ngrams: 2, Buckets: 40}},
		"ngrams 0":           {30, recipe.FastTextShape{Dim: 5, Ngrams: 0, Buckets: 40}},
		"0 buckets":          {30, recipe.FastTextShape{Dim: 5, Ngrams: 2, Buckets: 0}},
		"2147483647 buckets": {30, recipe.FastTextShape{Dim: 5, Ngrams: 2, Buckets: math.MaxInt32}},
	} {
		err := c.Check()
		if err == nil || !strings.Contains(err.Error(), want) || userr.CodeOf(err) != userr.BadInput {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
	text, err := json.Marshal(smallShape)
	if want := `{"vocab":30,"dim":5,"ngrams":3,"buckets":40}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}
