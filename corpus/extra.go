package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// ExtraName is the name of the file with further training sentences of a style:
// "train_extra.0.txt".
func ExtraName(style int) string { return fmt.Sprintf("train_extra.%d.txt", style) }

// ReadExtra reads train_extra.{0,1}.txt from dir, which must both be there, as strictly as Load
// reads train.{0,1}.txt. A missing file is a FolderError; the error has a line for each file.
func ReadExtra(dir string) (text [2][]Sentence, err error) {
	var errs [2]error
	for style := range text {
		path := filepath.Join(dir, ExtraName(style))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			errs[style] = &FolderError{userr.New(
				userr.BadInput, "train_extra needs %s, which the folder %q lacks: put it there with one sentence a line, or "+
					"take train_extra out", ExtraName(style), dir,
			)}
			continue
		}
		if text[style], errs[style] = ReadLines(path); errs[style] == nil {
			errs[style] = checkWords(path, text[style])
		}
	}
	return text, errors.Join(errs[:]...)
}

// AddExtra puts further training sentences behind those of the data set.
func (d *Dataset) AddExtra(text [2][]Sentence) {
	for style, sentences := range text {
		d.Text[Train][style] = append(d.Text[Train][style], sentences...)
	}
}
