package stages

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		for _, o := range all {
			if err := lines.Encode(o); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReadOrigins returns the origins of a transfer stage's outputs, by direction. It returns nil if
// the outputs are not guided.
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
	lines := json.NewDecoder(f)
	for direction, sentences := range outputs {
		all[direction] = make([]*Origins, len(sentences))
		for i := range sentences {
			if err := lines.Decode(&all[direction][i]); err != nil {
				return nil, fmt.Errorf("%q: %w; run the transfer again", path, err)
			}
		}
	}
	return all, nil
}
