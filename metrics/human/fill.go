package human

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Filled is a form with the answers that it has so far. Nothing in it says who wrote what: the key
// is not read.
type Filled struct {
	Questions []Question // by number
	Answers   []string   // of each, "" where there is none

	path string
	rows [][]string // as they stand in the file, below its header
}

// Answers are what an annotator may choose from.
func Answers() []string { return slices.Clone(answers) }

// Forms are the annotators whose forms a folder has, from 1 on.
func Forms(dir string) ([]int, error) {
	var out []int
	for {
		_, err := os.Stat(filepath.Join(dir, formFile(len(out)+1)))
		if err != nil && len(out) == 0 {
			return nil, userr.New(userr.BadInput, "there is no %s in %q: give the folder that `smlm-exp human export` wrote",
				formFile(1), dir)
		} else if err != nil {
			return out, nil
		}
		out = append(out, len(out)+1)
	}
}

// OpenForm reads the form of an annotator.
func OpenForm(dir string, annotator int) (*Filled, error) {
	f := &Filled{path: filepath.Join(dir, formFile(annotator))}
	raw, err := read(f.path)
	if err != nil {
		return nil, err
	}
	if f.rows, err = formRows(f.path, raw); err != nil {
		return nil, err
	}
	f.Questions, f.Answers = make([]Question, len(f.rows)), make([]string, len(f.rows))
	for i, row := range f.rows {
		number, err := strconv.Atoi(strings.TrimSpace(row[0]))
		if err != nil || number < 1 || number > len(f.rows) || f.Questions[number-1].Number != 0 {
			return nil, badNumber(f.path, i, row[0], len(f.rows))
		}
		f.Questions[number-1] = Question{number, row[1], row[2], row[3], row[4]}
		f.Answers[number-1] = strings.ToLower(strings.TrimSpace(row[5]))
	}
	return f, nil
}

// Answer writes an answer into the form's file, whose rows stay where they are.
func (f *Filled) Answer(number int, answer string) error {
	if number < 1 || number > len(f.rows) {
		return userr.New(userr.BadInput, "there is no question %d: the form has %d", number, len(f.rows))
	}
	if !slices.Contains(answers, answer) {
		return userr.New(userr.BadInput, "the answer must be 1, 2, both or neither, it is %q", answer)
	}
	for _, row := range f.rows {
		if strings.TrimSpace(row[0]) == strconv.Itoa(number) {
			row[5] = answer
		}
	}
	f.Answers[number-1] = answer
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(append([][]string{formHeader}, f.rows...)); err != nil {
		return err
	}
	return files.Update(f.path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}
