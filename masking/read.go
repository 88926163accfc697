package masking

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Read reads a whole score file. It takes files that another program wrote, in any order of rows
// and with other columns beside, as long as every style of a split has each of its lines once.
// Errors about the content are of kind userr.BadInput.
func Read(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "the score file cannot be read: %w; compute the scores again, or give "+
			"the right path", err)
	}
	f, err := decodeScores(raw)
	if err != nil {
		return nil, userr.New(userr.BadInput, "%q is not a complete score file: %w; compute the scores again, or "+
			"give the right path", path, err)
	}
	return f, nil
}

// Bounds of the rows of a file and of those a byte of it, far above what scores compress to, keep a
// damaged one from asking for more memory than there is.
const maxRows, maxRowsOfByte = 1 << 26, 1 << 12

func decodeScores(raw []byte) (f *File, err error) {
	// The library checks sums of the data, but damage elsewhere can make it index out of range.
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("it is damaged (%v)", r)
		}
	}()
	if err := checkEnds(raw); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(
		bytes.NewReader(raw), int64(len(raw)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
	)
	if err != nil {
		return nil, err
	}
	leaves, err := findLeaves(file)
	if err != nil {
		return nil, err
	}
	if n := file.NumRows(); n < 0 || n > min(maxRows, maxRowsOfByte*int64(len(raw))) {
		return nil, fmt.Errorf("it is damaged (%d rows)", n)
	}
	if err := countRows(file, leaves[0]); err != nil {
		return nil, err
	}
	rows := make([]Row, file.NumRows())
	done := 0
	for _, group := range file.RowGroups() {
		n := int(group.NumRows())
		if n < 0 || n > len(rows)-done {
			return nil, errors.New("it is damaged (row groups do not add up)")
		}
		if err := readGroup(group, leaves, rows[done:done+n]); err != nil {
			return nil, err
		}
		done += n
	}
	if done != len(rows) {
		return nil, errors.New("it is damaged (row groups do not add up)")
	}
	return arrange(rows)
}

// countRows looks whether a column has as many values as the file says that it has rows, for which
// memory is to be taken.
func countRows(file *parquet.File, l leaf) error {
	n := int64(0)
	for _, group := range file.RowGroups() {
		err := eachValue(group.ColumnChunks()[l.index], func(parquet.Value) error {
			n++
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading column %q: %w", l.name, err)
		}
	}
	if n != file.NumRows() {
		return fmt.Errorf("its column %q has %d values, the file has %d rows", l.name, n, file.NumRows())
	}
	return nil
}

// checkEnds looks at the marks around a Parquet file and at the length of its footer, which the
// library would allocate unseen.
func checkEnds(raw []byte) error {
	const mark = "PAR1"
	n := len(raw)
	switch {
	case n < len(mark) || string(raw[:len(mark)]) != mark:
		return errors.New("it is not a Parquet file")
	case n < 3*len(mark) || string(raw[n-len(mark):]) != mark ||
		int64(binary.LittleEndian.Uint32(raw[n-8:])) > int64(n-12):
		return errors.New("it is cut off or damaged")
	}
	return nil
}

// arrange puts every row at its line.
func arrange(rows []Row) (*File, error) {
	f := &File{parts: map[part]*column{}}
	seen := map[part][]bool{}
	for i := range rows {
		if err := rows[i].check(); err != nil {
			return nil, err
		}
		p := part{rows[i].Split, rows[i].Style}
		if seen[p] == nil {
			f.order = append(f.order, p)
		}
		seen[p] = append(seen[p], false)
	}
	for p, s := range seen {
		f.parts[p] = &column{make([][]float32, len(s)), make([]*float64, len(s)), make([]*float64, len(s))}
	}
	for _, r := range rows {
		p := part{r.Split, r.Style}
		c, s := f.parts[p], seen[p]
		switch {
		case r.Line >= len(s):
			return nil, fmt.Errorf("%v has %d rows but a line %d: rows are missing", p, len(s), r.Line)
		case s[r.Line]:
			return nil, fmt.Errorf("%v has line %d twice", p, r.Line)
		}
		s[r.Line] = true
		c.scores[r.Line], c.gap[r.Line], c.change[r.Line] = r.Scores, r.Gap, r.Change
	}
	return f, nil
}
