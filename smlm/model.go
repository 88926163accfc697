// Package smlm holds the three models of the paper: SMLM, a Transformer encoder that fills
// style-masked words; SMLM-FT, an SMLM fine-tuned against a style discriminator; and SMLM-G, which
// has an autoregressive decoder.
package smlm

import (
	"cmp"
	"fmt"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained"
)

// Config is a model's shape. It is stored with the weights.
type Config struct {
	Vocab  int `json:"vocab"`            // number of words and special tokens
	Styles int `json:"styles,omitempty"` // number of styles that have control codes; 0 means 2
	recipe.SMLMShape
	recipe.ControlCodes
	// Pretrained is set if the encoder started from a HuggingFace folder. It holds what that
	// encoder needs besides the shape of its layers.
	Pretrained    *recipe.PretrainedShape `json:"pretrained,omitempty"`
	DecoderLayers int                     `json:"decoder_layers,omitempty"` // used only by SMLM-G
	Dropout       float64                 `json:"dropout"`
}

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (c Config) Check() error {
	if err := corpus.CheckStyles("SMLM", c.Styles); err != nil {
		return err
	}
	if err := recipe.CheckVocab("SMLM", c.Vocab, int(c.firstWord())); err != nil {
		return err
	}
	if c.DecoderLayers < 0 || c.DecoderLayers > recipe.Widest {
		return userr.New(userr.BadInput, "the SMLM has decoder_layers %d: it must be from 0 to %d", c.DecoderLayers,
			recipe.Widest)
	}
	if c.Pretrained != nil {
		if err := c.Pretrained.Check(); err != nil {
			return err
		}
		if c.Pretrained.Embedding != c.Dim {
			return userr.New(userr.BadInput, "the SMLM starts from an encoder with embedding %d: it must be dim, %d",
				c.Pretrained.Embedding, c.Dim)
		}
	}
	return c.SMLMShape.Check()
}

// firstWord is the id of the first word that may be chosen.
func (c Config) firstWord() int64 { return int64(corpus.Specials(cmp.Or(c.Styles, 2))) }

// Numbers returns the number of weights of a model of this shape.
func (c Config) Numbers() float64 {
	encoder, decoder := c.SMLMShape.Numbers()
	layers := float64(c.Layers)*encoder + float64(c.DecoderLayers)*decoder
	vocab, dim := float64(c.Vocab), float64(c.Dim)
	if p := c.Pretrained; p != nil {
		rest := float64(p.Positions)*dim + 2*dim
		if c.DecoderLayers > 0 {
			return vocab*(2*dim+1) + layers + rest
		}
		return vocab*(dim+1) + layers + rest + (dim+3)*dim
	}
	return vocab*(2*dim+1) + layers
}

func (c Config) codes() controlCodes { return controlCodes(c.ControlCodes) }

// encoder applies post-norm Transformer layers (Vaswani et al. 2017) to embedding * sqrt(d) +
// sinusoidal positions. With pretrained set, it is a pretrained encoder instead.
type encoder struct {
	config    Config
	embed     *nn.Embedding
	layers    []*nn.EncoderLayer
	positions nn.Positions

	pretrained *pretrained.Words     // if set, it owns layers and embed
	transform  *pretrained.Transform // set in a pretrained SMLM: applied to states before the vocabulary layer
}

func newEncoder(p *nn.Params, c Config) *encoder {
	e := &encoder{config: c}
	if c.Pretrained != nil {
		e.pretrained = pretrained.NewWords(p, c.Vocab, c.SMLMShape, *c.Pretrained, c.Dropout)
		e.embed, e.layers = e.pretrained.Table, e.pretrained.Layers
		return e
	}
	e.embed = nn.NewEmbedding(p, "embedding", c.Vocab, c.Dim)
	for i := range c.Layers {
		name := fmt.Sprintf("encoder.layers.%d", i)
		e.layers = append(e.layers, nn.NewEncoderLayer(p, name, c.SMLMShape, c.Dropout))
	}
	return e
}

// forward maps ids [B, T] to states [B, T, d].
func (e *encoder) forward(ids *torch.Tensor, train bool) *torch.Tensor {
	x := e.withPositions(ids, train)
	for _, l := range e.layers {
		x = l.Forward(x, train)
	}
	return x
}

// withPositions maps ids [B, T] to vectors with positions [B, T, d].
func (e *encoder) withPositions(ids *torch.Tensor, train bool) *torch.Tensor {
	vectors := e.embed.Forward(ids)
	if e.pretrained != nil {
		return e.pretrained.Inputs(vectors, train)
	}
	d := e.config.Dim
	positions := e.positions.Table(int(vectors.Size(1)), d)
	return vectors.Scale(math.Sqrt(float64(d))).Add(positions).Dropout(e.config.Dropout, train)
}

