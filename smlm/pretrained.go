package smlm

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// StartFrom takes the weights of a folder, of whose shape the model must be: its layers, the vector
// of each word from those of its pieces and, where the folder has a masked-language head, that
// head. Without one the layer before the vocabulary begins as the identity.
func (m *Model) StartFrom(f *folder.Folder, v *corpus.Vocab, labels corpus.Styles) error {
	pieces, err := m.enc.pretrained.Load(f, v, labels)
	if err != nil {
		return err
	}
	bias, err := m.enc.transform.Start(f, pieces)
	if err != nil || bias == nil {
		return err
	}
	return torch.NoGrad(func() error {
		m.out.B.Set(torch.FromFloats(bias, int64(len(bias))))
		return nil
	})
}

// StartFrom takes the weights of a folder for the encoder, of whose shape the model must be, and
// the vector of each word from those of its pieces. The decoder begins anew.
func (g *Generator) StartFrom(f *folder.Folder, v *corpus.Vocab, labels corpus.Styles) error {
	_, err := g.enc.pretrained.Load(f, v, labels)
	return err
}
