package naturalness

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func readWeights(path string) (*weightsFile, string, error) {
	data, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", userr.New(userr.BadInput, "the naturalness weights file %q does not exist; give the path of "+
			"a file of TOKEN TAB WEIGHT lines", path)
	}
	if err != nil {
		return nil, "", userr.New(userr.BadInput, "the naturalness weights file %q cannot be read: %w", path, err)
	}
	file, err := parseWeights(path, data)
	return file, shortHash(data), err
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// contentHash is the hash that the file will have when written.
func (f *weightsFile) contentHash() string {
	var b bytes.Buffer
	_ = f.write(&b) // a bytes.Buffer takes everything
	return shortHash(b.Bytes())
}
