package stages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// Origins say why the words of a guided output are there.
type Origins struct {
	Guide float64 `json:"guide,omitempty"` // the guide's p(style asked for | output), 0 without a guide
	Words []Word  `json:"words"`           // of the output, and those of the source that are deleted
}

// Word is one of an output.
type Word struct {
	Word   string        `json:"word"` // "" where one is deleted
	Origin guided.Origin `json:"origin"`
	Place  int           `json:"place"`       // of the source's word that it stands for, from 0 on
	P      float64       `json:"p,omitempty"` // SMLM's q(w | x^m, the style asked for) of a filled word
}

// originsFile is of a transfer stage: a line an output, direction after direction.
const originsFile = "origins.jsonl"

// WriteOrigins writes those of a transfer stage's outputs, in the order of its files.
func WriteOrigins(dir string, all []*Origins) error {
	return files.Write(filepath.Join(dir, originsFile), func(w io.Writer) error {
		for _, o := range all {
			line, err := o.Line()
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// Line is what the file has of an output, without the end of the line.
func (o *Origins) Line() ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(o)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// ReadOrigins returns those of a transfer stage's outputs, by direction; nil of a stage whose
// decoding is not guided. The words of each spell its output.
func ReadOrigins(dir string, outputs [][][]string) ([][]*Origins, error) {
	path := filepath.Join(dir, originsFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make([][]*Origins, len(outputs))
	lines, n := json.NewDecoder(f), 0
	for direction, sentences := range outputs {
		for _, words := range sentences {
			n++
			var o Origins
			if err := lines.Decode(&o); err != nil {
				return all, fmt.Errorf("%q, line %d: %w; run the transfer again", path, n, err)
			}
			if !slices.Equal(o.spelled(), words) {
				return all, fmt.Errorf("%q, line %d: its words differ from those of the output, %q; run the "+
					"transfer again",
					path, n, strings.Join(words, " "))
			}
			all[direction] = append(all[direction], &o)
		}
	}
	if lines.More() {
		return all, fmt.Errorf("%q has more lines than there are outputs, %d; run the transfer again", path, n)
	}
	return all, nil
}

// spelled are the words themselves.
func (o *Origins) spelled() []string {
	words := make([]string, 0, len(o.Words))
	for _, w := range o.Words {
		if w.Origin != guided.Deleted {
			words = append(words, w.Word)
		}
	}
	return words
}