// rows returns the inputs of the vocabulary layer (see vocabInputs) for some positions of ids [B,
// T]. The argument rows gives the positions as row numbers of the states [B*T, d]. The last layer
// computes only these rows.
func (e *encoder) rows(ids *torch.Tensor, rows []int64, train bool) *torch.Tensor {
	x, last := e.withPositions(ids, train), len(e.layers)-1
	if last < 0 {
		return e.vocabInputs(x.Reshape(-1, int64(e.config.Dim)).Rows(ints(rows)))
	}
	for _, l := range e.layers[:last] {
		x = l.Forward(x, train)
	}
	return e.vocabInputs(e.layers[last].ForwardRows(x, ints(rows), train))
}

// spans is like the method rows, but the sentences may differ in length. Rows are numbered over the
// tokens of all sentences, in order. The argument layers holds this encoder's layers.
func (e *encoder) spans(layers *nn.SpanEncoder, sentences [][]int64, rows []int64) *torch.Tensor {
	type token struct{ id, place int64 }
	seen := map[token]int64{}
	// tokens and places list each distinct pair of a token and its place in a sentence once. pairs
	// has the index of this pair for each token of all sentences.
	var tokens, places, pairs []int64
	var s torch.Spans
	longest := 0
	for _, ids := range sentences {
		start := int32(len(pairs))
		for k, id := range ids {
			t := token{id, int64(k)}
			pair, known := seen[t]
			if !known {
				pair = int64(len(tokens))
				seen[t] = pair
				tokens, places = append(tokens, t.id), append(places, t.place)
			}
			pairs = append(pairs, pair)
			s.Start, s.Length = append(s.Start, start), append(s.Length, int32(len(ids)))
		}
		longest = max(longest, len(ids))
	}
	s.Start, s.Length = roundedUp(s.Start), roundedUp(s.Length)
	var table *torch.Tensor
	if e.pretrained == nil {
		table = e.positions.Table(longest, e.config.Dim).Reshape(int64(longest), -1)
	}
	vectors := e.inputsAt(roundedUp(tokens), roundedUp(places), table)
	return e.vocabInputs(layers.Forward(vectors, roundedUp(pairs), s, rows))
}

// inputsAt maps tokens and their places in sentences to inputs of the first layer [N, d], one row
// per token. table has the encodings of positions; a pretrained encoder ignores it.
func (e *encoder) inputsAt(tokens, places []int64, table *torch.Tensor) *torch.Tensor {
	x := e.embed.Forward(ints(tokens))
	if e.pretrained != nil {
		return e.pretrained.InputsAt(x, places)
	}
	return x.Scale(math.Sqrt(float64(e.config.Dim))).Add(table.Rows(ints(places)))
}

// vocabInputs maps states [..., d] to the inputs of the vocabulary layer: the states themselves, or
// the output of transform if there is one.
func (e *encoder) vocabInputs(states *torch.Tensor) *torch.Tensor {
	if e.transform == nil {
		return states
	}
	return e.transform.Forward(states)
}

// Model is the SMLM: the encoder and a linear layer that maps states to words. The layer has its
// own weights or, with a pretrained encoder, those of the embedding. A pretrained encoder also
// applies its transform to the states first.
type Model struct {
	Config Config
	Params *nn.Params
	enc    *encoder
	out    *nn.Linear
}

// New returns a model with fresh weights from torch's seeded generator. Call New on the torch
// thread, inside a scope of torch.Run or torch.Scoped.
func New(c Config) *Model {
	p := nn.NewParams()
	m := &Model{Config: c, Params: p, enc: newEncoder(p, c)}
	if c.Pretrained != nil {
		m.enc.transform = pretrained.NewTransform(p, c.Dim, *c.Pretrained)
		m.out = &nn.Linear{W: m.enc.embed.W, B: p.Add("out.bias", torch.Zeros(int64(c.Vocab)))}
	} else {
		m.out = nn.NewLinear(p, "out", c.Dim, c.Vocab)
	}
	return m
}

// States maps words with control codes to the inputs of the vocabulary layer for the n words [B, n,
// d]. In the paper, the words with codes are concat(x^m, [src], [dst]) [B, n+2].
func (m *Model) States(ids *torch.Tensor, train bool) *torch.Tensor {
	return m.enc.vocabInputs(m.Config.codes().words(m.enc.forward(ids, train)))
}

// SetDropout changes the dropout probability, so that fine-tuning can use a different value from
// training.
func (m *Model) SetDropout(p float64) {
	m.Config.Dropout = p
	m.enc.config.Dropout = p
	if m.enc.pretrained != nil {
		m.enc.pretrained.SetDropout(p)
	}
	for _, l := range m.enc.layers {
		l.Dropout = p
	}
}
