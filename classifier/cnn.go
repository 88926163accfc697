package classifier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// CNNConfig is the shape of a CNN. It is stored with the weights.
type CNNConfig struct {
	Vocab int `json:"vocab"` // words and special tokens
	recipe.CNNShape
	Dropout float64 `json:"dropout"`           // share of a sentence's features that training sets to 0
	Classes int     `json:"classes,omitempty"` // number of classes; 0 means 2
}

// classes returns Classes, or 2 if it is 0.
func (c CNNConfig) classes() int { return cmp.Or(c.Classes, 2) }

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (c CNNConfig) Check() error {
	most := max(c.Vocab/(1<<12), c.Embedding, c.Filters, len(c.Widths))
	for _, w := range c.Widths {
		most = max(most, w)
	}
	switch {
	case most > recipe.Widest:
		return userr.New(userr.BadInput, "the word CNN has %d words, embedding %d, filters %d and %d widths, "+
			"one of them %d: that is too large", c.Vocab, c.Embedding, c.Filters, len(c.Widths), most)
	case c.Vocab < 1 || c.Embedding < 1 || c.Filters < 1:
		return userr.New(
			userr.BadInput, "the word CNN has %d words, embedding %d and filters %d: each must be 1 or more", c.Vocab,
			c.Embedding, c.Filters,
		)
	case len(c.Widths) == 0 || slices.Min(c.Widths) < 1:
		return userr.New(userr.BadInput, "the word CNN has filters of widths %v: name widths of 1 or more", c.Widths)
	case len(slices.Compact(slices.Sorted(slices.Values(c.Widths)))) < len(c.Widths):
		return userr.New(userr.BadInput, "the word CNN has filters of widths %v: name each width once", c.Widths)
	case !(c.WordDropout >= 0 && c.WordDropout < 1):
		return userr.New(
			userr.BadInput, "the word CNN has word_dropout %v: it must be at least 0 and below 1", c.WordDropout,
		)
	}
	return checkClasses("word CNN", c.Classes)
}

// Numbers returns the number of weights of a model of this shape.
func (c CNNConfig) Numbers() float64 {
	e, filters := float64(c.Embedding), float64(c.Filters)
	n := float64(c.Vocab)*e + float64(c.classes())*(float64(len(c.Widths))*filters+1)
	for _, w := range c.Widths {
		n += filters * (float64(w)*e + 1)
	}
	return n
}

// CNN is the style classifier of Kim 2014, "Convolutional Neural Networks for Sentence
// Classification": embedding -> convolutions of several widths over the words -> ReLU -> maximum
// over positions -> linear. Its classes are the styles. A CNN guides transfer models, and the
// evaluation must not depend on this guide. So the evaluation classifier is another kind of model,
// and a CNN that evaluates is trained on text that the guide never reads.
//
// Zero vectors pad a sentence on both sides, so a filter of width w has n + w - 1 windows over n
// words. Every word is then seen at each place of every filter, a filter can detect where a
// sentence begins and ends, and no sentence is too short for the widest filter. A sentence without
// words is treated as one zero vector.
type CNN struct {
	Config CNNConfig
	Params *nn.Params
	embed  *nn.Embedding
	filter []*nn.Linear // one layer per width; the input is the concatenated vectors of a window
	out    *nn.Linear
}

// NewCNN returns a model with fresh weights from torch's seeded generator. Check must accept its
// shape. Call NewCNN inside torch.Run.
func NewCNN(c CNNConfig) *CNN {
	p := nn.NewParams()
	m := &CNN{Config: c, Params: p, embed: nn.NewEmbedding(p, "embedding", c.Vocab, c.Embedding)}
	for _, w := range c.Widths {
		m.filter = append(m.filter, nn.NewLinear(p, fmt.Sprintf("convolutions.%d", w), w*c.Embedding, c.Filters))
	}
	m.out = nn.NewLinear(p, "out", len(c.Widths)*c.Filters, c.classes())
	return m
}

// Logits maps word ids [B, T] to the logits of the classes [B, C]; T may be 0.
func (m *CNN) Logits(ids *torch.Tensor, train bool) *torch.Tensor {
	return m.out.Forward(m.features(m.embed.Forward(ids)).Dropout(m.Config.Dropout, train))
}

// features maps word vectors [B, T, E] to [B, widths * F], the largest activation of every filter.
// The filters are in the order of Config.Widths.
func (m *CNN) features(words *torch.Tensor) *torch.Tensor {
	widest := int64(slices.Max(m.Config.Widths))
	rows, n := words.Size(0), words.Size(1)
	before, after := widest-1, widest-1
	if n == 0 {
		n, after = 1, after+1
	}
	dim := int64(m.Config.Embedding)
	padded := torch.Cat(1, torch.Zeros(rows, before, dim), words, torch.Zeros(rows, after, dim))
	largest := make([]*torch.Tensor, len(m.filter))
	for i, f := range m.filter {
		w := int64(m.Config.Widths[i])
		windows := sideBySide(padded, widest-w, n+w-1, w)   // [B, n + w - 1, w * E]
		largest[i] = windows.LinearRelu(f.W, f.B, 0).Max(1) // [B, F]
	}
	return torch.Cat(1, largest...)
}

