package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/smlm-exp/smlm-exp/internal/machine"
)

// program names the running program: another may compute otherwise. It is the commit and the Go
// release where the tree had no changes, so that programs built side by side share what they
// remember, else the sha256 of the file; "" where that cannot be read.
var program = sync.OnceValue(func() string {
	if info, ok := machine.ReadBuild(); ok && info.Commit != "" && !info.Modified {
		return info.Commit + " " + runtime.Version()
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	sum, err := SHA256(path)
	if err != nil {
		return ""
	}
	return sum
})

// CacheKey is the sha256 of the running program and of the JSON of what something is computed of.
// It is "" where there is none, as of a value that holds no number: such a thing is not remembered.
func CacheKey(of ...any) string {
	text, err := json.Marshal(of)
	if err != nil || program() == "" {
		return ""
	}
	return Sum([]byte(program()), text)
}

// Sum is the sha256 of some bytes in hex.
func Sum(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// file is what lies on disk; Sum tells whether Values is as it was written.
type file[T any] struct {
	Sum    string       `json:"sum"`
	Values map[string]T `json:"values"`
}

// ReadCache returns what WriteCache wrote, by key; nothing where the file is not there or is
// damaged.
func ReadCache[T any](path string) map[string]T {
	var f file[json.RawMessage]
	out := map[string]T{}
	text, err := ReadSmall(path)
	if err != nil || json.Unmarshal(text, &f) != nil || f.Sum != sumOf(f.Values) {
		return out
	}
	for key, value := range f.Values {
		var v T
		if json.Unmarshal(value, &v) == nil {
			out[key] = v
		}
	}
	return out
}

// WriteCache writes values by key; one that has no JSON is left out, as is the key "".
func WriteCache[T any](w io.Writer, values map[string]T) error {
	f := file[json.RawMessage]{Values: map[string]json.RawMessage{}}
	for key, value := range values {
		if text, err := json.Marshal(value); err == nil && key != "" {
			f.Values[key] = text
		}
	}
	f.Sum = sumOf(f.Values)
	return json.NewEncoder(w).Encode(f)
}

func sumOf(values map[string]json.RawMessage) string {
	text, err := json.Marshal(values) // in the order of keys, without blanks
	if err != nil {
		return ""
	}
	return Sum(text)
}
