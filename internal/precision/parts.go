// Package precision decides what precision = "auto" means on this machine. It times training steps
// of a model's layers in float32 and in bfloat16 and takes the faster: CPUs with instructions for
// bfloat16 do not always multiply faster with them, and others do by oneDNN's emulation. It keeps
// the times in the cache folder, so that all processes and stages decide alike.
package precision

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// Transformer is the shape of SMLM, SMLM-FT or SMLM-G, and the words of a batch.
type Transformer struct {
	BatchTokens   int
	Vocab         int
	DecoderLayers int // of SMLM-G
	recipe.SMLMShape
}

func (t Transformer) encoder() Part {
	return encoderPart(t.BatchTokens, t.Layers, t.Dim, t.Heads, t.FF)
}

// SMLM returns the parts of SMLM: an encoder and the vocabulary layer.
func (t Transformer) SMLM() []Part {
	return []Part{t.encoder(), wordsPart(t.BatchTokens, t.Dim, t.Vocab)}
}

// SMLMFT returns the parts of SMLM-FT: those of SMLM, whose encoder reads the sentences with their
// own style and with the other one.
func (t Transformer) SMLMFT() []Part {
	both := t.encoder()
	both.Times *= 2
	return []Part{both, wordsPart(t.BatchTokens, t.Dim, t.Vocab)}
}

// SMLMG returns the parts of SMLM-G, which has a decoder too.
func (t Transformer) SMLMG() []Part {
	return []Part{
		t.encoder(), decoderPart(t.BatchTokens, t.DecoderLayers, t.Dim, t.Heads, t.FF),
		wordsPart(t.BatchTokens, t.Dim, t.Vocab),
	}
}

// DivLSTM returns the parts of the Diversity-LSTM, whose attention reads every state.
func DivLSTM(batchTokens int, s recipe.DivLSTMShape) []Part {
	states := s.Hidden
	if s.Bidirectional {
		states *= 2
	}
	return []Part{
		lstmPart(batchTokens, s.Embedding, s.Hidden, s.Bidirectional), linearPart(batchTokens, states, s.Attention),
	}
}

// Classifier returns the parts of the evaluation classifier.
func Classifier(batchTokens int, s recipe.BiLSTMShape) []Part {
	return []Part{lstmPart(batchTokens, s.Embedding, s.Hidden, true)}
}

// CNN returns the parts of the guide: a linear layer over the windows of each width.
func CNN(batchTokens int, s recipe.CNNShape) (parts []Part) {
	for _, w := range s.Widths {
		parts = append(parts, linearPart(batchTokens, w*s.Embedding, s.Filters))
	}
	return parts
}

// LM returns the parts of the language model, which chooses among so many classes.
func LM(batchTokens, classes int, s recipe.LMShape) []Part {
	parts := []Part{lstmPart(batchTokens, s.Embedding, s.Hidden, false)}
	if s.Layers > 1 {
		deeper := lstmPart(batchTokens, s.Hidden, s.Hidden, false)
		deeper.Times = float64(s.Layers - 1)
		parts = append(parts, deeper)
	}
	if s.Tied {
		return append(parts,
			linearPart(batchTokens, s.Hidden, s.Embedding), wordsPart(batchTokens, s.Embedding, classes))
	}
	return append(parts, wordsPart(batchTokens, s.Hidden, classes))
}

// Model is a model by name.
type Model struct {
	Name  string
	Parts []Part
}

// Paper lists the paper's models at its sizes, on batches of 1,536 words and a vocabulary of
// 10,000.
func Paper() []Model {
	t := Transformer{
		BatchTokens: mostRows, Vocab: 10_000, DecoderLayers: 2,
		SMLMShape: recipe.SMLMShape{Layers: 2, Heads: 8, Dim: 512, FF: 2048},
	}
	return []Model{
		{"smlm", t.SMLM()},
		{"smlm-ft", t.SMLMFT()},
		{"smlm-g", t.SMLMG()},
		{"divlstm", DivLSTM(mostRows, recipe.DivLSTMShape{
			Embedding: 300, Hidden: 512, Attention: 512, Bidirectional: true,
		})},
		{"classifier", Classifier(mostRows, recipe.BiLSTMShape{Embedding: 300, Hidden: 512})},
	}
}

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

// encoderPart is layers of a Transformer's encoder.
func encoderPart(batchTokens, layers, dim, heads, ff int) Part {
	return Part{encoderLayer, rows(batchTokens), dim, ff, heads, float64(layers)}
}

// decoderPart is layers of a Transformer's decoder.
func decoderPart(batchTokens, layers, dim, heads, ff int) Part {
	return Part{decoderLayer, rows(batchTokens), dim, ff, heads, float64(layers)}
}

// wordsPart is a vocabulary layer and the loss on it.
func wordsPart(batchTokens, dim, vocab int) Part {
	measured := max(1, min(vocab, mostWords))
	return Part{
		Layer: wordsLayer, Rows: rows(batchTokens), In: dim, Out: measured, Times: float64(vocab) / float64(measured),
	}
}

// lstmPart is one layer, in one or both directions.
func lstmPart(batchTokens, in, hidden int, bidirectional bool) Part {
	p := Part{Layer: lstmLayer, Rows: rows(batchTokens), In: in, Out: hidden, Times: 1}
	if bidirectional {
		p.Layer = biLSTMLayer
	}
	return p
}

// linearPart is one linear layer.
func linearPart(batchTokens, in, out int) Part {
	return Part{Layer: linearLayer, Rows: rows(batchTokens), In: in, Out: out, Times: 1}
}

func (p Part) String() string { return fmt.Sprintf("%s %d x %d x %d", p.Layer, p.Rows, p.In, p.Out) }
