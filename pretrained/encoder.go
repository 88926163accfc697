// Package pretrained builds models from a BERT, which package folder reads. It provides BERT's
// encoder over a vocabulary of words instead of WordPiece pieces, BERT's masked-language head, and
// a Comparer, which computes BERTScore.
package pretrained

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Encoder is BERT's encoder without its embedding of pieces. It adds position vectors to the
// vectors of pieces or words, applies a layer norm, and runs post-norm Transformer layers (Devlin
// et al. 2019). BERT also adds a vector for the segment of the text. Here, all text belongs to the
// first segment, and its vector is already included in the position vectors.
type Encoder struct {
	Layers []*nn.EncoderLayer

	positions *torch.Tensor // [positions, d]
	norm      *nn.LayerNorm
	dropout   float64
}

// NewEncoder adds the parameters of an encoder with fresh weights. Their names begin with
// "encoder.".
func NewEncoder(p *nn.Params, s recipe.SMLMShape, pre recipe.PretrainedShape, dropout float64) *Encoder {
	const std = .02 // standard deviation with which BERT is initialised
	e := &Encoder{dropout: dropout, norm: nn.NewLayerNorm(p, "encoder.norm", s.Dim)}
	e.norm.Eps = pre.Eps
	e.positions = p.Add("encoder.positions", torch.Uniform(-std, std, int64(pre.Positions), int64(s.Dim)))
	for i := range s.Layers {
		e.Layers = append(e.Layers, nn.NewPretrainedLayer(p, layerName(i), s, pre, dropout))
	}
	return e
}

func layerName(i int) string { return fmt.Sprintf("encoder.layers.%d", i) }

// SetDropout changes the dropout probability.
func (e *Encoder) SetDropout(p float64) {
	e.dropout = p
	for _, l := range e.Layers {
		l.Dropout = p
	}
}

// Inputs maps vectors [B, T, d] to the input of the first layer, [B, T, d].
func (e *Encoder) Inputs(vectors *torch.Tensor, train bool) *torch.Tensor {
	t := vectors.Size(1)
	places := make([]int64, t)
	for i := range places {
		places[i] = int64(i)
	}
	return e.norm.Add(vectors, e.positionVectors(places).Reshape(1, t, vectors.Size(2)), 0).Dropout(e.dropout, train)
}

// InputsAt does the same as Inputs, but for single tokens, and without dropout. Row i of vectors
// [N, d] belongs to a token at position places[i].
func (e *Encoder) InputsAt(vectors *torch.Tensor, places []int64) *torch.Tensor {
	return e.norm.Add(vectors, e.positionVectors(places), 0)
}

// positionVectors returns the position vectors of places, [N, d]. Places beyond the last position
// get the vector of the last position.
func (e *Encoder) positionVectors(places []int64) *torch.Tensor {
	rows := make([]int64, len(places))
	for i, place := range places {
		rows[i] = min(place, e.positions.Size(0)-1)
	}
	return e.positions.Rows(torch.FromInts(rows, int64(len(rows))))
}

// Transform is the layer between hidden states and the vocabulary layer in the head of a masked
// language model: norm(GELU(W x + b)).
type Transform struct {
	dense *nn.Linear
	norm  *nn.LayerNorm
}

// NewTransform adds the parameters of the layer. Their names begin with "head.".
func NewTransform(p *nn.Params, dim int, pre recipe.PretrainedShape) *Transform {
	t := &Transform{
		dense: nn.NewLinear(p, "head.dense", dim, dim), norm: nn.NewLayerNorm(p, "head.norm", dim),
	}
	t.norm.Eps = pre.Eps
	return t
}

// Forward maps states [..., d] to [..., d].
func (t *Transform) Forward(states *torch.Tensor) *torch.Tensor {
	return t.norm.Forward(t.dense.GELU(states))
}

// identity makes the dense layer return its input. This serves for a BERT without a head, because
// the hidden states of a BERT are already close to the vectors of their pieces.
func (t *Transform) identity() {
	d := t.dense.W.Size(0)
	eye := make([]float32, d*d)
	for i := range d {
		eye[i*d+i] = 1
	}
	_ = torch.NoGrad(func() error { // cannot fail: the function returns nil
		t.dense.W.Set(torch.FromFloats(eye, d, d))
		t.dense.B.Set(torch.Zeros(d))
		return nil
	})
}
