package corpus

import (
	"fmt"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Save writes the data set to dir, made if need be, in the layout Load reads. Where splits are
// given, the files of no other are written, and references only with Test. Each file is complete or
// absent.
func (d *Dataset) Save(dir string, splits ...Split) error {
	if len(splits) == 0 {
		splits = Splits[:]
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making %q: %w", dir, err)
	}
	for _, s := range splits {
		for style := range 2 {
			if err := WriteLines(filepath.Join(dir, FileName(s, style)), d.Text[s][style]); err != nil {
				return err
			}
		}
	}
	if !d.HasRefs() || !slices.Contains(splits, Test) {
		return nil
	}
	for style := range 2 {
		if err := WriteLines(filepath.Join(dir, RefName(style)), d.Refs[style]); err != nil {
			return err
		}
	}
	return nil
}

// WriteLines writes one sentence a line, words joined by one space: what ReadLines reads. The file
// is complete or absent. An empty sentence is written as an empty line, which ReadLines refuses.
func WriteLines(path string, sentences []Sentence) error {
	return files.Write(path, func(w io.Writer) error {
		for _, words := range sentences {
			if _, err := io.WriteString(w, strings.Join(words, " ")+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}
