package pretrained

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// The function changed opens a copy of the small folder. Its argument "rename" returns the new name
// of each tensor. A tensor renamed to "" is removed.
func changed(t *testing.T, rename func(name string) string) *folder.Folder {
	t.Helper()
	f, err := folder.Open(testkit.CopyEncoder(t, small, rename))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// states returns the hidden states after the last layer for some pieces.
func states(f *folder.Folder) (out []float32, err error) {
	c, err := NewComparer(f)
	if err != nil {
		return nil, err
	}
	defer c.Params.Free()
	err = torch.NoGrad(func() error {
		ids := torch.FromInts([]int64{2, 17, 230, 399, 45, 3}, 2, 3)
		out = c.hidden(ids, len(c.encoder.Layers)).Floats()
		return nil
	})
	return out, err
}

// TestOtherNames checks that an encoder stays the same, bit by bit, if it is saved without its head
// or with the names that layer norms had before 2019.
func TestOtherNames(t *testing.T) {
	f := changed(t, func(name string) string { return name })
	norms := 0
	older := strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")
	renamed := map[string]*folder.Folder{
		"alone": changed(t, func(name string) string {
			alone, ofEncoder := strings.CutPrefix(name, "bert.")
			if !ofEncoder {
				return ""
			}
			return alone
		}),
		"old": changed(t, func(name string) string {
			if name != older.Replace(name) {
				norms++
			}
			return older.Replace(name)
		}),
	}
	if norms < 10 {
		t.Fatalf("%d weights of layer norms", norms)
	}
	parity.OnTorch(t, func() error {
		want, err := states(f)
		if err != nil {
			return err
		}
		table, err := Pieces(f)
		if err != nil {
			return err
		}
		for kind, f := range renamed {
			got, err := states(f)
			if err != nil {
				return err
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", kind, got[:4], want[:4])
			}
			if own, err := Pieces(f); err != nil || !slices.Equal(own, table) {
				t.Errorf("%s: other vectors of pieces: %v", kind, err)
			}
		}
		return nil
	})
}

// TestLackingHeads removes one tensor of the masked-language head at a time. If the weight of the
// dense layer is missing, the folder counts as one without a head, and Transform starts as the
// identity. If another tensor is missing, the head is refused. The encoder can be used in all
// cases.
func TestLackingHeads(t *testing.T) {
	const first = "cls.predictions.transform.dense.weight"
	var heads []string
	changed(t, func(name string) string {
		if !strings.HasPrefix(name, "bert.") {
			heads = append(heads, name)
		}
		return name
	})
	if len(heads) != 5 || !slices.Contains(heads, first) {
		t.Fatalf("the tensors %v behind the encoder", heads)
	}
	for _, lacking := range heads {
		f := changed(t, func(name string) string {
			if name == lacking {
				return ""
			}
			return name
		})
		parity.OnTorch(t, func() error {
			p := nn.NewParams()
			defer p.Free()
			head := NewTransform(p, f.Config.Dim, f.Config.PretrainedShape)
			bias, err := head.Start(f, eachPiece(f))
			if lacking != first && !isSentence(err, f.Dir, fmt.Sprintf("no tensor %q", lacking)) {
				t.Errorf("without %s: %v", lacking, err)
			}
			if lacking == first && (err != nil || bias != nil || !isIdentity(head)) {
				t.Errorf("without %s: bias %v, %v", lacking, bias, err)
			}
			_, err = states(f)
			return err
		})
	}
}

func isIdentity(head *Transform) bool {
	d := int(head.dense.W.Size(0))
	for i, w := range head.dense.W.Floats() {
		if want := i/d == i%d; (w == 1) != want || w != 0 && !want {
			return false
		}
	}
	return !slices.ContainsFunc(head.dense.B.Floats(), func(b float32) bool { return b != 0 })
}

// isSentence reports whether an error is for the user and is one sentence with the given words.
func isSentence(err error, words ...string) bool {
	if err == nil || userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n") ||
		len(err.Error()) > 500 {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(err.Error(), w) })
}
