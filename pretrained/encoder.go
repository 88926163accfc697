// Package pretrained makes models of what package folder reads: the layers of a pretrained encoder,
// its masked-language head, and what is measured with them.
package pretrained

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Encoder is a pretrained encoder behind its table of pieces: the vectors of pieces, or of words,
// get those of their positions, a layer norm, and go through post-norm Transformer layers (Devlin
// et al. 2019). All text is of the first segment, whose vector is part of those of the positions.
type Encoder struct {
	Layers []*nn.EncoderLayer

	shape     recipe.PretrainedShape
	positions *torch.Tensor // [FirstPosition + Positions, embedding]
	norm      *nn.LayerNorm
	project   *nn.Linear // from the width of an embedding to that of a state; nil where they are one
	dropout   float64
}

// NewEncoder adds the parameters of an encoder, with fresh weights. Their names begin with prefix.
func NewEncoder(p *nn.Params, prefix string, s recipe.SMLMShape, pre recipe.PretrainedShape, dropout float64) *Encoder {
	const std = .02 // as BERT is initialised
	rows := int64(pre.FirstPosition + pre.Positions)
	e := &Encoder{shape: pre, dropout: dropout, norm: nn.NewLayerNorm(p, prefix+"norm", pre.Embedding)}
	e.norm.Eps = pre.Eps
	e.positions = p.Add(prefix+"positions", torch.Uniform(-std, std, rows, int64(pre.Embedding)))
	if pre.Embedding != s.Dim {
		e.project = nn.NewLinear(p, prefix+"project", pre.Embedding, s.Dim)
	}
	for i := range s.Layers {
		e.Layers = append(e.Layers, nn.NewPretrainedLayer(p, layerName(prefix, i), s, pre, dropout))
	}
	return e
}

func layerName(prefix string, i int) string { return fmt.Sprintf("%slayers.%d", prefix, i) }

// Slow gives each layer decay times the learning rate of the layer above it, and the uppermost
// decay times that of the rest, in the parameters that the encoder was added to with prefix. What
// comes before the layers learns as slowly as a layer below them would. 0 changes nothing.
func (e *Encoder) Slow(p *nn.Params, prefix string, decay float64) {
	if decay == 0 {
		return
	}
	share := 1.
	for i := len(e.Layers) - 1; i >= 0; i-- {
		share *= decay
		p.Slow(layerName(prefix, i)+".", share)
	}
	for _, name := range []string{"norm", "positions", "project"} {
		p.Slow(prefix+name, share*decay)
	}
}

// SetDropout changes the probability used in training.
func (e *Encoder) SetDropout(p float64) {
	e.dropout = p
	for _, l := range e.Layers {
		l.Dropout = p
	}
}

// Inputs maps vectors [B, T, embedding] to what the first layer reads, [B, T, d].
func (e *Encoder) Inputs(vectors *torch.Tensor, train bool) *torch.Tensor {
	t := vectors.Size(1)
	places := make([]int64, t)
	for i := range places {
		places[i] = int64(i)
	}
	return e.projected(e.norm.Add(vectors, e.at(places).Reshape(1, t, vectors.Size(2)), 0).Dropout(e.dropout, train))
}

// InputsAt maps vectors [N, embedding] of tokens at any places of sentences to [N, d].
func (e *Encoder) InputsAt(vectors *torch.Tensor, places []int64) *torch.Tensor {
	return e.projected(e.norm.Add(vectors, e.at(places), 0))
}

func (e *Encoder) projected(x *torch.Tensor) *torch.Tensor {
	if e.project == nil {
		return x
	}
	return e.project.Forward(x)
}

// at returns the vectors of places, [N, embedding]. Those behind the last are as the last.
func (e *Encoder) at(places []int64) *torch.Tensor {
	rows := make([]int64, len(places))
	for i, place := range places {
		rows[i] = int64(e.shape.FirstPosition) + min(place, int64(e.shape.Positions)-1)
	}
	return e.positions.Rows(torch.FromInts(rows, int64(len(rows))))
}

// States maps vectors [B, T, embedding] to the states behind so many layers, [B, T, d]; 0 are the
// inputs of the first.
func (e *Encoder) States(vectors *torch.Tensor, layers int, train bool) *torch.Tensor {
	x := e.Inputs(vectors, train)
	for _, l := range e.Layers[:layers] {
		x = l.Forward(x, train)
	}
	return x
}

// Transform is the layer between a state and the table of pieces in the head of a masked language
// model: norm(activation(W x + b)).
type Transform struct {
	dense      *nn.Linear
	norm       *nn.LayerNorm
	activation recipe.Activation
}

// NewTransform adds the layer, from states to the width of an embedding.
func NewTransform(p *nn.Params, prefix string, dim int, pre recipe.PretrainedShape) *Transform {
	t := &Transform{
		dense: nn.NewLinear(p, prefix+"dense", dim, pre.Embedding), norm: nn.NewLayerNorm(p, prefix+"norm", pre.Embedding),
		activation: pre.Activation,
	}
	t.norm.Eps = pre.Eps
	return t
}

// Forward maps states [..., d] to [..., embedding].
func (t *Transform) Forward(states *torch.Tensor) *torch.Tensor {
	return t.norm.Forward(t.dense.Activated(states, t.activation))
}

// Identity makes the dense layer let states through, as far as their width is that of an embedding:
// for a head that has to be learnt, of an encoder whose states are near its pieces already.
func (t *Transform) Identity() {
	in, out := t.dense.W.Size(1), t.dense.W.Size(0)
	eye := make([]float32, in*out)
	for i := range min(in, out) {
		eye[i*in+i] = 1
	}
	_ = torch.NoGrad(func() error { // it returns what the function does
		t.dense.W.Set(torch.FromFloats(eye, out, in))
		t.dense.B.Set(torch.Zeros(out))
		return nil
	})
}
