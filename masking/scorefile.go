package masking

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// A score file holds the scores of every word of a data set as JSON lines (docs/workspace.md). With
// a score file, masks for any policy and lambda_eps can be computed without a network, and a report
// can show what was masked and why. A float32 is written with enough digits to restore the same
// bits.

// ScoreRow is one sentence of a score file, with a score for each word.
type ScoreRow struct {
	Split  string    `json:"split"`  // "train", "dev" or "test"
	Style  int       `json:"style"`  // number of the style, from 0
	Line   int       `json:"line"`   // number of the sentence within its split and style, from 0
	Scores []float32 `json:"scores"` // one score per word; empty for a sentence without words
}

// part identifies the sentences of one style in a split.
type part struct {
	split string
	style int
}

func (p part) String() string { return fmt.Sprintf("style %d of split %q", p.style, p.split) }

// ScoreFile is a score file in memory. It does not change after reading, so it is safe for
// concurrent use.
type ScoreFile struct {
	parts map[part][][]float32 // the scores of the words, by part and line
}

// Rows returns the scores of one style in a split, indexed by line, or nil if the file has none.
// The slices are not copies, so the caller must not change them.
func (f *ScoreFile) Rows(split string, style int) [][]float32 {
	return f.parts[part{split, style}]
}

// Styles returns the number of styles in the file: its highest style number plus one.
func (f *ScoreFile) Styles() int {
	n := 0
	for p := range f.parts {
		n = max(n, p.style+1)
	}
	return n
}

// check rejects invalid rows. A score that is not a number would reach no threshold, so its word
// would never be masked.
func (r *ScoreRow) check() error {
	switch {
	case r.Split == "":
		return fmt.Errorf("line %d of style %d has no split", r.Line, r.Style)
	case r.Style < 0 || r.Style >= corpus.MaxStyles:
		return fmt.Errorf("line %d of split %q has style %d, not one from 0 to %d", r.Line, r.Split, r.Style,
			corpus.MaxStyles-1)
	case r.Line < 0 || r.Line > math.MaxInt32:
		return fmt.Errorf("%v has a line %d", part{r.Split, r.Style}, r.Line)
	}
	for i, x := range r.Scores {
		if x-x != 0 { // true if x is infinite or not a number
			return fmt.Errorf("word %d of line %d of %v has the score %v", i, r.Line, part{r.Split, r.Style}, x)
		}
	}
	return nil
}

// WriteScores writes a score file: one JSON object per line with the keys split, style, line and
// scores. After an error it leaves no incomplete file. The line numbers of each style in a split
// must be 0, 1, 2 and so on, but rows of other styles and splits may come between them.
func WriteScores(path string, rows iter.Seq[ScoreRow]) error {
	return files.Write(path, func(to io.Writer) error { return encode(to, rows) })
}

func encode(to io.Writer, rows iter.Seq[ScoreRow]) error {
	w := json.NewEncoder(to)
	next := map[part]int{}
	for r := range rows {
		if err := r.check(); err != nil {
			return err
		}
		p := part{r.Split, r.Style}
		if r.Line != next[p] {
			return fmt.Errorf("%v has line %d where line %d must follow", p, r.Line, next[p])
		}
		next[p]++
		if r.Scores == nil {
			r.Scores = []float32{}
		}
		if err := w.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// ReadScores reads a whole score file. Errors about the content are of kind userr.BadInput.
func ReadScores(path string) (*ScoreFile, error) {
	const again = "remove the folder of its stage, and `smlm-exp run` computes the scores again"
	file, err := files.Open(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "the score file cannot be read: %w; %s", err, again)
	}
	defer func() { _ = file.Close() }() // the file is only read, so an error of Close does not matter
	f, err := decodeScores(file)
	if err != nil {
		return nil, userr.New(userr.BadInput, "%q is not a complete score file: %w; %s", path, err, again)
	}
	return f, nil
}

func decodeScores(from io.Reader) (*ScoreFile, error) {
	f := &ScoreFile{parts: map[part][][]float32{}}
	for rows := json.NewDecoder(from); ; {
		var r ScoreRow
		if err := rows.Decode(&r); errors.Is(err, io.EOF) {
			return f, nil
		} else if err != nil {
			return nil, err
		}
		if err := r.check(); err != nil {
			return nil, err
		}
		p := part{r.Split, r.Style}
		if r.Line != len(f.parts[p]) {
			return nil, fmt.Errorf("%v has line %d where line %d must follow", p, r.Line, len(f.parts[p]))
		}
		f.parts[p] = append(f.parts[p], r.Scores)
	}
}
