package precision

// Transformer is the shape of SMLM and what is made of it.
type Transformer struct{ BatchTokens, Vocab, Layers, DecoderLayers, Heads, Dim, FF int }

func (t Transformer) encoder() Part {
	return Encoder(t.BatchTokens, t.Layers, t.Dim, t.Heads, t.FF)
}

// SMLM is an encoder and the vocabulary layer.
func (t Transformer) SMLM() []Part { return []Part{t.encoder(), Words(t.BatchTokens, t.Dim, t.Vocab)} }

// SMLMFT is SMLM, whose encoder reads the sentences with their own style and with the other one.
func (t Transformer) SMLMFT() []Part {
	both := t.encoder()
	both.Times *= 2
	return []Part{both, Words(t.BatchTokens, t.Dim, t.Vocab)}
}

// SMLMG has a decoder too.
func (t Transformer) SMLMG() []Part {
	return []Part{
		t.encoder(), Decoder(t.BatchTokens, t.DecoderLayers, t.Dim, t.Heads, t.FF),
		Words(t.BatchTokens, t.Dim, t.Vocab),
	}
}

// DivLSTM is the Diversity-LSTM, whose attention reads every state.
func DivLSTM(batchTokens, embedding, hidden, attention int, bidirectional bool) []Part {
	states := hidden
	if bidirectional {
		states *= 2
	}
	return []Part{LSTM(batchTokens, embedding, hidden, bidirectional), Linear(batchTokens, states, attention)}
}

// Classifier is the evaluation classifier.
func Classifier(batchTokens, embedding, hidden int) []Part {
	return []Part{LSTM(batchTokens, embedding, hidden, true)}
}

// CNN is the guide: a linear layer over the windows of each width.
func CNN(batchTokens, embedding, filters int, widths []int) (parts []Part) {
	for _, w := range widths {
		parts = append(parts, Linear(batchTokens, w*embedding, filters))
	}
	return parts
}

// LM is the language model.
func LM(batchTokens, classes, embedding, hidden, layers int, tied bool) []Part {
	parts := []Part{LSTM(batchTokens, embedding, hidden, false)}
	if layers > 1 {
		deeper := LSTM(batchTokens, hidden, hidden, false)
		deeper.Times = float64(layers - 1)
		parts = append(parts, deeper)
	}
	if tied {
		return append(parts, Linear(batchTokens, hidden, embedding), Words(batchTokens, embedding, classes))
	}
	return append(parts, Words(batchTokens, hidden, classes))
}

// Model is a model by name.
type Model struct {
	Name  string
	Parts []Part
}

// Paper lists the paper's models at its sizes, on batches of 1,536 words and a vocabulary of
// 10,000.
func Paper() []Model {
	t := Transformer{BatchTokens: mostRows, Vocab: 10_000, Layers: 2, DecoderLayers: 2, Heads: 8, Dim: 512, FF: 2048}
	return []Model{
		{"smlm", t.SMLM()},
		{"smlm-ft", t.SMLMFT()},
		{"smlm-g", t.SMLMG()},
		{"divlstm", DivLSTM(mostRows, 300, 512, 512, true)},
		{"classifier", Classifier(mostRows, 300, 512)},
	}
}
