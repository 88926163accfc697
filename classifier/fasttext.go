package classifier

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nlpodyssey/safetensors"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// FastTextConfig is the shape of a FastText. It is stored with the weights.
type FastTextConfig struct {
	Vocab int `json:"vocab"` // words and special tokens
	// FastTextShape.Buckets is the number of vectors that n-grams of 2 and more words share. If
	// Ngrams is 1, there are no such vectors.
	recipe.FastTextShape
	Classes int `json:"classes,omitempty"` // number of classes; 0 means 2
}

// classes returns Classes, or 2 if it is 0.
func (c FastTextConfig) classes() int { return cmp.Or(c.Classes, 2) }

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (c FastTextConfig) Check() error {
	switch {
	case c.Vocab <= corpus.NumSpecial:
		return userr.New(
			userr.BadInput,
			"the bag of n-grams has a vocabulary of %d: it needs words beside the %d special tokens", c.Vocab,
			corpus.NumSpecial,
		)
	case c.Dim < 1:
		return userr.New(userr.BadInput, "the bag of n-grams has vectors of width %d: set dim to 1 or more", c.Dim)
	case c.Ngrams < 1:
		return userr.New(
			userr.BadInput, "the bag of n-grams has ngrams %d: set 1 for single words, 2 for pairs too, and "+
				"so on",
			c.Ngrams,
		)
	case c.Ngrams > 1 && c.Buckets < 1:
		return userr.New(userr.BadInput, "the bag of n-grams has %d buckets: set 1 or more", c.Buckets)
	case int64(c.Vocab)+int64(c.Buckets) > math.MaxInt32:
		return userr.New(userr.BadInput, "the bag of n-grams has %d buckets: lower buckets", c.Buckets)
	}
	return checkClasses("bag of n-grams", c.Classes)
}

// rows returns the number of vectors: one per word and, with n-grams, one per bucket.
func (c FastTextConfig) rows() int {
	if c.Ngrams == 1 {
		return c.Vocab
	}
	return c.Vocab + c.Buckets
}

// FastText is the linear classifier of Joulin et al. 2017, "Bag of Tricks for Efficient Text
// Classification". The logits of the styles are a matrix times the mean of the vectors of a
// sentence's words and n-grams. N-grams share hashed buckets. There is no bias, so a sentence
// without known words has logits of 0 and counts as style 0.
//
// It differs from the fastText program in two ways. fastText ends every sentence with a token; this
// model does not. fastText hashes unknown words into n-grams. Here all unknown words have the same
// id, so they and n-grams that contain them are left out. Special tokens, including <mask>, count
// as unknown, because no training text has them.
type FastText struct {
	Config  FastTextConfig
	vectors []float32 // [rows, Dim]
	output  []float32 // [C, Dim]
	hashes  []uint32  // one per word id
}

// NewFastText returns a model with fastText's initial weights: vectors drawn uniformly between
// -1/Dim and 1/Dim with the given seed, and an output matrix of zeros. It panics if c.Check()
// fails.
func NewFastText(c FastTextConfig, seed uint64) *FastText {
	m := makeFastText(c)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range m.vectors {
		m.vectors[i] = (2*rng.Float32() - 1) / float32(c.Dim)
	}
	return m
}

// makeFastText returns a model with all weights 0.
func makeFastText(c FastTextConfig) *FastText {
	if err := c.Check(); err != nil {
		panic(err)
	}
	m := &FastText{Config: c, vectors: make([]float32, c.rows()*c.Dim), output: make([]float32, c.classes()*c.Dim)}
	m.hashes = make([]uint32, c.Vocab)
	for id := range m.hashes {
		m.hashes[id] = mix(uint32(id))
	}
	return m
}

// mix is the finalizer of MurmurHash3. It spreads word ids over 32 bits, so that n-grams of
// neighbouring ids do not get neighbouring buckets. The fastText program hashes the letters of
// words instead.
func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}

// Parameters returns the number of weights.
func (m *FastText) Parameters() int { return len(m.vectors) + len(m.output) }

// features appends the vector indices of a sentence's words and then the vector indices of its
// n-grams. An n-gram's index is computed from its hash. As in fastText, the hash of words a, b, c
// is (a*K + b)*K + c for a fixed K.
func (m *FastText) features(to []int32, ids []int64) []int32 {
	for _, id := range ids {
		if id < 0 || id >= int64(m.Config.Vocab) {
			panic(fmt.Sprintf("classifier: word id %d in a vocabulary of %d", id, m.Config.Vocab))
		}
		if known(id) {
			to = append(to, int32(id))
		}
	}
	for i, id := range ids {
		if !known(id) {
			continue
		}
		h := uint64(m.hashes[id])
		for _, next := range ids[i+1 : min(i+m.Config.Ngrams, len(ids))] {
			if !known(next) {
				break
			}
			h = h*116049371 + uint64(m.hashes[next])
			to = append(to, int32(uint64(m.Config.Vocab)+h%uint64(m.Config.Buckets)))
		}
	}
	return to
}

