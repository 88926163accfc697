package classifier

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// LogProbs returns log p(style | words) of every sentence [N][2], whatever its length, 0 included;
// no sentence has a part in another's. Call it on the torch thread.
//
// A convolution is a sum over the places of its window, so that what a word adds to each filter at
// each place is worked out once for all sentences, which share most of their words: a table of some
// kilobytes a word, and several times as fast as Logits. It is in float32 always.
func (m *CNN) LogProbs(ctx context.Context, ids [][]int64) ([][2]float64, error) {
	s, err := m.scorer(ids)
	if err != nil {
		return nil, err
	}
	out := make([][2]float64, len(ids))
	for i, row := range ids {
		if i%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		logits := s.logits(row)
		odds := logits[1] - logits[0]
		out[i] = [2]float64{logSigmoid(-odds), logSigmoid(odds)}
	}
	return out, nil
}

// logSigmoid returns log(1 / (1 + exp(-x))) without overflow.
func logSigmoid(x float64) float64 { return min(x, 0) - math.Log1p(math.Exp(-math.Abs(x))) }

// scorer makes logits of sentences of some words, without tensors.
type scorer struct {
	filters   int
	widths    []int
	row       map[int64]int // of a word in shares
	shares    []float32     // [words, places of all widths, F]: a word's part in the sums of windows
	places    int           // of all widths together
	biases    [][]float32   // of the filters of each width
	out, bias []float32     // [2, widths * F], [2]
	// of one sentence: its words' rows of shares; of one width: the sum of a window, the largest of
	// all windows
	sentence     [][]float32
	sum, largest []float32
	zeros        []float32
}

// scorer returns one for the words of these sentences.
func (m *CNN) scorer(ids [][]int64) (*scorer, error) {
	c := m.Config
	s := &scorer{
		filters: c.Filters, widths: c.Widths, row: map[int64]int{},
		sum: make([]float32, c.Filters), largest: make([]float32, c.Filters), zeros: make([]float32, c.Filters),
	}
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
		var weights []*torch.Tensor // [w * F, E] of each width
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

// logits returns the style logits of a sentence.
func (s *scorer) logits(ids []int64) [2]float64 {
	s.sentence = s.sentence[:0]
	size := s.places * s.filters
	for _, id := range ids {
		s.sentence = append(s.sentence, s.shares[s.row[id]*size:][:size])
	}
	z := [2]float64{float64(s.bias[0]), float64(s.bias[1])}
	first := 0 // place of a width among those of all
	for i, w := range s.widths {
		s.maximum(first, w)
		first += w
		for f, x := range s.largest {
			x = max(x+s.biases[i][f], 0) // the bias is that of every window, and ReLU keeps their order
			at := i*s.filters + f
			z[0] += float64(x) * float64(s.out[at])
			z[1] += float64(x) * float64(s.out[len(s.out)/2+at])
		}
	}
	return z
}

// maximum puts the largest sum of every filter of width w, whose places begin at first, over all
// windows of the sentence into s.largest. Zero vectors around the words add nothing.
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
		from, to := max(begin, 0), min(begin+w, n) // the words in the window
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

// share returns what word i adds to each filter at a place.
func (s *scorer) share(i, place int) []float32 { return s.sentence[i][place*s.filters:][:s.filters] }

// add sets sum to x + y.
func add(sum, x, y []float32) {
	x, y = x[:len(sum)], y[:len(sum)]
	for f := range sum {
		sum[f] = x[f] + y[f]
	}
}

// raise sets largest to x + y where that is larger.
func raise(largest, x, y []float32) {
	x, y = x[:len(largest)], y[:len(largest)]
	for f, old := range largest {
		largest[f] = max(old, x[f]+y[f]) // without a branch, which would be mispredicted half the time
	}
}
