package classifier

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// CNNConfig is the shape of a CNN, as it is stored beside the weights.
type CNNConfig struct {
	Vocab int `json:"vocab"` // words and special tokens
	recipe.CNNShape
	Dropout float64 `json:"dropout"` // of a sentence's features
}

// Check returns an error for the user where there can be no model of this shape.
func (c CNNConfig) Check() error {
	switch {
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
	return nil
}

// CNN is the style classifier of Kim 2014, "Convolutional Neural Networks for Sentence
// Classification": embedding -> convolutions of several widths over the words -> ReLU -> maximum
// over positions -> linear. It is there to guide transfer models. The evaluation classifier is
// another model, of another kind, so that what judges was never what guided.
//
// A sentence stands between zero vectors, as many on either side as a filter has words but one: a
// filter of width w has n + w - 1 windows over n words. Every word is then seen at each place of
// every filter, the first and the last as much as the others, a filter can tell where a sentence
// begins and ends, and no sentence is too short for the widest. A sentence of no words is one zero
// vector.
type CNN struct {
	Config CNNConfig
	Params *nn.Params
	embed  *nn.Embedding
	filter []*nn.Linear // of each of Config.Widths, over the vectors of a window side by side
	out    *nn.Linear
}

// NewCNN returns a model with fresh weights from torch's seeded generator; the shape is one that
// Check accepts. Call it on the torch thread, in a scope.
func NewCNN(c CNNConfig) *CNN {
	p := nn.NewParams()
	m := &CNN{Config: c, Params: p, embed: nn.NewEmbedding(p, "embedding", c.Vocab, c.Embedding)}
	for _, w := range c.Widths {
		m.filter = append(m.filter, nn.NewLinear(p, fmt.Sprintf("convolutions.%d", w), w*c.Embedding, c.Filters))
	}
	m.out = nn.NewLinear(p, "out", len(c.Widths)*c.Filters, 2)
	return m
}

// Logits maps word ids [B, T] to style logits [B, 2]; T may be 0.
func (m *CNN) Logits(ids *torch.Tensor, train bool) *torch.Tensor {
	return m.out.Forward(m.features(m.embed.Forward(ids)).Dropout(m.Config.Dropout, train))
}

// Vectors returns the table of word vectors [V, E].
func (m *CNN) Vectors() *torch.Tensor { return m.embed.W }

// OfVectors maps word vectors [B, T, E] to style logits [B, 2], without dropout. A gradient with
// respect to the vectors goes through it.
func (m *CNN) OfVectors(words *torch.Tensor) *torch.Tensor { return m.out.Forward(m.features(words)) }

// features maps word vectors [B, T, E] to the largest activation of every filter, width by width
// [B, widths * F].
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

// sideBySide returns count windows of x [B, L, E] from the position first on, each of width
// vectors: [B, count, width * E].
func sideBySide(x *torch.Tensor, first, count, width int64) *torch.Tensor {
	places := make([]*torch.Tensor, width)
	for k := range places {
		places[k] = x.Narrow(1, first+int64(k), count)
	}
	return torch.Cat(2, places...)
}
