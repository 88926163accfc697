package lm

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Scores are a text's, one entry a sentence.
type Scores struct {
	LogProb []float64 // natural logarithm of the sentence's probability, its end included
	Tokens  []int     // what LogProb sums over: the words and the end
	Unknown []int     // words that were scored as <unk>
}

// Loss returns the mean of -log p a token, 0 of no sentence.
func (s Scores) Loss() float64 {
	sum, n := 0.0, 0
	for i, l := range s.LogProb {
		sum += l
		n += s.Tokens[i]
	}
	if n == 0 {
		return 0
	}
	return -sum / float64(n)
}

// Perplexity returns that of the whole text, exp(Loss): the mean is over tokens, so that a long
// sentence counts more. It is 1 of no sentence.
func (s Scores) Perplexity() float64 { return math.Exp(s.Loss()) }

// Sentences returns the perplexity of each.
func (s Scores) Sentences() []float64 {
	out := make([]float64, len(s.LogProb))
	for i, l := range s.LogProb {
		out[i] = math.Exp(-l / float64(s.Tokens[i]))
	}
	return out
}

// UnknownShare returns the share of the words, ends not counted, that were scored as <unk>: 0-1, 0
// of no words.
func (s Scores) UnknownShare() float64 {
	unknown, words := 0, 0
	for i, n := range s.Unknown {
		unknown += n
		words += s.Tokens[i] - 1
	}
	return float64(unknown) / float64(max(1, words))
}

// logitsAtOnce bounds a piece of the vocabulary layer in numbers, so that memory does not grow with
// the vocabulary: 32 MB.
const logitsAtOnce = 8 << 20

// Score returns the log-probabilities of sentences given as word ids. A sentence's is the same
// whatever stands beside it; one without words has that of ending at once.
func (m *Model) Score(ctx context.Context, ids [][]int64) (Scores, error) {
	return m.score(ctx, ids, int64(max(1, logitsAtOnce/m.Config.Classes())))
}

// score gives the vocabulary layer atOnce tokens at a time.
func (m *Model) score(ctx context.Context, ids [][]int64, atOnce int64) (Scores, error) {
	s := Scores{LogProb: make([]float64, len(ids)), Tokens: tokens(ids), Unknown: make([]int, len(ids))}
	rows := m.rows(ids)
	for i, row := range rows {
		for _, c := range row {
			if c == unkClass {
				s.Unknown[i]++
			}
		}
	}
	err := nn.ForEach(ctx, rows, func(batch []int) error {
		in, target := split(nn.Stack(rows, batch))
		states := m.states(in, false)
		per := int(in.Size(1))
		n := states.Size(0)
		for from := int64(0); from < n; from += atOnce {
			err := torch.Scoped(func() error {
				some := min(atOnce, n-from)
				losses := torch.CrossEntropy(
					m.logits(states.Narrow(0, from, some)), target.Narrow(0, from, some), torch.ReduceNone,
				)
				for k, l := range losses.Floats() {
					s.LogProb[batch[(int(from)+k)/per]] -= float64(l)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}
