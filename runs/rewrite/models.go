package rewrite

import (
	"context"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Rewriting is trained models that rewrite sentences, those of a study (Choice.Transfer) or of a
// packed file (Pack.Rewriting).
type Rewriting struct {
	Request stages.TransferRequest // but threads and devices
	Labels  corpus.Styles
	pack    *Pack // nil: of a study
}

// Explaining is trained Diversity-LSTMs that score words, those of a point of a study
// (Choice.Explain) or of a packed file (Pack.Explaining).
type Explaining struct {
	Request  stages.ExplainRequest // but threads and devices
	Policies []stages.MaskSettings // of the methods of the request
	Missing  []string              // methods of the point whose Diversity-LSTM is not finished
	Labels   corpus.Styles
	pack     *Pack // nil: of a study
}

// Opener opens trained models.
type Opener interface {
	// OpenTransfer loads trained models that mask and rewrite sentences of one style.
	OpenTransfer(ctx context.Context, r stages.TransferRequest) (stages.TransferSession, error)
	// OpenExplain loads trained Diversity-LSTMs that score the words of sentences.
	OpenExplain(ctx context.Context, r stages.ExplainRequest) (stages.ExplainSession, error)
}

// Open loads the models. Those of a packed file are unpacked for as long as that takes, and the
// request names the folders that they are unpacked to.
func (m *Rewriting) Open(ctx context.Context, with Opener) (s stages.TransferSession, err error) {
	if m.pack == nil {
		return with.OpenTransfer(ctx, m.Request)
	}
	err = m.pack.Temporary(func(dir string) (err error) {
		r := m.Request
		r.Inputs = m.pack.Request(dir).Inputs
		s, err = with.OpenTransfer(ctx, r)
		return err
	})
	return s, err
}

// Open loads the models, as Rewriting.Open does.
func (x *Explaining) Open(ctx context.Context, with Opener) (s stages.ExplainSession, err error) {
	if x.pack == nil {
		return with.OpenExplain(ctx, x.Request)
	}
	err = x.pack.Temporary(func(dir string) (err error) {
		r, in := x.Request, x.pack.Request(dir).Inputs
		r.VocabDir = in["vocab"]
		r.Methods = []stages.ExplainMethod{{DivLSTM: in["divlstm"], Attribution: x.pack.Manifest.Attribution}}
		s, err = with.OpenExplain(ctx, r)
		return err
	})
	return s, err
}

// Close closes the packed file, where there is one.
func (m *Rewriting) Close() { m.pack.done() }

// Close closes the packed file, where there is one.
func (x *Explaining) Close() { x.pack.done() }
