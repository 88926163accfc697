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

// maxLine is the maximum number of bytes of a line, or of a CSV row, which may span several lines.
const maxLine = 1 << 22

// readText takes every non-empty line as a text of the source's style.
func readText(s Source, input *bufio.Reader, visit func(Row) error) error {
	return s.lines(input, func(text string, line int) error {
		return visit(Row{Text: text, Label: s.Label, Path: s.Path, Line: line})
	})
}

// lines reads the input and calls the function visit with every non-empty line and its number.
// Numbers start at 1. The buffer of the input must hold maxLine bytes.
func (s *Source) lines(input *bufio.Reader, visit func(text string, line int) error) error {
	for line := 1; ; line++ {
		raw, readErr := input.ReadSlice('\n')
		if errors.Is(readErr, bufio.ErrBufferFull) {
			return userr.New(userr.BadInput, "%s:%d: the line is longer than %d bytes: check that this is a text "+
				"file", s.Path, line, maxLine)
		}
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return s.broken(line, readErr)
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
		if strings.TrimSpace(text) != "" {
			if err := s.checkLine(text, line); err != nil {
				return err
			}
			if err := visit(text, line); err != nil {
				return err
			}
		}
		if readErr != nil {
			return nil
		}
	}
}

// The method broken returns the error for a file that is cut off or unreadable. This happens mostly
// to gzipped files.
func (s *Source) broken(line int, err error) error {
	return userr.New(userr.BadInput, "%s:%d: the file is cut off or damaged (%w): download or write it again", s.Path, line,
		err)
}

// checkLine refuses a line with a carriage return inside. Files of old Macintoshes have such lines,
// because their lines end with a carriage return.
func (s *Source) checkLine(text string, line int) error {
	if !strings.Contains(strings.TrimRight(text, "\r"), "\r") {
		return nil
	}
	return userr.New(userr.BadInput, "%s:%d: there is a carriage return (U+000D) inside the line, which other "+
		"programs read as a line end: convert line ends with `tr '\\r' '\\n'`, or remove it", s.Path, line)
}

// readTable reads CSV or TSV. The first row names the columns.
func readTable(s Source, rows func(visit func(cells []string, line int) error) error, visit func(Row) error) error {
	var c *columns
	err := rows(func(cells []string, line int) error {
		if c == nil {
			found, err := s.find(cells)
			c = &found
			return err
		}
		return visit(c.row(&s, line, func(column int) string { return cells[column] }))
	})
	if err == nil && c == nil {
		return userr.New(userr.BadInput, "%q is empty: its first line must name the columns", s.Path)
	}
	return err
}

// tsv reads a TSV file, which has one row per line, and calls the function visit with each row. It
// removes the quotation marks around a field if all quotation marks inside the field are doubled.
// Otherwise all marks are part of the text, as in most published files.
func (s *Source) tsv(input *bufio.Reader, visit func(cells []string, line int) error) error {
	fields := 0 // number of fields of the first line
	return s.lines(input, func(text string, line int) error {
		cells := strings.Split(text, "\t")
		if fields == 0 {
			fields = len(cells)
		}
		if len(cells) != fields {
			return userr.New(userr.BadInput, "%s:%d: the line has %s, but the first line has %d: a text must "+
				"contain no tab and no line end, or write the file as CSV", s.Path, line,
				wording.Count(len(cells), "field"), fields)
		}
		for i := range cells {
			cells[i] = unquoted(cells[i])
		}
		return visit(cells, line)
	})
}

// unquoted removes the quotation marks around a field if all quotation marks inside it are doubled.
func unquoted(field string) string {
	inner, opened := strings.CutPrefix(field, `"`)
	inner, closed := strings.CutSuffix(inner, `"`)
	if !opened || !closed || strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`) {
		return field
	}
	return strings.ReplaceAll(inner, `""`, `"`)
}

// csv reads CSV (RFC 4180) and calls the function visit with each row and the number of the row's
// first line.
func (s *Source) csv(input io.Reader, visit func(cells []string, line int) error) error {
	bounded := &rowReader{Reader: input}
	r := csv.NewReader(bounded)
	line := 0
	for {
		bounded.bytesLeft = maxLine
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return s.notTable(err, line)
		}
		first := line == 0
		line, _ = r.FieldPos(0)
		if first {
			if err := s.checkLine(strings.Join(cells, ","), line); err != nil {
				return err
			}
		}
		if err := visit(cells, line); err != nil {
			return err
		}
	}
}

// rowReader limits the bytes of one row. Without a limit, a quotation mark that is not closed would
// turn the whole rest of the file into one row.
type rowReader struct {
	io.Reader
	bytesLeft int
}

var errLongRow = errors.New("the row is too long")

func (r *rowReader) Read(b []byte) (int, error) {
	if r.bytesLeft <= 0 {
		return 0, errLongRow
	}
	n, err := r.Reader.Read(b)
	r.bytesLeft -= n
	return n, err
}

// notTable turns an error of the CSV reader into an error for the user. The last good row begins at
// the given line.
func (s *Source) notTable(err error, line int) error {
	parse := (*csv.ParseError)(nil)
	switch {
	case errors.Is(err, errLongRow):
		return userr.New(userr.BadInput, "%s:%d: the row after this one has over %d bytes: close an open "+
			"quotation mark, or remove the row", s.Path, line, maxLine)
	case !errors.As(err, &parse):
		return s.broken(line+1, err)
	case errors.Is(err, csv.ErrFieldCount):
		return userr.New(userr.BadInput, "%s:%d: the line and the first line have different numbers of "+
			"fields: put texts that contain commas between quotation marks", s.Path, parse.StartLine)
	}
	return userr.New(userr.BadInput, "%s:%d: a quotation mark is not closed, or is inside a text (line %d, "+
		"column %d): put such a text between quotation marks and double those inside it", s.Path, parse.StartLine, parse.Line, parse.Column)
}
