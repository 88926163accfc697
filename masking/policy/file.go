package policy

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
)

// maskFile is where a folder of masks has those of one style's sentences of a split: a line of 0
// and 1 for each, one digit a word.
func maskFile(dir string, split corpus.Split, style int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.mask", split, style))
}

// Write writes the masks of one style's sentences of a split.
func Write(dir string, split corpus.Split, style int, masks [][]bool) error {
	return atomicfile.Write(maskFile(dir, split, style), func(w io.Writer) error {
		for _, m := range masks {
			line := make([]byte, len(m)+1)
			for i, on := range m {
				line[i] = '0'
				if on {
					line[i] = '1'
				}
			}
			line[len(m)] = '\n'
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// Read returns the masks of one style's sentences of a split. Any byte that is no digit of a mask
// is an error.
func Read(dir string, split corpus.Split, style int) ([][]bool, error) {
	path := maskFile(dir, split, style)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var masks [][]bool
	for line := range bytes.Lines(raw) {
		m := make([]bool, 0, len(line))
		for _, c := range bytes.TrimSuffix(line, []byte("\n")) {
			if c != '0' && c != '1' {
				return nil, fmt.Errorf("reading %q: line %d holds %q, but a mask is of 0 and 1", path, len(masks)+1, c)
			}
			m = append(m, c == '1')
		}
		masks = append(masks, m)
	}
	return masks, nil
}

// ReadFor returns the masks of a split, style 0 then style 1, each of which must have as many words
// as its sentence.
func ReadFor(dir string, split corpus.Split, text [2][]corpus.Sentence) ([][]bool, error) {
	var all [][]bool
	for style, sentences := range text {
		masks, err := Read(dir, split, style)
		if err != nil {
			return nil, err
		}
		for i, m := range masks {
			if i >= len(sentences) || len(m) != len(sentences[i]) {
				return nil, fmt.Errorf(
					"reading %q: line %d does not fit its sentence", maskFile(dir, split, style), i+1,
				)
			}
		}
		if len(masks) != len(sentences) {
			return nil, fmt.Errorf(
				"reading %q: %d lines for %d sentences", maskFile(dir, split, style), len(masks), len(sentences),
			)
		}
		all = append(all, masks...)
	}
	return all, nil
}
