package stages

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
)

func maskFile(dir string, split corpus.Split, style int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.mask", split, style))
}

func writeMasks(dir string, split corpus.Split, style int, masks [][]bool) error {
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

// readMasks returns the masks of a split, style 0 then style 1, as labelled's items lie.
func readMasks(dir string, t *corpus.Dataset, split corpus.Split) ([][]bool, error) {
	var masks [][]bool
	for style, sentences := range t.Text[split] {
		path := maskFile(dir, split, style)
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		n := 0
		for ; lines.Scan(); n++ {
			if n >= len(sentences) || len(lines.Bytes()) != len(sentences[n]) {
				return nil, fmt.Errorf("reading %q: line %d does not fit its sentence", path, n+1)
			}
			m := make([]bool, len(sentences[n]))
			for i, c := range lines.Bytes() {
				m[i] = c == '1'
			}
			masks = append(masks, m)
		}
		if n != len(sentences) {
			return nil, fmt.Errorf("reading %q: %d lines for %d sentences", path, n, len(sentences))
		}
	}
	return masks, nil
}