// sideBySide cuts windows from x [B, L, E] and returns them as [B, count, width * E]. Each window
// has width neighbouring vectors. The first window begins at position first, and each next window
// begins one position later.
func sideBySide(x *torch.Tensor, first, count, width int64) *torch.Tensor {
	places := make([]*torch.Tensor, width)
	for k := range places {
		places[k] = x.Narrow(1, first+int64(k), count)
	}
	return torch.Cat(2, places...)
}

// Train minimises mean cross-entropy and keeps the epoch with the lowest dev loss. Word dropout
// replaces words by <unk>, which keeps the length of a sentence (Iyyer et al. 2015 remove the
// words). Without word dropout, the model would rely on a few words, and a search for text that the
// model scores high would simply insert these words.
func (m *CNN) Train(ctx context.Context, train, dev corpus.Encoded, r nn.Recipe) (*nn.History, error) {
	logits := func(in nn.Grid) *torch.Tensor { return m.Logits(m.withUnknown(in).Tensor(), true) }
	return fit(ctx, m.Params, logits, train, r, func() (nn.Validation, error) { return m.Evaluate(ctx, dev) })
}

// withUnknown replaces each word by <unk> with probability WordDropout. The random numbers come
// from the CPU's generator, even on a GPU. Checkpoints hold the generator's state, so a resumed
// training run drops the same words.
func (m *CNN) withUnknown(in nn.Grid) nn.Grid {
	if m.Config.WordDropout == 0 {
		return in
	}
	ids := make([]int64, len(in.IDs))
	for i, u := range torch.Uniform(0, 1, int64(len(ids))).Floats() {
		ids[i] = in.IDs[i]
		if float64(u) < m.Config.WordDropout {
			ids[i] = corpus.UnkID
		}
	}
	return nn.Grid{IDs: ids, Rows: in.Rows}
}

// Evaluate returns mean cross-entropy and accuracy in percent.
func (m *CNN) Evaluate(ctx context.Context, d corpus.Encoded) (nn.Validation, error) {
	var v nn.Validation
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		v.Add(m.Logits(nn.Stack(d.IDs, batch), false), d.Styles, batch)
		return nil
	})
	return v.Mean(len(d.IDs)), err
}

// Predict returns the most likely class of every sentence. In a tie, it returns the first of the
// most likely classes. Call it on the torch thread.
func (m *CNN) Predict(ctx context.Context, ids [][]int64) ([]int, error) {
	probs, err := m.LogProbs(ctx, ids)
	out := make([]int, len(probs))
	for i, row := range probs {
		out[i] = likeliest(row)
	}
	return out, err
}

// LogProbs returns log p(class | words) of every sentence, [N][C]. Sentences may have any length,
// including 0, and do not influence each other. Call it on the torch thread.
//
// The result of a filter is a sum over the places of its window. So LogProbs first computes, for
// each different word, what the word adds to each filter at each place. This table takes some
// kilobytes per word and is always in float32. LogProbs is several times as fast as Logits.
func (m *CNN) LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error) {
	s, err := m.scorer(ids)
	if err != nil {
		return nil, err
	}
	c := m.Config.classes()
	out, flat := make([][]float64, len(ids)), make([]float64, c*len(ids))
	var wait sync.WaitGroup
	threads := torch.Threads()
	for first := range threads {
		wait.Go(func() {
			worker, z := s.withOwnMemory(), make([]float64, c)
			for i := first; i < len(ids) && ctx.Err() == nil; i += threads {
				worker.logits(ids[i], z)
				out[i] = flat[c*i : c*i+c : c*i+c]
				for class := range z {
					out[i][class] = logSoftmax(z, class)
				}
			}
		})
	}
	wait.Wait()
	if ctx.Err() == nil && slices.ContainsFunc(flat, math.IsNaN) {
		return nil, errors.New(wording.NoNumbers("the word CNN's probabilities"))
	}
	return out, ctx.Err()
}

// logSoftmax returns log softmax(z)[class], without overflow.
func logSoftmax(z []float64, class int) float64 { return logSigmoid(logOdds(z, class)) }

// logOdds returns the log-odds of a class, log(p / (1 - p)), where p is softmax(z)[class].
func logOdds(z []float64, class int) float64 {
	top, sum := math.Inf(-1), 0.0
	for c, x := range z {
		if c != class {
			top = max(top, x)
		}
	}
	for c, x := range z {
		if c != class {
			sum += math.Exp(x - top) // the sum is 1 if there is only one other class
		}
	}
	return z[class] - (top + math.Log(sum))
}

