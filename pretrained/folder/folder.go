// Package folder reads the folder of a pretrained BERT in the format of HuggingFace's transformers:
// config.json, model.safetensors and the WordPiece tokenizer. It downloads nothing and does not use
// torch: package pretrained builds models from it.
package folder

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Folder is a folder that was checked: its config is that of a BERT, its weights have every tensor
// of the encoder, and its tokenizer has at most as many pieces as the model.
type Folder struct {
	Dir       string
	Config    Config
	Tokenizer *Tokenizer

	tensors map[string]tensorInfo
}

// Open checks a folder and reads everything but the values of the weights. Errors are of kind
// userr.BadInput and name the file.
func Open(dir string) (*Folder, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, userr.New(userr.BadInput, "the pretrained encoder %q is not a readable folder: name one "+
			"with config.json, model.safetensors and tokenizer.json", dir)
	}
	f := &Folder{Dir: dir}
	var err error
	if f.Config, err = readConfig(filepath.Join(dir, configFile)); err != nil {
		return nil, err
	}
	if err := f.findTensors(); err != nil {
		return nil, err
	}
	if err := f.checkEncoder(); err != nil {
		return nil, err
	}
	if f.Tokenizer, err = openTokenizer(dir, f.Config.tokenizer); err != nil {
		return nil, err
	}
	if err := f.checkPieces(); err != nil {
		return nil, err
	}
	return f, nil
}

// checkPieces refuses a tokenizer that does not fit the model. The model may have more pieces than
// the tokenizer; the additional pieces stay unused. But if vocab.txt has fewer pieces than the
// model, it may also have been truncated. So it must then end with a newline, and have at least
// seven eighths of the model's pieces.
func (f *Folder) checkPieces() error {
	n, modelPieces := f.Tokenizer.Len(), f.Config.Vocab
	if n > modelPieces {
		return userr.New(userr.BadInput, "the tokenizer of %q has %d pieces, but its model has %d: they do "+
			"not belong together",
			f.Dir, n, modelPieces)
	}
	if _, err := os.Stat(f.path(tokenizerName)); err == nil || n == modelPieces {
		return nil
	}
	raw, err := readBounded(f.path(vocabularyName), maxTokenizer)
	if err == nil && (n < modelPieces-modelPieces/8 || !bytes.HasSuffix(raw, []byte("\n"))) {
		err = userr.New(userr.BadInput, "%s has %d pieces, but the model has %d: it is cut off, or belongs to "+
			"another model",
			f.path(vocabularyName), n, modelPieces)
	}
	return err
}

// MaxPieces returns the maximum number of pieces that the encoder reads of a text, special pieces
// included.
func (f *Folder) MaxPieces() int { return min(f.Config.Positions, f.Tokenizer.maxPieces) }

// Digest returns a SHA-256, in hex, of the names and the contents of all Files. It changes if any
// file that defines the model changes.
func (f *Folder) Digest() (string, error) {
	digest := sha256.New()
	for _, name := range f.Files() {
		path := f.path(name)
		sum, err := files.SHA256(path)
		if err != nil {
			return "", userr.New(userr.BadInput, "%s cannot be read: %w", path, files.Cause(err))
		}
		_, _ = fmt.Fprintln(digest, name, sum)
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// Files lists the files of the folder that define a model.
func (f *Folder) Files() []string {
	names := []string{configFile}
	for _, name := range tokenizerFiles {
		if _, err := os.Stat(f.path(name)); err == nil {
			names = append(names, name)
		}
	}
	return append(names, weightsFile)
}

// Bytes returns the size of the weights file, or 0 if it is unknown.
func (f *Folder) Bytes() int64 {
	info, err := os.Stat(f.path(weightsFile))
	if err != nil {
		return 0
	}
	return info.Size()
}

// path returns the path of a file of the folder.
func (f *Folder) path(name string) string { return filepath.Join(f.Dir, name) }

// readBounded returns the content of a file, or an error if the file has more than limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "%s cannot be read: %w", path, files.Cause(err))
	}
	defer func() { _ = file.Close() }() // closing cannot lose data: the file was only read
	if info, err := file.Stat(); err == nil && info.Size() > limit {
		return nil, userr.New(userr.BadInput, "%s has %d MB, but at most %d are read: it is not what its name "+
			"says", path,
			info.Size()>>20, limit>>20)
	}
	raw, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil || int64(len(raw)) > limit {
		return nil, userr.New(userr.BadInput, "%s cannot be read: %w", path,
			cmp.Or(err, fmt.Errorf("it grew beyond %d MB", limit>>20)))
	}
	return raw, nil
}

// The function damaged returns the error for a damaged file.
func damaged(path string, problem error) error {
	return userr.New(userr.BadInput, "%s is damaged: %w; download the file again", path, problem)
}

// readJSON decodes a file of limited size. The error is fs.ErrNotExist if the file is missing.
func readJSON(path string, limit int64, value any) error {
	raw, err := readBounded(path, limit)
	if err != nil {
		return err
	}
	err = json.Unmarshal(raw, value)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return damaged(path, fmt.Errorf("it is not JSON from byte %d on", syntax.Offset))
	} else if typeErr := (*json.UnmarshalTypeError)(nil); errors.As(err, &typeErr) {
		if typeErr.Field == "" {
			return damaged(path, fmt.Errorf("it is of type %s", typeErr.Value))
		}
		if number, ok := strings.CutPrefix(typeErr.Value, "number "); ok {
			return damaged(path, fmt.Errorf("%s is %.40s, which is not possible", typeErr.Field, number))
		}
		return damaged(path, fmt.Errorf("%s is of type %s", typeErr.Field, typeErr.Value))
	} else if err != nil {
		return damaged(path, err)
	}
	return nil
}
