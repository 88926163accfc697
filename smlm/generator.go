package smlm

import (
	"context"
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Generator is SMLM-G: the SMLM's encoder and an autoregressive Transformer decoder that writes the
// whole sentence (the paper, "Ablation Studies"; Vaswani et al. 2017, section 3.1).
type Generator struct {
	Config Config
	Params *nn.Params
	enc    *encoder
	layers []*nn.DecoderLayer
	out    *nn.Linear
}

// NewGenerator returns a model with fresh weights from torch's seeded generator. Encoder and
// decoder share the embedding.
func NewGenerator(c Config) *Generator {
	p := nn.NewParams()
	g := &Generator{Config: c, Params: p, enc: newEncoder(p, c)}
	for i := range c.DecoderLayers {
		name := fmt.Sprintf("decoder.layers.%d", i)
		g.layers = append(g.layers, nn.NewDecoderLayer(p, name, c.SMLMShape, c.Dropout))
	}
	g.out = nn.NewLinear(p, "out", c.Dim, c.Vocab)
	return g
}

// decode maps the words so far [B, T] and the encoder's states [B, S, d] to states [B, T, d].
func (g *Generator) decode(ids, memory *torch.Tensor, train bool) *torch.Tensor {
	x := g.enc.withPositions(ids, train)
	for _, l := range g.layers {
		x = l.Forward(x, memory, train)
	}
	return x
}

// The function shifted returns, for a batch of sentences x, the decoder's input <bos> x [B, T+1]
// and the targets x <eos> [B*(T+1)].
func shifted(d corpus.Encoded, batch []int) (in nn.Grid, target []int64) {
	t := len(d.IDs[batch[0]])
	in = nn.Grid{IDs: make([]int64, 0, len(batch)*(t+1)), Rows: len(batch)}
	target = make([]int64, 0, len(batch)*(t+1))
	for _, i := range batch {
		in.IDs = append(append(in.IDs, corpus.BosID), d.IDs[i]...)
		target = append(append(target, d.IDs[i]...), corpus.EosID)
	}
	return in, target
}

// prepare returns a function that computes SMLM-G's L_BS by teacher forcing. L_BS is the mean of
// -log q(x_t|x_<t,x^m,s,s) over the words and sentence ends of a batch.
func (g *Generator) prepare(d corpus.Encoded, batch []int) func(train bool) *torch.Tensor {
	source := g.Config.codes().grid(d, batch, d.Styles)
	in, target := shifted(d, batch)
	return func(train bool) *torch.Tensor {
		states := g.decode(in.Tensor(), g.enc.forward(source.Tensor(), train), train)
		return torch.VocabLoss(
			states.Reshape(-1, int64(g.Config.Dim)), g.out.W, g.out.B, ints(target), torch.ReduceMean,
		)
	}
}

// Train trains encoder and decoder on same-style reconstruction. It keeps the epoch with the lowest
// dev loss.
func (g *Generator) Train(ctx context.Context, train, dev corpus.Encoded, r nn.Recipe) (*nn.History, error) {
	opt := nn.NewAdam(g.Params, r.Training)
	defer opt.Free()
	return r.Train(ctx, nn.Task{
		Optimizers: []*nn.Adam{opt},
		Batches:    r.Shuffled(lengths(train)),
		Prepare: func(batch []int) nn.Pass {
			loss := g.prepare(train, batch)
			return r.Pass(func() *torch.Tensor { return loss(true) })
		},
		Validate: func() (nn.Validation, error) { return g.Evaluate(ctx, dev) },
	})
}

// Evaluate returns the mean loss over words and sentence ends.
func (g *Generator) Evaluate(ctx context.Context, d corpus.Encoded) (nn.Validation, error) {
	var sum, n float64
	err := nn.ForEach(ctx, d.IDs, func(batch []int) error {
		words := float64(len(batch) * (len(d.IDs[batch[0]]) + 1))
		sum += g.prepare(d, batch)(false).Item() * words
		n += words
		return nil
	})
	return nn.Validation{Loss: sum / max(n, 1)}, err
}
