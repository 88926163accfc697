package files

import (
	"bytes"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestReadWrite checks that ReadCache returns what WriteCache wrote. If the file is truncated or a
// byte is changed, ReadCache returns nothing or the same content.
func TestReadWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	want := map[string]float64{"a": 0.1, "b": -1e-300}
	var text bytes.Buffer
	if err := WriteCache(&text, map[string]float64{"a": 0.1, "b": -1e-300, "no number": math.NaN(), "": 1}); err != nil {
		t.Fatal(err)
	}
	read := func(text []byte) map[string]float64 {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadCache[float64](path)
	}
	if got := read(text.Bytes()); !maps.Equal(got, want) {
		t.Errorf("wrote %v, read %v", want, got)
	}
	found := 0
	for i := range text.Bytes() {
		if got := read(text.Bytes()[:i]); len(got) > 0 && i < text.Len()-1 {
			t.Errorf("of the first %d of %d bytes: %v", i, text.Len(), got)
		}
		for _, flip := range []byte{1, 0x20, 0x80} {
			bad := bytes.Clone(text.Bytes())
			bad[i] ^= flip
			if got := read(bad); len(got) == 0 {
				found++
			} else if !maps.Equal(got, want) {
				t.Errorf("byte %d changed by %#x: %v", i, flip, got)
			}
		}
	}
	if found == 0 {
		t.Error("no change was found")
	}
	if got := ReadCache[float64](filepath.Join(t.TempDir(), "none")); len(got) > 0 {
		t.Errorf("of no file: %v", got)
	}
	if got := ReadCache[string](path); len(got) > 0 {
		t.Errorf("numbers as strings: %v", got)
	}
}

func TestKey(t *testing.T) {
	a := CacheKey("x", []float64{1, 2})
	if a == "" || a != CacheKey("x", []float64{1, 2}) || a == CacheKey("x", []float64{1, 3}) || a == CacheKey("x", 1, 2) {
		t.Errorf("the key %q is not of what it was given", a)
	}
	if got := CacheKey(math.NaN()); got != "" {
		t.Errorf("no number has the key %q", got)
	}
}
