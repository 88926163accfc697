package classifier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

var smallShape = FastTextConfig{Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 3, Buckets: 40}}

// The function wide returns a model whose weights are all random, including those of the output
// matrix. The weights are large enough to give different sentences clearly different scores.
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

// lossByDefinition returns -log softmax(W mean(vectors))[style], computed in float64 without code
// of the model.
func lossByDefinition(m *FastText, features []int32, style int) float64 {
	z, sum := make([]float64, m.Config.classes()), 0.0
	for k := range z {
		for j := range m.Config.Dim {
			all := 0.0
			for _, f := range features {
				all += float64(m.vectors[int(f)*m.Config.Dim+j])
			}
			z[k] += float64(m.output[k*m.Config.Dim+j]) * all / float64(len(features))
		}
		sum += math.Exp(z[k])
	}
	return -math.Log(math.Exp(z[style]) / sum)
}

// TestFastTextGradient compares the change of each weight in one step at lr 1 with central
// differences of the loss, for two classes and for more. In the test sentence, two words and one
// n-gram occur twice.
func TestFastTextGradient(t *testing.T) {
	for _, of := range []struct{ classes, style int }{{0, 0}, {0, 1}, {3, 0}, {3, 1}, {3, 2}, {5, 3}} {
		shape, style := smallShape, of.style
		shape.Classes = of.classes
		m := wide(shape, 3)
		features := m.features(nil, []int64{12, 13, 12, 13, corpus.UnkID, 20})
		before := wide(shape, 3)
		loss := m.step(m.scratch(), features, style, 1)
		if want := lossByDefinition(before, features, style); math.Abs(loss-want) > 1e-5*want {
			t.Errorf("loss %v, by the definition %v", loss, want)
		}
		worst, moved := 0.0, 0
		compare := func(weights, after []float32) {
			for i, old := range weights {
				const h = 1. / 128 // a power of two, so that adding it to float32 weights causes little rounding
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
		t.Logf("style %d of %d: %d weights moved, largest deviation %.1e", style, shape.classes(), moved, worst)
		if worst > 1e-5 {
			t.Errorf("style %d: a gradient is off by %v", style, worst)
		}
		// The vectors of these features must move: the words 12, 13 and 20, and the n-grams 12 13
		// (which occurs twice), 13 12, 12 13 12 and 13 12 13, if no two of them share a bucket.
		distinct := slices.Compact(slices.Sorted(slices.Values(features)))
		if want := shape.Dim * (len(distinct) + shape.classes()); moved != want || len(distinct) != 3+4 {
			t.Errorf("%d weights moved, want %d, of vectors %v", moved, want, distinct)
		}
	}
}

// TestFastTextFeatures checks the order of features: first the words, then the n-grams by the
// position at which they begin. No n-gram contains an unknown word.
func TestFastTextFeatures(t *testing.T) {
	m := NewFastText(FastTextConfig{
		Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 1, Ngrams: 3, Buckets: 1 << 20},
	}, 1)
	gram := func(ids ...int64) int32 {
		f := m.features(nil, ids)
		if len(ids) == 2 {
			return f[2] // the features are a, b, ab
		}
		return f[4] // the features are a, b, c, ab, abc, bc
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
	// The expected hashes were computed in Python. Weight files store vectors under these numbers,
	// so the numbers must never change.
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
	// There are 10^6 pairs of 1000 words. If their hashes are uniform over 2^20 buckets, 2^20 (1 -
	// exp(-10^6 / 2^20)) = 644,496 buckets are in use.
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

// TestFastTextPredictions checks that a sentence gets the class with the lowest loss, whatever
// other sentences are in the set, and that a sentence without known words gets style 0.
func TestFastTextPredictions(t *testing.T) {
	t.Run("2", func(t *testing.T) { testFastTextPredictions(t, 2) })
	t.Run("3", func(t *testing.T) { testFastTextPredictions(t, 3) })
}

func testFastTextPredictions(t *testing.T, classes int) {
	shape := smallShape
	shape.Classes = classes
	m := wide(shape, 5)
	all := map[int]bool{}
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Int64Range(0, 29), 0, 8)
		ids := rapid.SliceOfN(row, 0, 20).Draw(t, "ids")
		var d corpus.Encoded
		order := rapid.Permutation(testkit.Indices(len(ids))).Draw(t, "order")
		want := m.Predict(ids)
		for _, i := range order {
			d.IDs, d.Styles = append(d.IDs, ids[i]), append(d.Styles, i%classes)
		}
		loss := 0.0
		for k, got := range m.Predict(d.IDs) {
			if got != want[order[k]] {
				t.Fatalf("sentence %v is of style %d, in another order %d", d.IDs[k], want[order[k]], got)
			}
			all[got] = true
			features := m.features(nil, d.IDs[k])
			if len(features) == 0 {
				loss += math.Log(float64(classes))
				continue
			}
			loss += lossByDefinition(m, features, d.Styles[k])
			for class := range classes {
				is, other := lossByDefinition(m, features, got), lossByDefinition(m, features, class)
				if other < is-1e-5 {
					t.Fatalf("%v is of class %d with loss %v, of class %d it is %v", d.IDs[k], got, is, class, other)
				}
			}
		}
		a := m.Evaluate(d)
		if n := float64(len(d.IDs)); math.Abs(a.Loss*n-loss) > 1e-4*(n+loss) {
			t.Fatalf("loss %v, by the definition %v", a.Loss, loss/n)
		}
		slices.Reverse(d.IDs)
		slices.Reverse(d.Styles)
		if b := m.Evaluate(d); a.Accuracy != b.Accuracy || math.Abs(a.Loss-b.Loss) > 1e-12*a.Loss {
			t.Fatalf("%+v, in reverse order %+v", a, b)
		}
	})
	if len(all) != classes {
		t.Errorf("only classes %v were predicted: the test is blind", all)
	}
	nothing := corpus.Encoded{IDs: [][]int64{{}, {corpus.UnkID}, {corpus.UnkID, corpus.MaskID}}, Styles: []int{0, 0, 1}}
	if got := m.Predict(nothing.IDs); !slices.Equal(got, []int{0, 0, 0}) {
		t.Errorf("nothing known: %v", got)
	}
	if got := m.Evaluate(nothing); math.Abs(got.Loss-math.Log(float64(classes))) > 1e-15 ||
		math.Abs(got.Accuracy-200./3) > 1e-9 {
		t.Errorf("nothing known: %+v, want loss ln %d", got, classes)
	}
	if got := m.Evaluate(corpus.Encoded{}); got != (nn.Validation{}) {
		t.Errorf("no sentences: %+v", got)
	}
}

