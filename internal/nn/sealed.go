package nn

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// sealFormat ends checkpoint.json: the sha256 in hex of what stands before it.
const sealFormat = ",\"seal\":\"%x\"}\n"

// sealed is the text of checkpoint.json. A changed epoch or count of steps would make another model
// under the same identity, which nothing later could see.
func (s *state) sealed() ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("}"))
	return fmt.Appendf(text, sealFormat, sha256.Sum256(text)), nil
}

var errNotAsWritten = errors.New("it is not as it was written")

// unseal decodes such a text.
func (s *state) unseal(text []byte) error {
	i := max(0, bytes.LastIndex(text, []byte(`,"seal":"`)))
	if string(text[i:]) != fmt.Sprintf(sealFormat, sha256.Sum256(text[:i])) {
		return errNotAsWritten
	}
	if err := json.Unmarshal(text, s); err != nil {
		return errors.Join(errNotAsWritten, err)
	}
	return nil
}

// damaged says which file of a checkpoint is not as it was written, and the way out.
func damaged(path string, err error) error {
	return fmt.Errorf("a checkpoint cannot be gone on from, %q: %w: remove the folder %q to train anew", path, err,
		filepath.Dir(path))
}