func known(id int64) bool { return id >= corpus.NumSpecial }

// FastTextRecipe holds the settings for training a FastText.
type FastTextRecipe struct {
	Epochs   int
	LR       float64 // initial value; it falls linearly to 0
	Seed     uint64  // determines the order of the sentences
	Progress func(done, total int, note string)
}

// sentencesAtOnce is the number of training sentences between checks of the context.
const sentencesAtOnce = 2000

// Train minimises cross-entropy by stochastic gradient descent, one sentence per step, in a new
// random order each epoch. It keeps the weights of the epoch with the lowest dev loss, or of the
// last of several such epochs. It uses one goroutine, so the same seed gives the same bits. If it
// is cancelled, it returns ctx.Err() and leaves the model partly trained. The training set is not
// empty, and the model has all classes of both sets.
func (m *FastText) Train(ctx context.Context, train, dev corpus.Encoded, r FastTextRecipe) (*nn.History, error) {
	start := time.Now()
	n := len(train.IDs)
	var flat []int32 // the features of all sentences
	ends := make([]int, n+1)
	order := make([]int, n)
	for i, ids := range train.IDs {
		flat = m.features(flat, ids)
		ends[i+1] = len(flat)
		order[i] = i
	}
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	s := m.scratch()
	total := r.Epochs * n
	h := &nn.History{}
	best := math.Inf(1)
	var bestVectors, bestOutput []float32
	for epoch := range r.Epochs {
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		sum := 0.0
		for k, i := range order {
			if k%sentencesAtOnce == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			lr := r.LR * (1 - float64(h.Steps)/float64(total))
			loss := m.step(s, flat[ends[i]:ends[i+1]], train.Styles[i], lr)
			h.Steps++
			if loss-loss != 0 { // the loss is infinite or not a number
				return nil, fmt.Errorf("the loss is %v at step %d; lower lr", loss, h.Steps)
			}
			sum += loss
			if r.Progress != nil && ((k+1)%sentencesAtOnce == 0 || k+1 == n) {
				r.Progress(h.Steps, total, fmt.Sprintf("epoch %d/%d loss %.3f", epoch+1, r.Epochs, sum/float64(k+1)))
			}
		}
		if !m.finite() {
			return nil, fmt.Errorf("a weight is not finite after epoch %d; lower lr", epoch+1)
		}
		onDev := m.Evaluate(dev)
		if onDev.Loss <= best {
			best, h.Best = onDev.Loss, epoch
			bestVectors = append(bestVectors[:0], m.vectors...)
			bestOutput = append(bestOutput[:0], m.output...)
		}
		h.Seconds = time.Since(start).Seconds()
		h.Epochs = append(h.Epochs, nn.Epoch{
			Epoch: epoch + 1, Steps: h.Steps, TrainLoss: sum / float64(n), Dev: onDev, Seconds: h.Seconds,
		})
	}
	m.vectors, m.output = bestVectors, bestOutput
	return h, nil
}

// The method finite reports whether all weights are finite. Checking the loss is not enough,
// because the loss shows a bad weight only if a later sentence uses this weight.
func (m *FastText) finite() bool {
	for _, weights := range [][]float32{m.vectors, m.output} {
		for _, x := range weights {
			if x-x != 0 {
				return false
			}
		}
	}
	return true
}

func (m *FastText) vector(feature int32) []float32 {
	d := m.Config.Dim
	return m.vectors[int(feature)*d:][:d:d]
}

// scratch is working memory for one sentence. hidden [Dim] is the sentence's vector. grad [Dim] is
// what a step adds to the vector of each feature. z [C] holds the logits. A step adds -rates[c]
// times hidden to the weights of class c.
type scratch struct {
	hidden, grad []float32
	z            []float64
	rates        []float32
}

func (m *FastText) scratch() scratch {
	d, c := m.Config.Dim, m.Config.classes()
	return scratch{make([]float32, d), make([]float32, d), make([]float64, c), make([]float32, c)}
}

func (m *FastText) weights(class int) []float32 {
	d := m.Config.Dim
	return m.output[class*d:][:d:d]
}

// forward sets s.hidden to the mean of the features' vectors, and s.z to the logits. Without
// features, both are 0.
func (m *FastText) forward(s scratch, features []int32) {
	h := s.hidden
	clear(h)
	clear(s.z)
	if len(features) == 0 {
		return
	}
	for _, f := range features {
		v := m.vector(f)[:len(h)]
		for j := range h {
			h[j] += v[j]
		}
	}
	scale := 1 / float32(len(features))
	for j := range h {
		h[j] *= scale
	}
	for c := range s.z {
		z := float32(0)
		for j, w := range m.weights(c)[:len(h)] {
			z += w * h[j]
		}
		s.z[c] = float64(z)
	}
}

