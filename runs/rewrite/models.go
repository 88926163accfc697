package rewrite

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Rewriting holds trained models that rewrite sentences, from a study (Choice.Transfer) or a packed
// file (Pack.Rewriting).
type Rewriting struct {
	Request stages.TransferRequest // without threads and devices
	Labels  corpus.Styles
	pack    *Pack // nil: the models are from a study
}

// Explaining holds trained Diversity-LSTMs that score words, from a point of a study
// (Choice.Explain) or a packed file (Pack.Explaining).
type Explaining struct {
	Request  stages.ExplainRequest // without threads and devices
	Policies []stages.MaskSettings // one per method of the request
	Missing  []string              // masking methods whose stages are not finished
	Needs    stage.Name            // the stage that must run for the methods in Missing
	Labels   corpus.Styles
	pack     *Pack // nil: the models are from a study
}

// FromLabel returns the label of a rewritten sentence's source style. done is nil for an empty
// line. An empty line gets the label "" if the source style of each sentence is guessed.
func (m *Rewriting) FromLabel(done *stages.Rewritten) string {
	switch {
	case m.Request.From != corpus.Guessed:
		return m.Labels[m.Request.From]
	case done == nil:
		return ""
	}
	return m.Labels[done.From]
}

// Open loads the models. A packed file is unpacked to a temporary folder while the models load.
func (m *Rewriting) Open(ctx context.Context, with stages.Backend) (s stages.TransferSession, err error) {
	if m.pack == nil {
		return with.OpenTransfer(ctx, m.Request)
	}
	err = m.pack.Temporary(func(dir string) error {
		r := m.Request
		r.Inputs = m.pack.Request(dir).Inputs
		s, err = with.OpenTransfer(ctx, r)
		return err
	})
	return s, err
}

// Open loads the models, as Rewriting.Open does.
func (x *Explaining) Open(ctx context.Context, with stages.Backend) (s stages.ExplainSession, err error) {
	if x.pack == nil {
		return with.OpenExplain(ctx, x.Request)
	}
	err = x.pack.Temporary(func(dir string) error {
		r, in := x.Request, x.pack.Request(dir).Inputs
		r.VocabDir = in["vocab"]
		r.Methods = []stages.ExplainMethod{{DivLSTM: in["divlstm"], Attribution: x.pack.Manifest.Attribution}}
		s, err = with.OpenExplain(ctx, r)
		return err
	})
	return s, err
}

// Cutting returns how to cut a user's text into words of the models' vocabulary. If the vocabulary
// cannot be read, only Open reports this.
func (m *Rewriting) Cutting() corpus.Cutting { return cuttingOf(m.pack, m.Request.Inputs["vocab"]) }

// Cutting is like Rewriting.Cutting.
func (x *Explaining) Cutting() corpus.Cutting { return cuttingOf(x.pack, x.Request.VocabDir) }

// cuttingOf reads the vocabulary of a packed file or, if p is nil, of a stage folder.
func cuttingOf(p *Pack, dir string) corpus.Cutting {
	const name = "vocab.txt"
	if p == nil {
		words, _ := files.Read(filepath.Join(dir, name))
		return corpus.CuttingOf(string(words))
	}
	words, _ := fs.ReadFile(p.zip, path.Join(p.Manifest.Stages["vocab"].dir(), name))
	return corpus.CuttingOf(string(words))
}

// Close closes the packed file, if there is one.
func (m *Rewriting) Close() { m.pack.done() }

// Close closes the packed file, if there is one.
func (x *Explaining) Close() { x.pack.done() }
