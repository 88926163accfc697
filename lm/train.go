package lm

import (
	"context"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Train minimises the mean cross-entropy of a batch's tokens, including sentence ends. It keeps the
// epoch with the lowest dev loss, which is also the epoch with the lowest dev perplexity. train and
// dev are the word ids of sentences, at least one each. Recipe.BatchTokens includes sentence ends.
func (m *Model) Train(ctx context.Context, train, dev [][]int64, r nn.Recipe) (*nn.History, error) {
	rows := m.rows(train)
	m.startFromCounts(rows)
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(tokens(train)),
		Prepare: func(batch []int) nn.Pass {
			in := nn.Gather(rows, batch)
			return r.Pass(func() *torch.Tensor { return m.loss(in.Tensor()) })
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev) },
	})
}

// startFromCounts sets the vocabulary layer's bias to the log frequency of each class, with add-one
// smoothing. Otherwise, the model would first have to learn these frequencies, which takes long for
// rare words.
func (m *Model) startFromCounts(rows [][]int64) {
	counts := make([]float64, m.Config.Classes())
	total := float64(len(counts))
	for i := range counts {
		counts[i] = 1
	}
	for _, row := range rows {
		for _, c := range row[1:] {
			counts[c]++
			total++
		}
	}
	bias := make([]float32, len(counts))
	for i, n := range counts {
		bias[i] = float32(math.Log(n / total))
	}
	t := torch.FromFloats(bias, int64(len(bias)))
	m.bias.Set(t)
	t.Free()
}

// Evaluate returns the mean cross-entropy per token, including sentence ends. This is the natural
// logarithm of the perplexity of the text.
func (m *Model) Evaluate(ctx context.Context, ids [][]int64) (nn.Validation, error) {
	s, err := m.Score(ctx, ids)
	return nn.Validation{Loss: s.Loss()}, err
}

// rows returns <bos>, the classes of the words and <eos> of every sentence.
func (m *Model) rows(ids [][]int64) [][]int64 {
	out := make([][]int64, len(ids))
	for i, words := range ids {
		row := make([]int64, 1, len(words)+2)
		row[0] = int64(m.Config.Classes())
		for _, id := range words {
			row = append(row, m.class(id))
		}
		out[i] = append(row, eosClass)
	}
	return out
}

// class returns the class of a word.
func (m *Model) class(id int64) int64 {
	if k := id - int64(m.Config.First); k >= 0 && k < int64(m.Config.Known) {
		return firstWord + k
	}
	return unkClass
}

// split divides rows [B, T+1] into the model's inputs [B, T] and its targets [B*T].
func split(rows *torch.Tensor) (in, target *torch.Tensor) {
	n := rows.Size(1) - 1
	return rows.Narrow(1, 0, n), rows.Narrow(1, 1, n).Reshape(-1)
}

// tokens returns the number of words of every sentence, plus one for its end.
func tokens(ids [][]int64) []int {
	n := nn.Lengths(ids)
	for i := range n {
		n[i]++
	}
	return n
}

// loss returns the mean cross-entropy of rows [B, T+1], with dropout.
func (m *Model) loss(rows *torch.Tensor) *torch.Tensor {
	in, target := split(rows)
	return torch.VocabLoss(m.project.Forward(m.states(in, true)), m.vocab(), m.bias, target, torch.ReduceMean)
}