func TestFastTextShape(t *testing.T) {
	if got, want := NewFastText(smallShape, 1).Parameters(), (30+40)*5+2*5; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
	// A model without n-grams has no buckets.
	c := FastTextConfig{Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 1, Buckets: 40}}
	if got, want := NewFastText(c, 1).Parameters(), 30*5+2*5; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
	for want, c := range map[string]FastTextConfig{
		"vocabulary of 9":    {Vocab: 9, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 2, Buckets: 40}},
		"vectors of width 0": {Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 0, Ngrams: 2, Buckets: 40}},
		"ngrams 0":           {Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 0, Buckets: 40}},
		"0 buckets":          {Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 2, Buckets: 0}},
		"-1 classes": {
			Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 2, Buckets: 40}, Classes: -1,
		},
		"2147483647 buckets": {Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 5, Ngrams: 2, Buckets: math.MaxInt32}},
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

// oneWord returns sentences whose style is decided by one of two words, at any position.
func oneWord(n int, seed uint64) (d corpus.Encoded) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		row := []int64{11 + rng.Int64N(15), 11 + rng.Int64N(15), 11 + rng.Int64N(15), corpus.UnkID}
		row[rng.IntN(3)] = int64(9 + i%2)
		d.IDs, d.Styles = append(d.IDs, row), append(d.Styles, i%2)
	}
	return d
}

// wordOrder returns sentences of the same words in both styles: "9 10" marks style 0 and "10 9"
// style 1, at any position.
func wordOrder(n int, seed uint64) (d corpus.Encoded) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		row := []int64{11 + rng.Int64N(4), 11 + rng.Int64N(4)}
		row = slices.Insert(row, rng.IntN(3), int64(9+i%2), int64(10-i%2))
		d.IDs, d.Styles = append(d.IDs, row), append(d.Styles, i%2)
	}
	return d
}

