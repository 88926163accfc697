package main

import (
	"math"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/smlm"
)

// product is one matrix product of a model's forward pass, [M, K] times [K, N], of which training
// makes three: itself, the gradient of its input [M, N] [N, K], and that of its weight [N, M] [M,
// K]. Each has 2 M K N floating-point operations.
type product struct {
	What    string `json:"what"`
	M       int    `json:"m"`
	K       int    `json:"k"`
	N       int    `json:"n"`
	Times   int    `json:"times"`             // how often a forward pass makes it
	Batched bool   `json:"batched,omitempty"` // a product of two activations, as attention's
	Of      kinds  `json:"of,omitempty"`
}

// kinds are which of the three a training makes.
type kinds int

const (
	allThree    kinds = iota
	cutInput          // the input wants no gradient
	forwardOnly       // nothing does
)

// Count returns how many of forward pass, gradient of the input and gradient of the weights are
// made.
func (k kinds) Count() int { return 3 - int(k) }

// flops counts the operations of a training step.
func flops(products []product) float64 {
	sum := 0.0
	for _, p := range products {
		sum += float64(p.Of.Count()) * 2 * float64(p.M) * float64(p.K) * float64(p.N) * float64(p.Times)
	}
	return sum
}

// stepProducts lists the products of a training step on b sentences of n words, by the models'
// equations: embeddings are looked up, not multiplied, and what is elementwise (conicity,
// attention's weighted mean of LSTM states) is no product. Our side makes less of SMLM's last
// layer, of whose n+2 positions n are predicted, and no third pass of fine-tuning.
func stepProducts(c benchCase, b, n int, plain bool) []product {
	s, l, k := c.SMLM, c.DivLSTM, c.Classifier
	switch c.Model {
	case "divlstm":
		return append(lstmProducts(l.Embedding, l.Hidden, b, n),
			product{What: "attention", M: b * n, K: 2 * l.Hidden, N: l.Attention, Times: 1},
			product{What: "query", M: b * n, K: l.Attention, N: 1, Times: 1},
			product{What: "out", M: b, K: 2 * l.Hidden, N: 2, Times: 1})
	case "classifier":
		return append(lstmProducts(k.Embedding, k.Hidden, b, n),
			product{What: "out", M: b, K: 2 * k.Hidden, N: 2, Times: 1})
	case "smlm-g":
		all := encoderProducts(s, b, n+2, b*(n+2))
		all = append(all, decoderProducts(s, b, n+1, n+2)...)
		return append(all, product{What: "words", M: b * (n + 1), K: s.Dim, N: c.Vocab, Times: 1})
	// both directions, words for one of them; the head judges transfers, and learns from
	// reconstructions
	case "smlm-ft":
		all := append(encoderProducts(s, 2*b, n+2, 2*b*(n+2)),
			product{What: "words", M: b * n, K: s.Dim, N: c.Vocab, Times: 1},
			product{What: "head", M: b, K: s.Dim, N: 2, Times: 1},
			product{What: "head", M: b, K: s.Dim, N: 2, Times: 1, Of: cutInput})
		if plain { // the sentences once more, after the update, for the head
			for _, p := range encoderProducts(s, b, n+2, b*(n+2)) {
				p.Of = forwardOnly
				all = append(all, p)
			}
		}
		return all
	default:
		last := b * n
		if plain {
			last = b * (n + 2)
		}
		return append(
			encoderProducts(s, b, n+2, last), product{What: "words", M: b * n, K: s.Dim, N: c.Vocab, Times: 1},
		)
	}
}

// encoderProducts are those of the encoder's layers on b inputs of t positions, of which the last
// layer's attention is followed up for so many.
func encoderProducts(s smlm.Config, b, t, last int) []product {
	var all []product
	for _, behind := range []struct{ rows, layers int }{{b * t, s.Layers - 1}, {last, 1}} {
		all = append(all,
			product{What: "attention out", M: behind.rows, K: s.Dim, N: s.Dim, Times: behind.layers},
			product{What: "feed-forward in", M: behind.rows, K: s.Dim, N: s.FF, Times: behind.layers},
			product{What: "feed-forward out", M: behind.rows, K: s.FF, N: s.Dim, Times: behind.layers})
	}
	return append(all, []product{
		{What: "query, key, value", M: b * t, K: s.Dim, N: 3 * s.Dim, Times: s.Layers},
		{What: "scores", M: t, K: s.Dim / s.Heads, N: t, Times: s.Layers * b * s.Heads, Batched: true},
		{What: "weighted values", M: t, K: t, N: s.Dim / s.Heads, Times: s.Layers * b * s.Heads, Batched: true},
	}...)
}