// logSigmoid returns log(1 / (1 + exp(-x))) without overflow.
func logSigmoid(x float64) float64 { return min(x, 0) - math.Log1p(math.Exp(-math.Abs(x))) }

// scorer computes the logits of sentences without tensors. It knows only the words for which it was
// made.
type scorer struct {
	filters   int
	widths    []int
	row       map[int64]int // index of a word's row in shares
	shares    []float32     // [words, places of all widths, F]: what each word adds to window sums
	places    int           // sum of the widths; a filter of width w has w places
	biases    [][]float32   // [widths][F]: biases of the filters
	out, bias []float32     // weights [C, widths * F] and biases [C] of the last layer
	// Working memory. sentence holds one row of shares per word. sum and largest have one number
	// per filter of the current width: sum is for one window, and largest is the maximum over all
	// windows.
	sentence     [][]float32
	sum, largest []float32
	zeros        []float32
}

// scorer returns a scorer for the words of these sentences.
func (m *CNN) scorer(ids [][]int64) (*scorer, error) {
	c := m.Config
	s := &scorer{filters: c.Filters, widths: c.Widths, row: map[int64]int{}}
	var words []int64
	for _, sentence := range ids {
		for _, id := range sentence {
			if _, known := s.row[id]; !known {
				s.row[id] = len(words)
				words = append(words, id)
			}
		}
	}
	err := torch.NoGrad(func() error {
		var weights []*torch.Tensor // [w * F, E] for each width w
		for i, w := range c.Widths {
			f := m.filter[i]
			byPlace := f.W.Reshape(int64(c.Filters), int64(w), int64(c.Embedding)).Transpose(0, 1)
			weights = append(weights, byPlace.Reshape(int64(w*c.Filters), int64(c.Embedding)))
			s.biases = append(s.biases, f.B.Floats())
			s.places += w
		}
		if len(words) > 0 {
			vectors := m.embed.Forward(torch.FromInts(words, int64(len(words))))
			s.shares = vectors.Linear(torch.Cat(0, weights...), nil).Floats()
		}
		s.out, s.bias = m.out.W.Floats(), m.out.B.Floats()
		return nil
	})
	return s, err
}

// withOwnMemory returns a copy with its own working memory, for another goroutine.
func (s *scorer) withOwnMemory() *scorer {
	c := *s
	c.sum, c.largest, c.zeros = make([]float32, s.filters), make([]float32, s.filters), make([]float32, s.filters)
	return &c
}

// logits computes the logits of the classes for a sentence and writes them to z.
func (s *scorer) logits(ids []int64, z []float64) {
	s.sentence = s.sentence[:0]
	size := s.places * s.filters
	for _, id := range ids {
		s.sentence = append(s.sentence, s.shares[s.row[id]*size:][:size])
	}
	for c, b := range s.bias {
		z[c] = float64(b)
	}
	width := len(s.out) / len(s.bias)
	first := 0 // index of the first place of the current width
	for i, w := range s.widths {
		s.maximum(first, w)
		first += w
		for f, x := range s.largest {
			x = max(x+s.biases[i][f], 0) // bias and ReLU may come after the maximum, with the same result
			at := i*s.filters + f
			for c := range z {
				z[c] += float64(x) * float64(s.out[c*width+at])
			}
		}
	}
}

// maximum sets s.largest to the largest window sum of every filter of width w. first is the index
// of the first place of width w; the places of all widths are numbered together. The zero vectors
// around a sentence add nothing.
func (s *scorer) maximum(first, w int) {
	n := len(s.sentence)
	if n == 0 {
		clear(s.largest)
		return
	}
	for f := range s.largest {
		s.largest[f] = float32(math.Inf(-1))
	}
	for begin := 1 - w; begin < n; begin++ {
		from, to := max(begin, 0), min(begin+w, n) // the window has every word i with from <= i < to
		sum, last := s.zeros, s.share(to-1, first+to-1-begin)
		for i := from; i < to-1; i++ {
			share := s.share(i, first+i-begin)
			if i == from {
				sum = share
				continue
			}
			add(s.sum, sum, share)
			sum = s.sum
		}
		raise(s.largest, sum, last)
	}
}

// share returns what word i of the sentence adds to each filter at the given place.
func (s *scorer) share(i, place int) []float32 { return s.sentence[i][place*s.filters:][:s.filters] }

// add sets sum to x + y.
func add(sum, x, y []float32) {
	x, y = x[:len(sum)], y[:len(sum)]
	for f := range sum {
		sum[f] = x[f] + y[f]
	}
}

// raise replaces each element of largest by that of x + y if the latter is larger.
func raise(largest, x, y []float32) {
	x, y = x[:len(largest)], y[:len(largest)]
	for f, old := range largest {
		largest[f] = max(old, x[f]+y[f]) // max needs no branch; a branch would be mispredicted half the time
	}
}
