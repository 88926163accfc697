package pretrained

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// changed opens a copy of a folder whose tensors have other names; those of the name "" are gone.
func changed(t *testing.T, of string, rename func(name string) string) *folder.Folder {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", of))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.safetensors")
	file := testkit.OpenTensors(t, path)
	all := map[string]safetensors.TensorView{}
	for _, tensor := range file.Tensors() {
		if name := rename(tensor.Name); name != "" {
			all[name] = tensor.TensorView
		}
	}
	raw, err := safetensors.Serialize(all, nil)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// states are those of the last layer for some pieces, of a model without a head.
func states(f *folder.Folder) (out []float32, err error) {
	m, err := Open(f, 0, NoHead)
	if err != nil {
		return nil, err
	}
	defer m.Params.Free()
	err = torch.NoGrad(func() error {
		out = m.Hidden(torch.FromInts([]int64{2, 17, 230, 399, 45, 3}, 2, 3), m.Config.Layers).Floats()
		return nil
	})
	return out, err
}

// TestOtherNames: an encoder that was saved without what was behind it, and one with the names that
// layer norms had before 2019, is the same encoder bit by bit.
func TestOtherNames(t *testing.T) {
	for family := range families {
		name := string(family)
		f := changed(t, name, func(name string) string { return name })
		prefix := f.Parts().Prefix
		if prefix == "" {
			t.Fatalf("%s has no prefix", name)
		}
		renamed := map[string]*folder.Folder{"alone": changed(t, name, func(name string) string {
			if alone, ok := strings.CutPrefix(name, prefix); ok {
				return alone
			}
			return ""
		})}
		if family != folder.DistilBERT { // which has no such old folders
			norms := 0
			older := strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")
			renamed["old"] = changed(t, name, func(name string) string {
				if name != older.Replace(name) {
					norms++
				}
				return older.Replace(name)
			})
			if norms < 10 {
				t.Fatalf("%s has %d weights of layer norms", name, norms)
			}
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
					t.Errorf("%s %s: %v, want %v", kind, name, got[:4], want[:4])
				}
				if own, err := Pieces(f); err != nil || !slices.Equal(own, table) {
					t.Errorf("%s %s: other vectors of pieces: %v", kind, name, err)
				}
				for _, head := range []Head{Masked, Replaced} {
					if _, err := Open(f, 0, head); kind == "alone" && !isSentence(err, f.Dir, "has no head of "+head.String()) {
						t.Errorf("%s %s: %v", kind, name, err)
					}
				}
			}
			return nil
		})
	}
}

// isSentence says whether an error is for the user, of one sentence with some words.
func isSentence(err error, words ...string) bool {
	if err == nil || userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n") ||
		len(err.Error()) > 500 {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(err.Error(), w) })
}

// TestLackingHeads: a head without any of its tensors is refused, as one that the folder does not
// have at all is. An encoder needs none of them.
func TestLackingHeads(t *testing.T) {
	for family, head := range families {
		name := string(family)
		var heads []string
		whole := changed(t, name, func(tensor string) string {
			heads = append(heads, tensor)
			return tensor
		})
		prefix := whole.Parts().Prefix
		heads = slices.DeleteFunc(heads, func(tensor string) bool {
			return strings.HasPrefix(tensor, prefix)
		})
		if want := map[Head]int{Masked: 5, Replaced: 4}[head]; len(heads) != want {
			t.Errorf("%s has the tensors %v behind the encoder, want %d", name, heads, want)
		}
		lacking := map[string]*folder.Folder{}
		for _, tensor := range heads {
			lacking[tensor] = changed(t, name, func(name string) string {
				if name == tensor {
					return ""
				}
				return name
			})
		}
		parity.OnTorch(t, func() error {
			for tensor, f := range lacking {
				_, err := Open(f, 0, head)
				if !isSentence(err, f.Dir, fmt.Sprintf("no tensor %q", tensor)) && !isSentence(err, f.Dir, "has no head of "+head.String()) {
					t.Errorf("%s without %s: %v", name, tensor, err)
				}
				if _, err := states(f); err != nil {
					t.Errorf("the encoder of %s without %s: %v", name, tensor, err)
				}
			}
			for _, other := range []Head{Masked, Replaced} {
				m, err := Open(whole, 0, other)
				if other == head {
					if err != nil {
						return err
					}
					m.Params.Free()
				} else if !isSentence(err, whole.Dir, "has no head of "+other.String()+": it is "+whole.Config.Head) {
					t.Errorf("%s with the head of %v: %v", name, other, err)
				}
			}
			const fewer = "has 2 layers, but 3 are asked for"
			if _, err := Open(whole, 3, NoHead); !isSentence(err, whole.Dir, fewer) {
				t.Errorf("3 layers of %s: %v", name, err)
			}
			return nil
		})
	}
}
