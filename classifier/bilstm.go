// Package classifier holds the style classifiers, which predict a style from words. BiLSTM measures
// TST%, the percentage of outputs in the target style; it never trains, guides, selects or ranks a
// transfer model. FastText, a bag of n-grams, is used to select settings on dev outputs, and the
// result tables show its verdicts too. A CNN guides the search for outputs in guided decoding.
// Another CNN, trained on text that nothing else reads, measures the metric "TST% unseen".
package classifier

import (
	"cmp"
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// BiLSTMConfig is the shape of the evaluation classifier. It is stored with the weights.
type BiLSTMConfig struct {
	Vocab int `json:"vocab"` // words and special tokens
	recipe.BiLSTMShape
	Dropout float64 `json:"dropout"`
	Classes int     `json:"classes,omitempty"` // number of classes; 0 means 2
}

// classes returns Classes, or 2 if it is 0.
func (c BiLSTMConfig) classes() int { return cmp.Or(c.Classes, 2) }

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (c BiLSTMConfig) Check() error {
	return cmp.Or(
		checkClasses("Bi-LSTM", c.Classes), recipe.CheckVocab("Bi-LSTM", c.Vocab, 1), c.BiLSTMShape.Check(),
	)
}

// checkClasses returns an error for an invalid number of classes. 0 is valid and means the default.
func checkClasses(kind string, n int) error {
	if n == 0 || n >= 2 && n <= recipe.Widest {
		return nil
	}
	return userr.New(userr.BadInput, "the %s has %d classes: it must have 2 or more", kind, n)
}

// Numbers returns the number of weights of a model of this shape.
func (c BiLSTMConfig) Numbers() float64 {
	words := float64(c.Vocab) * float64(c.Embedding)
	return words + 2*recipe.LSTMNumbers(c.Embedding, c.Hidden) + float64(c.classes())*(2*float64(c.Hidden)+1)
}

// BiLSTM is embedding -> Bi-LSTM -> last states of both directions -> linear (the paper, "Details
// of Pretrained Classifier").
type BiLSTM struct {
	Config BiLSTMConfig
	Params *nn.Params
	embed  *nn.Embedding
	lstm   *nn.LSTM
	out    *nn.Linear
}

// NewBiLSTM returns a model with fresh weights from torch's seeded generator. Call it inside
// torch.Run.
func NewBiLSTM(c BiLSTMConfig) *BiLSTM {
	p := nn.NewParams()
	return &BiLSTM{
		Config: c, Params: p,
		embed: nn.NewEmbedding(p, "embedding", c.Vocab, c.Embedding),
		lstm:  nn.NewLSTM(p, "lstm", c.Embedding, c.Hidden, true),
		out:   nn.NewLinear(p, "out", 2*c.Hidden, c.classes()),
	}
}

// Logits maps word ids [B, T] to the logits of the classes [B, C].
func (m *BiLSTM) Logits(ids *torch.Tensor, train bool) *torch.Tensor {
	x := m.embed.Forward(ids).Dropout(m.Config.Dropout, train) // [B, T, E]
	last := m.lstm.Last(x)                                     // [B, 2H]
	return m.out.Forward(last.Dropout(m.Config.Dropout, train))
}

// Train minimises mean cross-entropy and keeps the epoch with the lowest dev loss.
func (m *BiLSTM) Train(ctx context.Context, train, dev corpus.Encoded, r nn.Recipe) (*nn.History, error) {
	logits := func(in nn.Grid) *torch.Tensor { return m.Logits(in.Tensor(), true) }
	return fit(ctx, m.Params, logits, train, r, func() (nn.Validation, error) { return m.Evaluate(ctx, dev) })
}

// fit trains a network by mean cross-entropy. The function logits returns the logits [B, C] of a
// batch.
func fit(
	ctx context.Context, p *nn.Params, logits func(nn.Grid) *torch.Tensor, train corpus.Encoded, r nn.Recipe,
	validate func() (nn.Validation, error),
) (*nn.History, error) {
	opt := nn.NewAdam(p, r.Training)
	defer opt.Free()
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(nn.Lengths(train.IDs)),
		Prepare: func(batch []int) nn.Pass {
			in := nn.Gather(train.IDs, batch)
			return r.Pass(func() *torch.Tensor {
				return nn.CrossEntropy(logits(in), train.Styles, batch, torch.ReduceMean)
			})
		},
		Validate: validate,
	})
}

// Evaluate returns mean cross-entropy and accuracy in percent.
func (m *BiLSTM) Evaluate(ctx context.Context, d corpus.Encoded) (nn.Validation, error) {
	var v nn.Validation
	err := m.each(ctx, d.IDs, func(batch []int, logits *torch.Tensor) { v.Add(logits, d.Styles, batch) })
	return v.Mean(len(d.IDs)), err
}

// Predict returns the likeliest class of every sentence. An empty sentence has class 0.
func (m *BiLSTM) Predict(ctx context.Context, ids [][]int64) ([]int, error) {
	out := make([]int, len(ids))
	var rows [][]int64
	var where []int
	for i, r := range ids {
		if len(r) > 0 {
			rows, where = append(rows, r), append(where, i)
		}
	}
	err := m.each(ctx, rows, func(batch []int, logits *torch.Tensor) {
		for k, c := range logits.Argmax(1).Ints() {
			out[where[batch[k]]] = int(c)
		}
	})
	return out, err
}

// The method each computes the logits [N, C] of the rows, batch by batch, and passes them to the
// function fn. The logits are those that the method Logits computes with train = false.
func (m *BiLSTM) each(ctx context.Context, rows [][]int64, fn func(batch []int, logits *torch.Tensor)) error {
	return nn.ForStretches(ctx, rows, nn.StretchTokens, func(from int, stretch [][]int64) error {
		batch := make([]int, len(stretch))
		for k := range batch {
			batch[k] = from + k
		}
		last, err := m.lstm.LastOf(m.embed, stretch)
		if err == nil {
			fn(batch, m.out.Forward(last))
		}
		return err
	})
}
