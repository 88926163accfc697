package smlm

import (
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// StartFrom loads the weights of a pretrained encoder: the layers and, if the folder has one, the
// masked-language head. Without a head, the layer before the vocabulary layer starts as the
// identity. The vector of a word starts as the mean of the vectors of its pieces. The model must
// have the folder's shape.
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

// StartFrom loads the weights of a pretrained encoder into the encoder, which must have the
// folder's shape. A word's vector starts as the mean of the vectors of its pieces. The decoder
// starts from scratch.
func (g *Generator) StartFrom(f *folder.Folder, v *corpus.Vocab, labels corpus.Styles) error {
	_, err := g.enc.pretrained.Load(f, v, labels)
	return err
}
