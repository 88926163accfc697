package rewrite

import (
	"cmp"
	"errors"
	"io/fs"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// maxLambdaEps is the largest lambda_eps that a user may give, as in an experiment file. The
// smallest is 0.
const maxLambdaEps = 1000

// SetLambdaEps makes every method mask by the threshold that a user's lambda_eps gives, whatever
// policy the study has or chose. It returns an error if the number is out of range. The parameter
// "name" is the name of the option, for the error message.
func (x *Explaining) SetLambdaEps(name string, eps float64) error {
	if !(eps >= 0 && eps <= maxLambdaEps) {
		return userr.New(userr.BadInput, "%s is %v, but must be from 0 to %d", name, eps, maxLambdaEps)
	}
	for i := range x.Policies {
		x.Policies[i].Policy = policy.Policy{Name: policy.Surplus, LambdaEps: recipe.OrAuto(eps)}
	}
	return nil
}

// Explain returns the masking methods of a point that can explain masks now, because their
// Diversity-LSTM is finished and, if lambda_eps is "auto", chosen. The names of the other methods
// are in the field Missing.
func (o Choice) Explain(p stage.Point) (*Explaining, error) {
	x := &Explaining{Labels: o.Labels(p), Needs: stages.DivLSTM}
	for _, m := range p.Masks() {
		if m.Method.Scored() != m.Method {
			continue // the method scores no words
		}
		of := o.Plan.Get(stages.Mask, m)
		divLSTM := o.Plan.Get(stages.DivLSTM, m)
		vocab := divLSTM.Inputs["vocab"]
		err := cmp.Or(o.WS.Whole(divLSTM), o.WS.Whole(vocab))
		mask, _ := of.Settings.(stages.MaskSettings)
		if err == nil {
			err = o.tuned(of, func(chosen stages.Trial) { mask = mask.With(chosen) })
		}
		if errors.Is(err, fs.ErrNotExist) {
			if x.Missing = append(x.Missing, string(m.Method)); of.Inputs["tune"] != nil {
				x.Needs = stages.Tune
			}
			continue
		} else if err != nil {
			return nil, err
		}
		attribution, _ := of.Inputs["attribution"].Settings.(stages.AttributionSettings)
		x.Request.VocabDir = o.WS.StageDir(vocab)
		x.Request.Methods = append(x.Request.Methods,
			stages.ExplainMethod{DivLSTM: o.WS.StageDir(divLSTM), Attribution: attribution})
		x.Policies = append(x.Policies, mask)
	}
	return x, nil
}

// Decide applies the mask policies to the word scores of a sentence.
func (x *Explaining) Decide(words []string, found *stages.Explained) *report.Heatmap {
	s := &report.Heatmap{Words: words, Style: x.Labels[found.Style], Probability: found.Probability}
	for k, p := range x.Policies {
		name := string(x.Request.Methods[k].Attribution.Method)
		m := report.HeatmapMethod{
			Name: name, Policy: p.String(), Rule: p.Rule(len(words)), Masked: p.Mask(found.Scores[k]),
		}
		if p.Name == policy.Surplus {
			m.Threshold = p.Threshold(len(words))
		}
		for _, a := range found.Scores[k] {
			m.Scores = append(m.Scores, float64(a))
		}
		s.Methods = append(s.Methods, m)
	}
	return s
}
