package policy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

// maskFile returns the path of the mask file for the sentences of one style in a split. The file
// has one line per sentence and one digit (0 or 1) per word.
func maskFile(dir string, split corpus.Split, style int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.mask", split, style))
}

// WriteMasks writes the masks for the sentences of one style in a split.
func WriteMasks(dir string, split corpus.Split, style int, masks [][]bool) error {
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

// readMasks returns the masks for the sentences of one style in a split. Any byte other than 0, 1
// and newline is an error.
func readMasks(dir string, split corpus.Split, style int) ([][]bool, error) {
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
				return nil, fmt.Errorf("line %d contains %q, but a mask consists of 0 and 1", len(masks)+1, c)
			}
			m = append(m, c == '1')
		}
		masks = append(masks, m)
	}
	return masks, nil
}

// ReadSplitMasks returns the masks of a split, style by style. text has the sentences by style.
// Each mask must have as many entries as its sentence has words.
func ReadSplitMasks(dir string, split corpus.Split, text [][]corpus.Sentence) ([][]bool, error) {
	var all [][]bool
	for style, sentences := range text {
		masks, err := readMasks(dir, split, style)
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

// Counts holds the size of a set of masks, and how many of its words are masked.
type Counts struct {
	Sentences int `json:"sentences"`
	Words     int `json:"words"`
	Masked    int `json:"masked"`
	All       int `json:"all"`  // sentences with all words masked
	None      int `json:"none"` // sentences with no word masked
}

// Count returns the Counts of the given masks.
func Count(masks [][]bool) Counts {
	var c Counts
	for _, m := range masks {
		k := 0
		for _, on := range m {
			if on {
				k++
			}
		}
		c.Sentences++
		c.Words += len(m)
		c.Masked += k
		if k == 0 {
			c.None++
		} else if k == len(m) {
			c.All++
		}
	}
	return c
}

// Share returns the share of words that are masked, from 0 to 1.
func (c Counts) Share() float64 {
	if c.Words == 0 {
		return 0
	}
	return float64(c.Masked) / float64(c.Words)
}
