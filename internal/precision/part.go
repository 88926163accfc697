// Package precision finds what precision = "auto" comes to: it measures training steps of the
// layers that a model is made of, in float32 and in bfloat16, on this machine, once for each kind
// of layer and shape. CPUs that have instructions for bfloat16 products do not all multiply faster
// by them, and others do by oneDNN's emulation. What was measured is kept in the cache folder, so
// that every process and every stage decides alike.
package precision

import "fmt"

// Part is a layer of a shape; the time of a model's step is that of its parts, as far as the
// precision can change it.
type Part struct {
	Layer string `json:"layer"`
	Rows  int    `json:"rows"`            // words of a batch
	In    int    `json:"in"`              // width of what the layer reads
	Out   int    `json:"out"`             // its feed-forward width, its hidden states, or its outputs
	Heads int    `json:"heads,omitempty"` // of attention
	// Times says how often a step has it. It is no part of what is measured.
	Times float64 `json:"-"`
}

// The layers that models are made of.
const (
	encoderLayer = "encoder" // of a Transformer
	decoderLayer = "decoder"
	lstmLayer    = "lstm" // one direction
	biLSTMLayer  = "bilstm"
	linearLayer  = "linear"
	wordsLayer   = "words"   // the vocabulary layer with its cross-entropy
	probeProduct = "product" // one matrix product, forward alone
)

// probe is a product so small that even a CPU which makes bfloat16 products one number at a time is
// done with it soon.
var probe = Part{Layer: probeProduct, Rows: 64, In: 256, Out: 256}

// The most that is measured of a layer: more rows, and more words of a vocabulary, take as much
// longer in either precision.
const (
	mostRows  = 1536
	mostWords = 4096
	sentence  = 12 // words of each sentence that is measured
)

// rows is how many words of a batch of so many are measured: whole sentences.
func rows(batchTokens int) int {
	return max(1, min(batchTokens, mostRows)/sentence) * sentence
}

// Encoder is layers of a Transformer's encoder.
func Encoder(batchTokens, layers, dim, heads, ff int) Part {
	return Part{encoderLayer, rows(batchTokens), dim, ff, heads, float64(layers)}
}

// Decoder is layers of a Transformer's decoder.
func Decoder(batchTokens, layers, dim, heads, ff int) Part {
	return Part{decoderLayer, rows(batchTokens), dim, ff, heads, float64(layers)}
}

// Words is a vocabulary layer and the loss on it.
func Words(batchTokens, dim, vocab int) Part {
	measured := max(1, min(vocab, mostWords))
	return Part{
		Layer: wordsLayer, Rows: rows(batchTokens), In: dim, Out: measured, Times: float64(vocab) / float64(measured),
	}
}

// LSTM is one layer, in one or both directions.
func LSTM(batchTokens, in, hidden int, bidirectional bool) Part {
	p := Part{Layer: lstmLayer, Rows: rows(batchTokens), In: in, Out: hidden, Times: 1}
	if bidirectional {
		p.Layer = biLSTMLayer
	}
	return p
}

// Linear is one linear layer.
func Linear(batchTokens, in, out int) Part {
	return Part{Layer: linearLayer, Rows: rows(batchTokens), In: in, Out: out, Times: 1}
}

func (p Part) String() string { return fmt.Sprintf("%s %d x %d x %d", p.Layer, p.Rows, p.In, p.Out) }