// decoderProducts are those of the decoder's layers on t positions, by teacher forcing, with so
// many positions of the encoder to look at. A causal mask spares no product.
func decoderProducts(s smlm.Config, b, t, memory int) []product {
	l, d := s.DecoderLayers, s.Dim
	heads := l * b * s.Heads
	return []product{
		{What: "query, key, value", M: b * t, K: d, N: 3 * d, Times: l},
		{What: "attention out", M: b * t, K: d, N: d, Times: 2 * l},
		{What: "cross query", M: b * t, K: d, N: d, Times: l},
		{What: "cross key, value", M: b * memory, K: d, N: 2 * d, Times: l},
		{What: "feed-forward in", M: b * t, K: d, N: s.FF, Times: l},
		{What: "feed-forward out", M: b * t, K: s.FF, N: d, Times: l},
		{What: "scores", M: t, K: d / s.Heads, N: t, Times: heads, Batched: true},
		{What: "weighted values", M: t, K: t, N: d / s.Heads, Times: heads, Batched: true},
		{What: "cross scores", M: t, K: d / s.Heads, N: memory, Times: heads, Batched: true},
		{What: "cross weighted values", M: t, K: memory, N: d / s.Heads, Times: heads, Batched: true},
	}
}

// lstmProducts are those of a Bi-LSTM: of a direction one over all inputs, and one of the states at
// each word.
func lstmProducts(embedding, hidden, b, n int) []product {
	return []product{
		{What: "inputs", M: b * n, K: embedding, N: 4 * hidden, Times: 2},
		{What: "states", M: b, K: hidden, N: 4 * hidden, Times: 2 * n},
	}
}

// rateProducts are those of a case's step that count for the rate.
func rateProducts(c benchCase) []product {
	var out []product
	for _, p := range stepProducts(c, c.BatchSize, c.BatchTokens/c.BatchSize, false) {
		if !p.Batched && p.Times > 0 {
			out = append(out, p)
		}
	}
	return out
}

// matrixRate makes the matrix products of a training step and nothing else: what a step would take
// if all but products were free. Each goes through whichever of libtorch's libraries is the faster
// for its shape, and memory is kept between them (bench's start). Products of two activations are
// left out: they are a few in a thousand of a step's and run far below the rate of the others,
// which would then look easier to reach.
type matrixRate struct {
	products []product
	factors  [][]factors // of every product the kinds that training makes
}

// factors of one product x w^T, and the library that makes it.
type factors struct {
	x, w   *torch.Tensor
	oneDNN bool
}

// newMatrixRate makes the factors of a case's products and chooses a library for each.
func newMatrixRate(c benchCase) (*matrixRate, error) {
	m := &matrixRate{products: rateProducts(c)}
	return m, torch.Run(func() error {
		torch.Seed(c.Seed)
		of := func(rows, cols int) *torch.Tensor {
			t := torch.Uniform(-1, 1, int64(rows), int64(cols))
			if c.BF16 {
				t = t.To(torch.BFloat16)
			}
			return t.Own()
		}
		for _, p := range m.products {
			x, w, dy := of(p.M, p.K), of(p.N, p.K), of(p.M, p.N)
			all := []factors{
				{x: x, w: w}, // forward
				{x: dy.Transpose(0, 1).Own(), w: x.Transpose(0, 1).Own()}, // the weight's gradient
				{x: dy, w: w.Transpose(0, 1).Own()},                       // the input's
			}
			all = all[:p.Of.Count()]
			for i := range all {
				if err := all[i].choose(); err != nil {
					return err
				}
			}
			m.factors = append(m.factors, all)
		}
		return nil
	})
}

// choose takes the library that is the faster one.
func (f *factors) choose() error {
	best := [2]float64{math.Inf(1), math.Inf(1)}
	for range 4 { // the first of each is the slower one
		for i := range best {
			f.oneDNN = i == 1
			start := time.Now()
			if err := f.once(); err != nil {
				return err
			}
			best[i] = min(best[i], time.Since(start).Seconds())
		}
	}
	f.oneDNN = best[1] < best[0]
	return nil
}

func (f factors) once() error {
	return torch.Scoped(func() error {
		torch.Product(f.x, f.w, f.oneDNN)
		return nil
	})
}

// Run makes all products n times; Each has the seconds of every one of them.
func (m *matrixRate) Run(n int) (timeTaken, error) {
	a := timeTaken{Each: make([]float64, len(m.products))}
	err := torch.Run(func() error {
		for range n {
			for i, p := range m.products {
				start := time.Now()
				for range p.Times {
					for _, f := range m.factors[i] {
						if err := f.once(); err != nil {
							return err
						}
					}
				}
				took := time.Since(start).Seconds()
				a.Each[i] += took
				a.Seconds += took
			}
		}
		return nil
	})
	return a, err
}
