package precision

import "github.com/smlm-exp/smlm-exp/internal/recipe"

// Transformer is the shape of SMLM, SMLM-FT or SMLM-G, and the words of a batch.
type Transformer struct {
	BatchTokens   int
	Vocab         int
	DecoderLayers int // of SMLM-G
	recipe.SMLMShape
}

func (t Transformer) encoder() Part {
	return Encoder(t.BatchTokens, t.Layers, t.Dim, t.Heads, t.FF)
}

// SMLM returns the parts of SMLM: an encoder and the vocabulary layer.
func (t Transformer) SMLM() []Part { return []Part{t.encoder(), Words(t.BatchTokens, t.Dim, t.Vocab)} }

// SMLMFT returns the parts of SMLM-FT: those of SMLM, whose encoder reads the sentences with their
// own style and with the other one.
func (t Transformer) SMLMFT() []Part {
	both := t.encoder()
	both.Times *= 2
	return []Part{both, Words(t.BatchTokens, t.Dim, t.Vocab)}
}

// SMLMG returns the parts of SMLM-G, which has a decoder too.
func (t Transformer) SMLMG() []Part {
	return []Part{
		t.encoder(), Decoder(t.BatchTokens, t.DecoderLayers, t.Dim, t.Heads, t.FF),
		Words(t.BatchTokens, t.Dim, t.Vocab),
	}
}

// DivLSTM returns the parts of the Diversity-LSTM, whose attention reads every state.
func DivLSTM(batchTokens int, s recipe.DivLSTMShape) []Part {
	states := s.Hidden
	if s.Bidirectional {
		states *= 2
	}
	return []Part{LSTM(batchTokens, s.Embedding, s.Hidden, s.Bidirectional), Linear(batchTokens, states, s.Attention)}
}

// Classifier returns the parts of the evaluation classifier.
func Classifier(batchTokens int, s recipe.BiLSTMShape) []Part {
	return []Part{LSTM(batchTokens, s.Embedding, s.Hidden, true)}
}

// CNN returns the parts of the guide: a linear layer over the windows of each width.
func CNN(batchTokens int, s recipe.CNNShape) (parts []Part) {
	for _, w := range s.Widths {
		parts = append(parts, Linear(batchTokens, w*s.Embedding, s.Filters))
	}
	return parts
}

// LM returns the parts of the language model, which chooses among so many classes.
func LM(batchTokens, classes int, s recipe.LMShape) []Part {
	parts := []Part{LSTM(batchTokens, s.Embedding, s.Hidden, false)}
	if s.Layers > 1 {
		deeper := LSTM(batchTokens, s.Hidden, s.Hidden, false)
		deeper.Times = float64(s.Layers - 1)
		parts = append(parts, deeper)
	}
	if s.Tied {
		return append(parts, Linear(batchTokens, s.Hidden, s.Embedding), Words(batchTokens, s.Embedding, classes))
	}
	return append(parts, Words(batchTokens, s.Hidden, classes))
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
