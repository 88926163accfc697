package masking

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/divlstm"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

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

// attributions returns the method's numbers for x [B, T, E], of the same shape.
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
