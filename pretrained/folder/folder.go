// Package folder reads the folder of a pretrained encoder as HuggingFace's transformers writes it:
// config.json, the weights as safetensors, and the tokenizer. It reads what it is given and fetches
// nothing. It has no tensors: package pretrained makes a model of what it finds.
package folder

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Folder is a folder whose parts were checked: its config is of a known family, every shard of its
// weights is whole, and its tokenizer has an id for every row of the table of pieces at most.
type Folder struct {
	Dir       string
	Config    Config
	Tokenizer *Tokenizer

	tensors map[string]tensorInfo
	shards  []string // names of the files of the weights, in order
}

// Open checks a folder and reads all of it but the weights' numbers. Errors are of kind
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
	if err := f.findWeights(); err != nil {
		return nil, err
	}
	if err := f.checkEncoder(); err != nil {
		return nil, err
	}
	if f.Tokenizer, err = openTokenizer(dir, f.Config.Family); err != nil {
		return nil, err
	}
	if err := f.checkPieces(); err != nil {
		return nil, err
	}
	return f, nil
}

// checkPieces refuses a tokenizer that is not the model's. A model may have more pieces, which
// nothing uses. A vocab.txt that is cut is a list of pieces still: so it may lack an eighth of them
// at most, and where it lacks some its last line must end.
func (f *Folder) checkPieces() error {
	n, most := f.Tokenizer.Len(), f.Config.Vocab
	if n > most {
		return userr.New(userr.BadInput, "the tokenizer of %q has %d pieces, but its model has %d: they do "+
			"not belong together",
			f.Dir, n, most)
	}
	if _, err := os.Stat(f.path(tokenizerName)); err == nil || n == most {
		return nil
	}
	raw, err := readBounded(f.path(vocabularyName), mostTokenizer)
	if err == nil && (n < most-most/8 || !bytes.HasSuffix(raw, []byte("\n"))) {
		err = userr.New(userr.BadInput, "%s has %d pieces, but the model has %d: it is cut off, or belongs to "+
			"another model",
			f.path(vocabularyName), n, most)
	}
	return err
}

// Digest returns the sha256 in hex of all Files, each under its name: what a model that starts here
// depends on.
func (f *Folder) Digest() (string, error) {
	all := sha256.New()
	for _, name := range f.Files() {
		path := f.path(name)
		sum, err := files.SHA256(path)
		if err != nil {
			return "", userr.New(userr.BadInput, "%s cannot be read: %w", path, files.Cause(err))
		}
		_, _ = fmt.Fprintln(all, name, sum)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// Files lists the files of the folder that a model is made of.
func (f *Folder) Files() []string {
	names := []string{configFile}
	for _, name := range append(slices.Clone(tokenizerFiles), indexFile) {
		if _, err := os.Stat(f.path(name)); err == nil && (name != indexFile || f.shards[0] != weightsFile) {
			names = append(names, name)
		}
	}
	return append(names, f.shards...)
}

// Bytes returns the size of the weights' files.
func (f *Folder) Bytes() (n int64) {
	for _, name := range f.shards {
		if size, _, _, err := files.Stat(filepath.Join(f.Dir, name)); err == nil {
			n += size
		}
	}
	return n
}

// readBounded returns what is in a file of the folder, which may have so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "%s cannot be read: %w", path, files.Cause(err))
	}
	defer func() { _ = file.Close() }() // it was read
	if info, err := file.Stat(); err == nil && info.Size() > most {
		return nil, userr.New(userr.BadInput, "%s has %d MB, but at most %d are read: it is not what its name "+
			"says", path,
			info.Size()>>20, most>>20)
	}
	raw, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil || int64(len(raw)) > most {
		return nil, userr.New(userr.BadInput, "%s cannot be read: %w", path,
			cmp.Or(err, fmt.Errorf("it grew beyond %d MB", most>>20)))
	}
	return raw, nil
}
