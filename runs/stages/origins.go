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

// Origins says where the words of a guided output come from.
type Origins struct {
	Guide float64 `json:"guide,omitempty"` // the guide's p(target style | output), 0 without a guide
	Words []Word  `json:"words"`           // words of the output, and deleted words of the source
}

// Word is a word of an output, or a deleted word.
type Word struct {
	Word   string        `json:"word"` // "" for a deleted word
	Origin guided.Origin `json:"origin"`
	Place  int           `json:"place"`       // index of the source word at the same place
	P      float64       `json:"p,omitempty"` // SMLM's q(w | x^m, target style) of a filled word
}

// originsFile is the name of a transfer stage's file with the origins of its outputs: one line per
// output, direction after direction.
const originsFile = "origins.jsonl"

// WriteOrigins writes the origins of a transfer stage's outputs, in the order of originsFile.
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

// Line returns the line of originsFile for an output, without the line break.
func (o *Origins) Line() ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(o)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// ReadOrigins returns the origins of a transfer stage's outputs, by direction. It returns nil if
// the outputs are not guided. It checks that the words spell the outputs.
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

// spelled returns the words of the output.
func (o *Origins) spelled() []string {
	words := make([]string, 0, len(o.Words))
	for _, w := range o.Words {
		if w.Origin != guided.Deleted {
			words = append(words, w.Word)
		}
	}
	return words
}
