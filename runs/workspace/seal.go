package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// File is what a record knows of a file in its stage's folder.
type File struct {
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // in hex
}

// Seal notes what lies in a stage's folder and writes its record there: from now on another byte
// than these is damage.
func Seal(dir string, r *Record) error {
	r.Files, r.Sum = map[string]File{}, ""
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		r.Files[filepath.ToSlash(name)], err = digest(path)
		return err
	})
	if err != nil {
		return fmt.Errorf("sealing the stage: %w", err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("sealing the stage: %w", err)
	}
	if r.Sum, err = sumOf(text); err != nil {
		return fmt.Errorf("sealing the stage: %w", err)
	}
	return WriteRecord(filepath.Join(dir, recordFile), r)
}

// digest reads a file.
func digest(path string) (f File, err error) {
	in, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer in.Close()
	h := sha256.New()
	if f.Size, err = io.Copy(h, in); err != nil {
		return f, err
	}
	f.SHA256 = hex.EncodeToString(h.Sum(nil))
	return f, nil
}

// sumOf returns the sha256 in hex of a record's canonical JSON (RFC 8785) without its sum.
func sumOf(text []byte) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	delete(fields, "sum")
	text, err := plan.Canonical(fields)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

var errBroken = errors.New("it is not what was written")

// unseal decodes the text of a finished stage's record.
func unseal(text []byte) (*Record, error) {
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if sum, err := sumOf(text); err != nil || sum != r.Sum {
		return nil, errors.Join(errBroken, err)
	}
	return r, nil
}
