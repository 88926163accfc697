package ngram

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The function saved returns the bytes of a saved model.
func saved(t testing.TB, m *Model) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestSaveLoad checks that a loaded model gives the same probabilities and is saved as the same
// bytes.
func TestSaveLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	rapid.Check(t, func(r *rapid.T) {
		text, order, vocab := small(r)
		m := Train(text, order, vocab)
		if err := m.Save(path); err != nil {
			r.Fatal(err)
		}
		first, _ := os.ReadFile(path)
		again, err := Load(path)
		if err != nil {
			r.Fatal(err)
		}
		for _, ids := range append(text, known(vocab)) {
			if got, want := again.LogProb(ids), m.LogProb(ids); got != want {
				r.Errorf("ln p %v after reading, %v before", got, want)
			}
		}
		if err := again.Save(path); err != nil {
			r.Fatal(err)
		}
		if second, _ := os.ReadFile(path); !bytes.Equal(first, second) {
			r.Error("the model that was read is written as other bytes")
		}
	})
}

// TestLoadRefuses checks that a change of any byte of a file, and truncation at any place, are
// detected.
func TestLoadRefuses(t *testing.T) {
	raw := saved(t, Train([][]int64{{a, b}, {a, c}}, 3, c+1))
	path := filepath.Join(t.TempDir(), "model.safetensors")
	refuses := func(name string, raw []byte) {
		t.Helper()
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := Load(path)
		if err == nil {
			// Some bytes of the header, such as blanks, may have no meaning. If such a byte is
			// changed, the model must stay the same.
			if !bytes.Equal(saved(t, m), saved(t, Train([][]int64{{a, b}, {a, c}}, 3, c+1))) {
				t.Errorf("%s is read as another model", name)
			}
			return
		}
		if !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q is not one sentence with the path", name, err)
		}
	}
	for i := range raw {
		damaged := bytes.Clone(raw)
		damaged[i] ^= 1
		refuses("a changed byte", damaged)
		if i%16 == 0 {
			refuses("a cut file", raw[:i])
		}
	}
	for _, foreign := range []string{"", "text\n", "\x02\x00\x00\x00\x00\x00\x00\x00{}"} {
		refuses("foreign", []byte(foreign))
		if _, err := Load(path); err == nil {
			t.Errorf("%q is read as a model", foreign)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is read")
	}
}

// FuzzLoad reads damaged files without verifying the checksum. A file may be refused, but if it is
// accepted, its model must be safe to query.
func FuzzLoad(f *testing.F) {
	f.Add([]byte{})
	f.Add(saved(f, Train(nil, 1, c)))
	f.Add(saved(f, Train([][]int64{{a, b}, {a, c}}, 3, c+1)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := decode(raw, false)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("not one sentence: %q", err)
			}
			return
		}
		for _, ids := range [][]int64{nil, {a, b}, {c, a, b, 1}, {2, c, c}} {
			if p := m.LogProb(ids); !(p <= 1e-6) {
				t.Fatalf("ln p of %v is %v", ids, p)
			}
			m.Window(ids, len(ids)/2)
		}
	})
}
