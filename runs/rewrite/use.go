package rewrite

import (
	"context"

	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Opener opens trained models.
type Opener interface {
	// OpenTransfer loads trained models that mask and rewrite sentences of one style.
	OpenTransfer(ctx context.Context, r stages.TransferRequest) (stages.TransferSession, error)
	// OpenExplain loads trained Diversity-LSTMs that score the words of sentences.
	OpenExplain(ctx context.Context, r stages.ExplainRequest) (stages.ExplainSession, error)
}

// Explaining is the Diversity-LSTM and the policy of its masks, for Within.
func (p *Pack) Explaining() *Explaining {
	x := &Explaining{}
	x.Request.Methods = []stages.ExplainMethod{{Attribution: p.Manifest.Attribution}}
	x.Policies = append(x.Policies, p.Manifest.Mask)
	return x
}

// Within opens the packed models: in the place of the folders of a request it has those that the
// models are unpacked to until they are loaded.
func (p *Pack) Within(o Opener) Opener { return unpacking{p, o} }

type unpacking struct {
	pack *Pack
	open Opener
}

func (u unpacking) OpenTransfer(ctx context.Context, r stages.TransferRequest) (s stages.TransferSession, err error) {
	err = u.pack.Temporary(func(dir string) (err error) {
		r.Inputs = u.pack.Request(dir).Inputs
		s, err = u.open.OpenTransfer(ctx, r)
		return err
	})
	return s, err
}

func (u unpacking) OpenExplain(ctx context.Context, r stages.ExplainRequest) (s stages.ExplainSession, err error) {
	err = u.pack.Temporary(func(dir string) (err error) {
		in := u.pack.Request(dir).Inputs
		r.VocabDir = in["vocab"]
		r.Methods = []stages.ExplainMethod{{DivLSTM: in["divlstm"], Attribution: u.pack.Manifest.Attribution}}
		s, err = u.open.OpenExplain(ctx, r)
		return err
	})
	return s, err
}
