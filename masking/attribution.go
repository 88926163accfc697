// Package masking scores how much each word of a sentence carries its style (Attribution), by a
// Diversity-LSTM, and reads and writes files of scores. Package policy turns scores into masks.
package masking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// Attribution says how words get their scores: by which method, and by which of its definitions.
type Attribution struct {
	Method policy.Method
	policy.Scoring
}

// Scores is what an Attribution found in a data set.
type Scores struct {
	Words [][]float32 // one number a word, summing to 1; to less with a start token, by what lies on it
	// Of integrated gradients a number a sentence, else nil; before AttrReduce and AttrScale,
	// always multiplied by x - x'. Change is F(x) - F(x'), and Gap is how far the attributions' sum
	// is from it (Sundararajan et al. 2017, proposition 1). Where sentences share a loss, both are
	// the batch's, divided by its sentences.
	Gap, Change []float64
}

// wordsAtOnce bounds the words that go through the model at once with gradients on: larger products
// are slower there.
const wordsAtOnce = 2000

// Scores explains every sentence of d by model m, whose classes are the styles. Sentences
// do not influence each other, but where the target is a loss whose conicity runs over the batch:
// batches are of equal length in the order given, nn.EvalTokens words at most. loss is used by the
// target "loss" alone, with its cross-entropy summed. progress may be nil. Call it on the torch
// thread.
func (a Attribution) Scores(
	ctx context.Context,
	m *divlstm.Model,
	d corpus.Encoded,
	loss divlstm.Loss,
	progress func(done, total int, note string),
) (Scores, error) {
	a, err := a.withDefaults(m, d)
	if err != nil {
		return Scores{}, fmt.Errorf("attributing by %s: %w", a.Method, err)
	}
	s := Scores{Words: make([][]float32, len(d.IDs))}
	if a.Method == policy.IntegratedGradients {
		s.Gap, s.Change = make([]float64, len(d.IDs)), make([]float64, len(d.IDs))
	}
	done := 0
	err = nn.ForEach(ctx, d.IDs, func(batch []int) error {
		e := explainer{Attribution: a, model: m, data: d, loss: loss}
		together := len(batch)
		if !e.shared() {
			together = max(1, wordsAtOnce/len(d.IDs[batch[0]]))
		}
		for e.batch = range slices.Chunk(batch, together) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := torch.Scoped(func() error { return e.explain(&s) }); err != nil {
				return err
			}
			if done += len(e.batch); progress != nil {
				progress(done, len(d.IDs), "")
			}
		}
		return nil
	})
	return s, err
}

// explainer explains one batch. Its methods run with gradients off, and turn them on for what they
// differentiate.
type explainer struct {
	Attribution // defaults written out
	model       *divlstm.Model
	data        corpus.Encoded
	loss        divlstm.Loss
	batch       []int
}

// explain writes the batch's scores into s.
func (e *explainer) explain(s *Scores) error {
	x := e.model.Inputs(nn.Stack(e.data.IDs, e.batch), e.Sampling) // [B, T, E]
	// B distributions over T, the start token's column among them
	var rows []float64
	var err error
	switch e.Method {
	case policy.ExplainableAttention, policy.VanillaAttention:
		rows = doubles(e.model.FromInputs(x).Attention)
	case policy.AttentionXInput:
		if rows, err = e.attentionXInput(x); err != nil {
			return err
		}
	default:
		a, err := e.attributions(x, s)
		if err != nil {
			return err
		}
		if rows, err = distributions(reduce(a, e.AttrReduce), int(x.Size(1)), e.AttrScale); err != nil {
			return err
		}
	}
	columns := int(x.Size(1))
	for k, i := range e.batch {
		words := make([]float32, len(e.data.IDs[i]))
		row := rows[k*columns : (k+1)*columns]
		for t, score := range row[columns-len(words):] {
			words[t] = float32(score)
		}
		s.Words[i] = words
	}
	return nil
}

// attentionXInput returns, for x [B, T, E], each word's share of attention times the length of its
// input (docs/decisions/018-attention-x-input.md):
//
//	score_t = alpha_t ||x_t|| / sum_u alpha_u ||x_u||
func (e *explainer) attentionXInput(x *torch.Tensor) ([]float64, error) {
	rows := reduce(x, policy.L2)
	for i, a := range doubles(e.model.FromInputs(x).Attention) {
		rows[i] *= a
	}
	return distributions(rows, int(x.Size(1)), policy.Positive)
}

// attributions returns the method's attributions of x [B, T, E], in the same shape.
func (e *explainer) attributions(x *torch.Tensor, s *Scores) (*torch.Tensor, error) {
	if e.Method == policy.IntegratedGradients {
		return e.integrated(x, s)
	}
	g, err := e.gradient(x)
	if err == nil && e.Method == policy.GradientsXInput {
		g = g.Mul(x)
	}
	return g, err
}

const defaultSteps = 32

// withDefaults returns a with every "" written out, or an error where a field, the model or the
// data do not fit.
func (a Attribution) withDefaults(m *divlstm.Model, d corpus.Encoded) (Attribution, error) {
	if !slices.Contains(policy.Methods, a.Method) || a.Method.Scored() != a.Method {
		return a, fmt.Errorf("unknown method %q", a.Method)
	}
	err := cmp.Or(
		check("target", &a.AttrTarget), check("reduction", &a.AttrReduce), check("scale", &a.AttrScale),
		check("baseline", &a.IGBaseline), check("rule", &a.IGRule),
	)
	if err != nil {
		return a, err
	}
	if a.AttrReduce == policy.AutoReduce {
		a.AttrReduce = policy.Sum
		if a.Method == policy.Gradients {
			a.AttrReduce = policy.L2
		}
	}
	if a.IGSteps == 0 {
		a.IGSteps = defaultSteps
	}
	switch {
	case a.IGSteps < 0:
		return a, fmt.Errorf("%d steps, but one is the least", a.IGSteps)
	case a.IGBaseline == policy.MeanBaseline && m.Config.Vocab <= m.Config.FirstWord():
		return a, errors.New("the vocabulary has no ordinary word to take a mean baseline of")
	case len(d.Styles) != len(d.IDs):
		return a, fmt.Errorf("%d styles for %d sentences", len(d.Styles), len(d.IDs))
	}
	for i, ids := range d.IDs {
		if len(ids) == 0 {
			return a, fmt.Errorf("sentence %d has no words", i+1)
		}
		if styles := m.Config.StylesOrTwo(); d.Styles[i] < 0 || d.Styles[i] >= styles {
			return a, fmt.Errorf("sentence %d has the style %d, but the model knows the styles 0 to %d", i+1, d.Styles[i],
				styles-1)
		}
	}
	return a, nil
}

// check puts the first choice in the place of "", and refuses a value that is no choice.
func check[T interface {
	~string
	Choices() []string
}](name string, value *T,
) error {
	known := (*value).Choices()
	if *value == "" {
		*value = T(known[0])
	}
	if !slices.Contains(known, string(*value)) {
		return fmt.Errorf("unknown %s %q", name, *value)
	}
	return nil
}
