package policy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// maskFile is where a folder of masks has those of one style's sentences of a split: a line of 0
// and 1 for each, one digit a word.
func maskFile(dir string, split corpus.Split, style int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.mask", split, style))
}

// Write writes the masks of one style's sentences of a split.
func Write(dir string, split corpus.Split, style int, masks [][]bool) error {
	return files.WriteBytes(maskFile(dir, split, style), encode(masks))
}

func encode(masks [][]bool) []byte {
	var text []byte
	for _, m := range masks {
		for _, on := range m {
			digit := byte('0')
			if on {
				digit = '1'
			}
			text = append(text, digit)
		}
		text = append(text, '\n')
	}
	return text
}

// Read returns the masks of one style's sentences of a split. Any byte that is no digit of a mask
// is an error.
func Read(dir string, split corpus.Split, style int) ([][]bool, error) {
	path := maskFile(dir, split, style)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	masks, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	return masks, nil
}

func decode(raw []byte) ([][]bool, error) {
	var masks [][]bool
	for line := range bytes.Lines(raw) {
		m := make([]bool, 0, len(line))
		for _, c := range bytes.TrimSuffix(line, []byte("\n")) {
			if c != '0' && c != '1' {
				return nil, fmt.Errorf("line %d holds %q, but a mask is of 0 and 1", len(masks)+1, c)
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
