package pretrained

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// small is the directory that testdata/parity/pretrained.py writes.
var small = filepath.Join("testdata", "bert")

// TestParity compares a BERT with the same model in HuggingFace transformers: the states after each
// layer, and the logits of the masked-language head.
func TestParity(t *testing.T) {
	r := testkit.OpenRecorded(t, "pretrained_bert")
	var flat []int64
	rows := r.Rows("input.ids")
	for _, row := range rows {
		flat = append(flat, row...)
	}
	onComparer(t, small, func(c *Comparer) error {
		ids := torch.FromInts(flat, int64(len(rows)), int64(len(rows[0])))
		var last *torch.Tensor
		for k := range len(c.encoder.Layers) + 1 {
			last = c.hidden(ids, k)
			r.Near(fmt.Sprintf("expect.states.%d", k), last.Floats())
		}
		f, err := folder.Open(small)
		if err != nil {
			return err
		}
		head := NewTransform(c.Params, c.dim(), f.Config.PretrainedShape)
		bias, err := head.Start(f, eachPiece(f))
		if err != nil {
			return err
		}
		logits := head.Forward(last).Linear(c.pieces.W, torch.FromFloats(bias, int64(len(bias))))
		r.Near("expect.logits", logits.Floats())
		return nil
	})
}

// The method hidden maps pieces [B, T] to the states after the given number of layers, [B, T, d].
func (c *Comparer) hidden(ids *torch.Tensor, layers int) *torch.Tensor {
	x := c.encoder.Inputs(c.pieces.Forward(ids), false)
	for _, l := range c.encoder.Layers[:layers] {
		x = l.Forward(x, false)
	}
	return x
}

// eachPiece returns the pieces of the words of a vocabulary that has one word for each piece.
func eachPiece(f *folder.Folder) (words [][]int64) {
	for id := range f.Config.Vocab {
		words = append(words, []int64{int64(id)})
	}
	return words
}

// onComparer calls fn on the torch thread, without gradients, with a Comparer that uses the encoder
// of the directory.
func onComparer(t *testing.T, dir string, fn func(*Comparer) error) {
	t.Helper()
	parity.OnTorch(t, func() error {
		f, err := folder.Open(dir)
		if err != nil {
			return err
		}
		c, err := NewComparer(f)
		if err != nil {
			return err
		}
		defer c.Params.Free()
		return torch.NoGrad(func() error { return fn(c) })
	})
}
