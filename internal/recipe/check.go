package recipe

import "github.com/smlm-exp/smlm-exp/internal/userr"

// Widest is the largest allowed width or number of layers. The "must" tags of the shapes contain
// the same number.
const Widest = 16384

// size is one number of a model's shape, with its name and its smallest allowed value.
type size struct {
	name    string
	value   int
	minimum int
}

// checkSizes returns an error for the first number that is out of range. model is the model's name
// in errors.
func checkSizes(model string, sizes ...size) error {
	for _, s := range sizes {
		if s.value < s.minimum || s.value > Widest {
			return userr.New(userr.BadInput, "the %s has %s %d: it must be from %d to %d", model, s.name, s.value, s.minimum, Widest)
		}
	}
	return nil
}

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (s SMLMShape) Check() error { return s.CheckOf("SMLM") }

// CheckOf does the same as Check, but calls the model by the given name in errors.
func (s SMLMShape) CheckOf(model string) error {
	err := checkSizes(model,
		size{"layers", s.Layers, 1}, size{"heads", s.Heads, 1}, size{"dim", s.Dim, 1}, size{"ff", s.FF, 1})
	if err == nil && s.Dim%s.Heads != 0 {
		err = userr.New(userr.BadInput, "the %s has dim %d and heads %d, which do not divide it", model, s.Dim,
			s.Heads)
	}
	return err
}

// Numbers counts the weights of one encoder layer and of one decoder layer. A decoder layer has a
// second attention block and one more layer norm.
func (s SMLMShape) Numbers() (encoderLayer, decoderLayer float64) {
	d, ff := float64(s.Dim), float64(s.FF)
	attention, norm := 4*d*d+4*d, 2*d
	encoderLayer = attention + 2*d*ff + ff + d + 2*norm
	return encoderLayer, encoderLayer + attention + norm
}

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (s DivLSTMShape) Check() error {
	return checkSizes("Diversity-LSTM", size{"embedding", s.Embedding, 1}, size{"hidden", s.Hidden, 1},
		size{"attention", s.Attention, 1})
}

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (s BiLSTMShape) Check() error {
	return checkSizes("Bi-LSTM", size{"embedding", s.Embedding, 1}, size{"hidden", s.Hidden, 1})
}

// LSTMNumbers counts the weights of one direction of an LSTM layer.
func LSTMNumbers(in, hidden int) float64 {
	return 4 * float64(hidden) * (float64(in) + float64(hidden) + 2)
}

// CheckVocab returns an error if the size of a vocabulary, including special tokens, is out of
// range.
func CheckVocab(model string, words, minimum int) error {
	if words < minimum || words > maxWords {
		return userr.New(userr.BadInput, "the %s has vocab %d: it must be from %d to %d", model, words, minimum, maxWords)
	}
	return nil
}

// maxWords is the largest size of a vocabulary.
const maxWords = 1 << 26

// Check returns an error of kind userr.BadInput for a shape that no model can have.
func (s PretrainedShape) Check() error {
	const model = "pretrained encoder"
	switch {
	case s.Positions < 1 || s.Positions > maxPositions:
		return userr.New(userr.BadInput, "the %s has %d positions: it must be from 1 to %d", model, s.Positions, maxPositions)
	case !(s.Eps > 0 && s.Eps < 1):
		return userr.New(userr.BadInput, "the %s has layer_norm_eps %g: it must be above 0 and below 1", model, s.Eps)
	case s.Activation != GELU:
		return userr.New(userr.BadInput, "the %s has the activation %.60q: only %s can be read", model, s.Activation, GELU)
	}
	return nil
}

// maxPositions is the largest number of positions of a pretrained encoder.
const maxPositions = 1 << 17