func TestFastTextLearns(t *testing.T) {
	for _, c := range []struct {
		name     string
		data     func(n int, seed uint64) corpus.Encoded
		ngrams   int
		from, to float64 // bounds of the accuracy on unseen sentences
	}{
		{"one word, words alone", oneWord, 1, 99, 100},
		{"one word, pairs", oneWord, 2, 99, 100},
		{"word order, pairs", wordOrder, 2, 99, 100},
		{"word order, runs of three", wordOrder, 3, 99, 100},
		// Both styles have the same bags of words, so accuracy is at chance. For 400 sentences the
		// standard deviation is 2.5.
		{"word order, words alone", wordOrder, 1, 40, 60},
	} {
		m := NewFastText(FastTextConfig{
			Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 10, Ngrams: c.ngrams, Buckets: 5000},
		}, 1)
		dev := c.data(400, 2)
		h, err := m.Train(context.Background(), c.data(1000, 1), dev, FastTextRecipe{Epochs: 10, LR: .5, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		kept := h.Kept()
		if acc := kept.Dev.Accuracy; acc < c.from || acc > c.to {
			t.Errorf("%s: accuracy %v, want %v to %v", c.name, acc, c.from, c.to)
		}
		if len(h.Epochs) != 10 || h.Steps != 10_000 || kept.Epoch != h.Best+1 || m.Evaluate(dev) != kept.Dev {
			t.Errorf("%s: the history %+v is not that of the weights, %+v", c.name, h, m.Evaluate(dev))
		}
		if first := h.Epochs[0].TrainLoss; c.from > 90 && (first > .8 || kept.TrainLoss > first/2) {
			t.Errorf("%s: the loss in training is %v and then %v", c.name, first, kept.TrainLoss)
		}
	}
}

// TestFastTextRate checks that the learning rate at step t of T is lr (1 - t / T). The test trains
// on two sentences without a common feature. The weights must be those of two single steps at these
// rates, in either order of the sentences.
func TestFastTextRate(t *testing.T) {
	c := FastTextConfig{Vocab: 30, FastTextShape: recipe.FastTextShape{Dim: 4, Ngrams: 1}}
	d := corpus.Encoded{IDs: [][]int64{{10}, {20, 21}}, Styles: []int{0, 1}}
	m := wide(c, 1)
	if _, err := m.Train(context.Background(), d, d, FastTextRecipe{Epochs: 1, LR: .4, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	matches := 0
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		want := wide(c, 1)
		for k, i := range order {
			want.step(want.scratch(), want.features(nil, d.IDs[i]), d.Styles[i], []float64{.4, .2}[k])
		}
		if slices.Equal(m.vectors, want.vectors) && slices.Equal(m.output, want.output) {
			matches++
		}
	}
	if matches != 1 {
		t.Errorf("%d of the two orders give the weights of the training", matches)
	}
}

// TestFastTextKeepsTheBestEpoch checks that the weights of the epoch with the lowest dev loss are
// kept. In the training set, styles do not depend on the words, so the dev loss rises. Without dev
// sentences, the last epoch is kept.
func TestFastTextKeepsTheBestEpoch(t *testing.T) {
	train, dev := oneWord(60, 1), oneWord(60, 2)
	for i := range train.Styles {
		train.Styles[i] = i / 2 % 2
	}
	r := FastTextRecipe{Epochs: 30, LR: .5, Seed: 1}
	m := NewFastText(smallShape, 4)
	h, err := m.Train(context.Background(), train, dev, r)
	if err != nil {
		t.Fatal(err)
	}
	last := h.Epochs[len(h.Epochs)-1]
	for _, epoch := range h.Epochs {
		if epoch.Dev.Loss < h.Kept().Dev.Loss {
			t.Errorf("epoch %d has a lower dev loss than the kept one, %d", epoch.Epoch, h.Kept().Epoch)
		}
	}
	if !(h.Kept().Dev.Loss < last.Dev.Loss) || m.Evaluate(dev) != h.Kept().Dev {
		t.Errorf("kept %+v, the last epoch is %+v, the weights give %+v", h.Kept(), last, m.Evaluate(dev))
	}
	h, err = NewFastText(smallShape, 4).Train(context.Background(), train, corpus.Encoded{}, r)
	if err != nil || h.Best != 29 {
		t.Errorf("without dev sentences: %+v, %v", h, err)
	}
}

// TestFastTextSameBits checks that the same seeds give the same weights, and that another order of
// the sentences gives other weights.
func TestFastTextSameBits(t *testing.T) {
	train := func(seed uint64) []float32 {
		m := NewFastText(smallShape, 4)
		r := FastTextRecipe{Epochs: 3, LR: .3, Seed: seed}
		if _, err := m.Train(context.Background(), oneWord(100, 1), oneWord(20, 2), r); err != nil {
			t.Fatal(err)
		}
		return slices.Concat(m.vectors, m.output)
	}
	same := func(a, b []float32) bool {
		return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
	}
	a := train(1)
	if !same(a, train(1)) {
		t.Error("two trainings of one seed differ")
	}
	if same(a, train(2)) {
		t.Error("the seed changes nothing")
	}
	if same(NewFastText(smallShape, 1).vectors, NewFastText(smallShape, 2).vectors) {
		t.Error("the seed changes no first weight")
	}
}

// TestFastTextTrainRefuses checks that Train returns an error if a learning rate is too high.
func TestFastTextTrainRefuses(t *testing.T) {
	good := oneWord(20, 1)
	r := FastTextRecipe{Epochs: 2, LR: 1e30}
	if _, err := NewFastText(smallShape, 1).Train(context.Background(), good, good, r); err == nil ||
		!strings.Contains(err.Error(), "lower lr") {
		t.Errorf("error %v for a rate of 1e30, want one that says to lower lr", err)
	}
	// The first step moves weights to infinity. The loss of this step is finite, because it is
	// computed before the weights move.
	m := wide(smallShape, 1)
	two := corpus.Encoded{IDs: [][]int64{{9}, {10}}, Styles: []int{0, 1}}
	diverging := FastTextRecipe{Epochs: 1, LR: 1e39}
	if _, err := m.Train(context.Background(), two, corpus.Encoded{}, diverging); err == nil ||
		!strings.Contains(err.Error(),
			"lower lr") {
		t.Errorf("error %v for a rate of 1e39, want one that says to lower lr", err)
	}
}

// TestFastTextCancel checks that training stops when it is cancelled, and that progress is reported
// for every chunk of sentences and at the end of every epoch.
func TestFastTextCancel(t *testing.T) {
	d := oneWord(2*sentencesAtOnce+10, 1)
	var dones []int
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := FastTextRecipe{Epochs: 2, LR: .1, Progress: func(done, total int, note string) {
		if total != 2*len(d.IDs) || !strings.HasPrefix(note, "epoch ") {
			t.Errorf("%d of %d: %s", done, total, note)
		}
		dones = append(dones, done)
		if done == len(d.IDs)+sentencesAtOnce {
			cancel()
		}
	}}
	_, err := NewFastText(smallShape, 1).Train(ctx, d, d, r)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	n := len(d.IDs)
	if want := []int{sentencesAtOnce, 2 * sentencesAtOnce, n, n + sentencesAtOnce}; !slices.Equal(dones, want) {
		t.Errorf("progress %v, want %v", dones, want)
	}
}

func TestFastTextFile(t *testing.T) {
	for _, classes := range []int{0, 3} {
		t.Run(fmt.Sprint(classes), func(t *testing.T) { testFastTextFile(t, classes) })
	}
}

func testFastTextFile(t *testing.T, classes int) {
	shape := smallShape
	shape.Classes = classes
	dir := t.TempDir()
	path, again := filepath.Join(dir, "a.safetensors"), filepath.Join(dir, "b.safetensors")
	m := wide(shape, 6)
	if err := errors.Join(m.Save(path), m.Save(again)); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(path)
	if b, _ := os.ReadFile(again); !slices.Equal(a, b) {
		t.Error("the same weights were written as other bytes")
	}
	got, err := LoadFastText(path, shape)
	if err != nil {
		t.Fatal(err)
	}
	if got.Config != m.Config || !slices.Equal(got.vectors, m.vectors) || !slices.Equal(got.output, m.output) {
		t.Error("another model was read")
	}
	if d := oneWord(50, 1); got.Evaluate(d) != m.Evaluate(d) {
		t.Error("the model read predicts otherwise")
	}
	larger := shape
	larger.Buckets++
	if _, err := LoadFastText(path, larger); err == nil ||
		!strings.Contains(err.Error(), `"vectors" is F32 [70 5], the model wants F32 [71 5]`) {
		t.Errorf("error %v for another shape", err)
	}
	more := shape
	more.Classes = shape.classes() + 1
	if _, err := LoadFastText(path, more); err == nil || !strings.Contains(err.Error(), `"output" is F32`) {
		t.Errorf("error %v for a class more", err)
	}
	if _, err := LoadFastText(path, FastTextConfig{}); userr.CodeOf(err) != userr.BadInput {
		t.Errorf("error %v for no shape", err)
	}
	if _, err := LoadFastText(filepath.Join(dir, "none"), shape); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for no file", err)
	}
	if err := os.WriteFile(path, a[:len(a)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFastText(path, shape); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v for a file cut off", err)
	}
}
