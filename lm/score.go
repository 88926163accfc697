package lm

import (
	"context"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Scores holds the results of the model on a text, one entry per sentence.
type Scores struct {
	LogProb []float64 // natural logarithm of the probability of the sentence, including its end
	Tokens  []int     // number of tokens in LogProb: the words and the end
	Unknown []int     // number of words scored as <unk>
}

// Loss returns the mean of -log p over tokens, or 0 if there are no sentences.
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

// Score returns the log-probabilities of sentences given as word ids. A sentence's log-probability
// does not depend on the other sentences. An empty sentence has the log-probability of ending at
// once.
func (m *Model) Score(ctx context.Context, ids [][]int64) (Scores, error) {
	return m.score(ctx, ids, nn.StretchTokens)
}

// score does the same as Score, but computes at most atOnce tokens at a time.
func (m *Model) score(ctx context.Context, ids [][]int64, atOnce int) (Scores, error) {
	s := Scores{LogProb: make([]float64, len(ids)), Tokens: tokens(ids), Unknown: make([]int, len(ids))}
	rows := m.rows(ids)
	for i, row := range rows {
		for _, c := range row {
			if c == unkClass {
				s.Unknown[i]++
			}
		}
	}
	err := nn.ForStretches(ctx, rows, atOnce, func(from int, stretch [][]int64) error {
		logProbs, err := m.logProbs(stretch)
		copy(s.LogProb[from:], logProbs)
		return err
	})
	return s, err
}

// rowsAtOnce is roughly the number of rows in a product with the vocabulary layer's weights. The
// weights are packed for this number (see torch.Packing).
const rowsAtOnce = 256

// logProbs returns the log-probability of every row after its <bos>. A beginning that several rows
// share is computed only once.
func (m *Model) logProbs(rows [][]int64) ([]float64, error) {
	p := nn.NewPrefixes(rows, false)
	vocab := torch.Pack(m.vocab(), m.bias, torch.Packing{Rows: rowsAtOnce})
	var ends []float64          // log-probabilities of whole rows, in the order in which rows end
	var inputs *torch.Tensor    // inputs of the vocabulary layer after the previous level's prefixes
	var parentLogProb []float64 // log-probabilities of the previous level's prefixes
	err := p.Run(m.embed, m.lstm.Weights, false, func(l nn.Level, states *torch.Tensor) {
		logProb := make([]float64, len(l.Words))
		if inputs != nil {
			next := inputs.Rows(torch.FromInts(l.Parents, int64(len(l.Parents))))
			want := make([]int64, len(l.Words))
			for i, word := range l.Words {
				want[i] = p.Words[word]
			}
			for i, likeliest := range vocab.Likeliest(next, want, 0, 0, 1, true) {
				logProb[i] = parentLogProb[l.Parents[i]] + float64(likeliest[2])
			}
			inputs.Free()
		}
		for _, end := range l.Ends {
			ends = append(ends, logProb[end])
		}
		parentLogProb = logProb
		if states != nil {
			inputs = m.project.Forward(states).Keep()
		}
	})
	out := make([]float64, len(rows))
	if err == nil {
		for i, end := range p.Ends {
			out[i] = ends[end]
		}
	}
	return out, err
}