// step moves every weight by -lr times the gradient of one sentence's loss, and returns the loss.
func (m *FastText) step(s scratch, features []int32, class int, lr float64) float64 {
	m.forward(s, features)
	loss := -logSoftmax(s.z, class)
	if len(features) == 0 {
		return loss // the loss is constant, so no weight changes
	}
	// The derivative of the loss with respect to the logit of class c is p(c) - 1 for the
	// sentence's own class and p(c) for other classes. All derivatives sum to 0, so the derivative
	// of the first class is minus the sum of the others. The output weights change only after grad
	// has been computed from their old values.
	h, grad, first := s.hidden, s.grad[:len(s.hidden)], m.weights(0)[:len(s.hidden)]
	clear(grad)
	for c := 1; c < len(s.z); c++ {
		derivative := 1 / (1 + math.Exp(-logOdds(s.z, c)))
		if c == class {
			derivative--
		}
		s.rates[c] = float32(lr) * float32(derivative)
		share := -s.rates[c] / float32(len(features))
		for j, w := range m.weights(c)[:len(h)] {
			grad[j] += share * (w - first[j])
		}
	}
	for c := 1; c < len(s.z); c++ {
		w, rate := m.weights(c)[:len(h)], s.rates[c]
		for j, x := range h {
			w[j] -= rate * x
			first[j] += rate * x
		}
	}
	for _, f := range features {
		v := m.vector(f)[:len(grad)]
		for j, g := range grad {
			v[j] += g
		}
	}
	return loss
}

// Evaluate returns mean cross-entropy and accuracy in percent. Without sentences, both are 0.
func (m *FastText) Evaluate(d corpus.Encoded) nn.Validation {
	var loss, right float64
	m.each(d.IDs, func(i int, z []float64) {
		loss -= logSoftmax(z, d.Styles[i])
		if likeliest(z) == d.Styles[i] {
			right++
		}
	})
	n := float64(max(1, len(d.IDs)))
	return nn.Validation{Loss: loss / n, Accuracy: 100 * right / n}
}

// Predict returns the most likely class of every sentence. In a tie, it returns the first of the
// most likely classes. A sentence without known words has class 0.
func (m *FastText) Predict(ids [][]int64) []int {
	out := make([]int, len(ids))
	m.each(ids, func(i int, z []float64) { out[i] = likeliest(z) })
	return out
}

// LogOdds returns every sentence's log-odds of a class, log(p(class) / (1 - p(class))).
func (m *FastText) LogOdds(ids [][]int64, class int) []float64 {
	out := make([]float64, len(ids))
	m.each(ids, func(i int, z []float64) { out[i] = logOdds(z, class) })
	return out
}

// The function likeliest returns the class with the largest logit or log p. In a tie, it returns
// the first such class.
func likeliest(z []float64) int { return slices.Index(z, slices.Max(z)) }

// The method each computes the logits of the sentences, one after the other, and passes them to the
// function fn.
func (m *FastText) each(ids [][]int64, fn func(i int, z []float64)) {
	s := m.scratch()
	var features []int32
	for i, row := range ids {
		features = m.features(features[:0], row)
		m.forward(s, features)
		fn(i, s.z)
	}
}

// Names of the tensors in a FastText's file.
const (
	vectorsName = "vectors" // [Vocab + Buckets, Dim]
	outputName  = "output"  // [C, Dim]
)

// tensors returns the weights by tensor name.
func (m *FastText) tensors() map[string][]float32 {
	return map[string][]float32{vectorsName: m.vectors, outputName: m.output}
}

// Save writes the weights as safetensors, complete or not at all. The same weights give the same
// bytes.
func (m *FastText) Save(path string) error {
	views := map[string]safetensors.TensorView{}
	for name, data := range m.tensors() {
		shape := []uint64{uint64(len(data) / m.Config.Dim), uint64(m.Config.Dim)}
		view, err := safetensors.NewTensorView(safetensors.F32, shape, nn.FloatBytes(data))
		if err != nil {
			return fmt.Errorf("saving tensor %q: %w", name, err)
		}
		views[name] = view
	}
	return files.Write(path, func(w io.Writer) error { return safetensors.SerializeToWriter(views, nil, w) })
}

// LoadFastText reads the weights that Save wrote for a model of shape c.
func LoadFastText(path string, c FastTextConfig) (*FastText, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m := makeFastText(c)
	for name, data := range m.tensors() {
		if err := nn.LoadFloats(path, name, data, int64(len(data)/c.Dim), int64(c.Dim)); err != nil {
			return nil, err
		}
	}
	return m, nil
}
