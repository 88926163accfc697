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

// program identifies the running build, because another build may compute different results. For a
// build of a clean working tree, program is the commit and the Go release, so that identical builds
// share caches. Otherwise it is the SHA-256 of the executable, or "" if the executable cannot be
// read.
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

// CacheKey returns the key of a cached result: a SHA-256 of the result's inputs, as JSON, and of
// the running program. It returns "" if the program is unknown or if an input, such as NaN, has no
// JSON form. Results with the key "" are not cached.
func CacheKey(inputs ...any) string {
	text, err := json.Marshal(inputs)
	if err != nil || program() == "" {
		return ""
	}
	return Sum([]byte(program()), text)
}

// Sum returns the SHA-256 of the concatenated parts in hex.
func Sum(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// file is the content of a cache file. Sum is a hash of Values, which reveals damage.
type file[T any] struct {
	Sum    string       `json:"sum"`
	Values map[string]T `json:"values"`
}

// ReadCache returns the values that WriteCache wrote, by key. If the file is missing or damaged,
// the map is empty.
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

// WriteCache writes values by key. It leaves out the key "" and values, such as NaN, that have no
// JSON form.
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
	text, err := json.Marshal(values) // deterministic: json sorts the keys and adds no blanks
	if err != nil {
		return ""
	}
	return Sum(text)
}
