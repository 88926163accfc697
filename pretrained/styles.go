package pretrained

import (
	"cmp"
	"context"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// StylesConfig is the shape of a Styles, as it is stored beside the weights.
type StylesConfig struct {
	WordsConfig
	Classes int  `json:"classes,omitempty"` // that it tells apart; 0 is 2
	Mixed   bool `json:"mixed,omitempty"`   // the last of them is that of mixed texts
}

// Check returns an error for the user where there can be no model of this shape.
func (c StylesConfig) Check() error {
	if c.Classes < 0 || c.Classes == 1 || c.Classes > mostClasses || c.Mixed && c.Classes < 3 {
		return userr.New(userr.BadInput, "the classifier of an encoder has %d classes: it must have from 2 to "+
			"%d, or from 3 if one is for mixed texts", c.classes(), mostClasses)
	}
	return c.WordsConfig.Check()
}

const mostClasses = 1 << 10

// Numbers counts the weights of a model of this shape.
func (c StylesConfig) Numbers() float64 {
	return c.WordsConfig.Numbers() + float64(c.classes())*float64(c.Dim+1)
}

func (c StylesConfig) classes() int { return cmp.Or(c.Classes, 2) }

// Styles tells the styles of sentences apart: a pretrained encoder over words -> the mean of its
// states -> linear. Its classes are the styles, or the styles and mixed texts. Of a sentence it
// reads as many words as the encoder has positions for. No sentence has a part in what it says
// of another.
type Styles struct {
	Config StylesConfig
	Params *nn.Params

	words *Words
	out   *nn.Linear
}

// NewStyles returns a model with fresh weights from torch's seeded generator; the shape is one
// that Check accepts. Call it on the torch thread, in a scope.
func NewStyles(c StylesConfig) *Styles {
	p := nn.NewParams()
	return &Styles{Config: c, Params: p, words: c.newWords(p), out: nn.NewLinear(p, "out", c.Dim, c.classes())}
}

// Load takes the weights of a folder's encoder. Lower layers learn as Words.Slow has it.
func (m *Styles) Load(f *folder.Folder, v *corpus.Vocab, labels corpus.Styles, layerDecay float64) error {
	m.words.Slow(m.Params, layerDecay)
	_, err := m.words.Load(f, v, labels)
	return err
}

// logits maps the rows of some sentences of one length to the logits of their classes [B, C].
func (m *Styles) logits(in nn.Grid, train bool) *torch.Tensor {
	states := m.words.States(m.words.Table.Forward(in.Tensor()), len(m.words.Layers), train)
	return m.out.Forward(states.MeanDim(1, false).Dropout(m.Config.Dropout, train))
}

// Vectors returns the table of word vectors [vocab, embedding].
func (m *Styles) Vectors() *torch.Tensor { return m.words.Table.W }

// OfVectors maps word vectors [B, T, embedding] to the logits of the classes [B, C], without
// dropout, as logits does of the words themselves. A gradient with respect to the vectors goes
// through it.
func (m *Styles) OfVectors(words *torch.Tensor) *torch.Tensor {
	b, t := words.Size(0), min(words.Size(1), int64(m.Config.most()))
	end := func(id int64) *torch.Tensor {
		return m.words.Table.Forward(ints(slices.Repeat([]int64{id}, int(b))).Reshape(b, 1))
	}
	all := torch.Cat(1, end(corpus.BosID), words.Narrow(1, 0, t), end(corpus.EosID))
	return m.out.Forward(m.words.States(all, len(m.words.Layers), false).MeanDim(1, false))
}

// rows returns what the encoder reads of each sentence.
func (m *Styles) rows(ids [][]int64) [][]int64 {
	rows := make([][]int64, len(ids))
	for i, sentence := range ids {
		rows[i] = m.Config.row(sentence)
	}
	return rows
}

// Train fits the model by mean cross-entropy; the epoch of the lowest dev loss is kept.
func (m *Styles) Train(ctx context.Context, train, dev corpus.Encoded, r nn.Recipe) (*nn.History, error) {
	opt := nn.NewAdam(m.Params, r.Training)
	defer opt.Free()
	rows := m.rows(train.IDs)
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(nn.Lengths(rows)),
		Prepare: func(batch []int) nn.Pass {
			in := nn.Gather(rows, batch)
			return r.Pass(func() *torch.Tensor {
				return nn.CrossEntropy(m.logits(in, true), train.Styles, batch, torch.ReduceMean)
			})
		},
		Validate: func() (nn.Validation, error) { return m.Evaluate(ctx, dev) },
	})
}

// Evaluate returns mean cross-entropy and accuracy in percent.
func (m *Styles) Evaluate(ctx context.Context, d corpus.Encoded) (nn.Validation, error) {
	var v nn.Validation
	rows := m.rows(d.IDs)
	err := nn.ForEach(ctx, rows, func(batch []int) error {
		v.Add(m.logits(nn.Gather(rows, batch), false), d.Styles, batch)
		return nil
	})
	return v.Mean(len(d.IDs)), err
}

// LogProbs returns log p(class | words) of every sentence, [N][C], whatever its length, 0
// included. Sentences that are the same are read once. Call it on the torch thread.
func (m *Styles) LogProbs(ctx context.Context, ids [][]int64) ([][]float64, error) {
	rows, of := different(m.rows(ids))
	each := make([][]float64, len(rows))
	for _, batch := range nn.Sorted(nn.Lengths(rows), tokensAtOnce) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := torch.NoGrad(func() error {
			flat := m.logits(nn.Gather(rows, batch), false).LogSoftmax(1).Floats()
			c := len(flat) / len(batch)
			for k, i := range batch {
				for _, x := range flat[k*c : (k+1)*c] {
					each[i] = append(each[i], float64(x))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([][]float64, len(ids))
	for i := range out {
		out[i] = slices.Clone(each[of[i]])
	}
	return out, nil
}

// different returns the different ones of some rows, and for each row which of them it is.
func different(rows [][]int64) (some [][]int64, of []int) {
	seen := map[string]int{}
	of = make([]int, len(rows))
	var key []byte
	for i, row := range rows {
		key = key[:0]
		for _, id := range row {
			key = append(key, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
		}
		at, known := seen[string(key)]
		if !known {
			at = len(some)
			seen[string(key)], some = at, append(some, row)
		}
		of[i] = at
	}
	return some, of
}

// Predict returns the likeliest class of every sentence, the first of equally likely ones. Call
// it on the torch thread.
func (m *Styles) Predict(ctx context.Context, ids [][]int64) ([]int, error) {
	probs, err := m.LogProbs(ctx, ids)
	out := make([]int, len(probs))
	for i, of := range probs {
		for class, p := range of {
			if p > of[out[i]] {
				out[i] = class
			}
		}
	}
	return out, err
}
