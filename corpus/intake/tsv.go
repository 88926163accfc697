package intake

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// The most lines and bytes that one row of TSV may have.
const (
	mostJoined      = 200
	mostJoinedBytes = 1 << 20
)

// tsvReader reads the rows of TSV. There are two kinds of it: in one a quotation mark is a letter
// like others, and a line is a row; in the other, which spreadsheets and pandas write, a text that
// holds a tab, a line end or a quotation mark stands between quotation marks. A line with as many
// fields as the first one is a row; others may be the beginning of a text between quotation marks.
type tsvReader struct {
	source  *Source
	lines   *bufio.Scanner
	line    int      // number of the last line that was taken
	fields  int      // of a row, 0 before the first line
	pending []string // lines that were read and not taken
}

func newTSVReader(s *Source, in io.Reader) *tsvReader {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	return &tsvReader{source: s, lines: lines}
}

// peek returns the line so many places behind the last one that was taken, 0 for the next. The
// error is io.EOF behind the last.
func (t *tsvReader) peek(i int) (string, error) {
	for len(t.pending) <= i {
		if !t.lines.Scan() {
			at := t.line + len(t.pending) + 1
			if err := t.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
				return "", t.source.tooLong(at)
			} else if err != nil {
				return "", t.source.broken(at, err)
			}
			return "", io.EOF
		}
		t.pending = append(t.pending, t.lines.Text())
	}
	return t.pending[i], nil
}

// read returns the fields of the next row and the number of its first line; io.EOF behind the last.
func (t *tsvReader) read() ([]string, int, error) {
	first, err := t.peek(0)
	for err == nil && strings.TrimSpace(first) == "" && !strings.Contains(first, "\t") {
		t.take(1)
		first, err = t.peek(0)
	}
	if err != nil {
		return nil, 0, err
	}
	line := t.line + 1
	fields := strings.Split(first, "\t")
	if t.fields == 0 {
		t.fields = len(fields)
	}
	if len(fields) != t.fields || opens(fields[len(fields)-1]) && !t.isRow(1) {
		if joined, n := t.join(); joined != nil {
			t.take(n)
			return joined, line, nil
		}
	}
	if len(fields) != t.fields {
		return nil, 0, userr.New(userr.BadInput, "%s:%d: the line has %s, but the first line has %d: a text "+
			"must contain no tab and no line end, unless it is between quotation marks, with those inside it "+
			"doubled", t.source.Path, line,
			wording.Count(len(fields), "field"), t.fields)
	}
	if err := t.source.carriageReturn(line, first); err != nil {
		return nil, 0, err
	}
	for i := range fields {
		fields[i] = unquoted(fields[i])
	}
	t.take(1)
	return fields, line, nil
}

// take drops lines that a row was made of.
func (t *tsvReader) take(n int) {
	t.pending, t.line = t.pending[n:], t.line+n
}

// isRow tells whether the line so many places behind is a row by itself, or there is none.
func (t *tsvReader) isRow(i int) bool {
	line, err := t.peek(i)
	return err != nil || line == "" || strings.Count(line, "\t")+1 == t.fields
}

// join returns the row that the next lines are together, and how many they are, if a text between
// quotation marks has tabs or line ends.
func (t *tsvReader) join() ([]string, int) {
	var text strings.Builder
	for n := 1; n <= mostJoined && text.Len() < mostJoinedBytes; n++ {
		line, err := t.peek(n - 1)
		if err != nil {
			return nil, 0
		}
		text.WriteString(line + "\n")
		if !strings.Contains(line, `"`) {
			if n == 1 {
				return nil, 0
			}
			continue // no text ends here
		}
		r := csv.NewReader(strings.NewReader(text.String()))
		r.Comma, r.FieldsPerRecord = '\t', t.fields
		row, err := r.Read()
		if _, end := r.Read(); err == nil && errors.Is(end, io.EOF) {
			return row, n
		}
	}
	return nil, 0
}

// opens tells a field that begins with a quotation mark that it does not close.
func opens(field string) bool {
	return strings.HasPrefix(field, `"`) && unquoted(field) == field
}

// unquoted takes the quotation marks from around a field if those in it are doubled.
func unquoted(field string) string {
	inner, ok := strings.CutPrefix(field, `"`)
	if !ok {
		return field
	}
	if inner, ok = strings.CutSuffix(inner, `"`); !ok || strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`) {
		return field
	}
	return strings.ReplaceAll(inner, `""`, `"`)
}
