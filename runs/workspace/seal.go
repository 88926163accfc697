package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/files"
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
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		sum, err := files.SHA256(path)
		r.Files[filepath.ToSlash(name)] = File{info.Size(), sum}
		return err
	})
	if err != nil {
		return fmt.Errorf("sealing the stage: %w", err)
	}
	text, err := r.sealed()
	if err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, recordFile), text)
}

// sealed fills in the sum and returns stage.json.
func (r *Record) sealed() ([]byte, error) {
	r.Sum = ""
	text, err := r.text()
	if err != nil {
		return nil, fmt.Errorf("sealing the stage: %w", err)
	}
	before := append(bytes.TrimSuffix(text, []byte("\n}\n")), ",\n"...)
	r.Sum = files.Sum(before)
	return append(before, sumLine(r.Sum)...), nil
}

// sumLine is how stage.json ends.
func sumLine(sum string) string { return `  "sum": "` + sum + "\"\n}\n" }

// ToHandOn is stage.json for others: without the names of the machine, its folders and the command.
func (r *Record) ToHandOn() ([]byte, error) {
	c := *r
	c.Host, c.Command, c.Sources = "", nil, nil
	return c.sealed()
}

var errBroken = errors.New("it is not what was written")

// unseal decodes the text of a record, of which that of a finished stage must be as it was written.
func unseal(text []byte) (*Record, error) {
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.State != StateDone {
		return r, nil // of a failed try, which leaves no folder to seal
	}
	before, ok := bytes.CutSuffix(text, []byte(sumLine(r.Sum)))
	if ok && files.Sum(before) == r.Sum {
		return r, nil
	}
	if sum, err := canonicalSum(text, r.Sum); err != nil || sum != r.Sum {
		return nil, errors.Join(errBroken, err)
	}
	return r, nil
}

// canonicalSum is how records were sealed at first, which takes longer than decoding them: the
// sha256 in hex of the canonical JSON (RFC 8785) without its sum.
func canonicalSum(text []byte, sum string) (string, error) {
	canonical, err := plan.CanonicalText(text)
	if err != nil {
		return "", err
	}
	// Its own sum a text cannot hold at another place too.
	member := []byte(`"sum":"` + sum + `"`)
	before, after, found := bytes.Cut(canonical, member)
	if sum == "" || !found || bytes.Contains(after, member) {
		return "", errBroken
	}
	if rest, ok := bytes.CutPrefix(after, []byte(",")); ok {
		after = rest
	} else {
		before = bytes.TrimSuffix(before, []byte(","))
	}
	return files.Sum(before, after), nil
}
