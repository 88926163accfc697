package intake

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// readText takes every line that is not empty for a text of the source's style.
func readText(s Source, in io.Reader, each func(Row) error) error {
	return s.lines(in, func(text string, line int) error {
		return each(Row{Text: text, Label: s.Label, Path: s.Path, Line: line})
	})
}

// lines hands the lines that are not empty, from 1 on.
func (s *Source) lines(in io.Reader, each func(text string, line int) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	line := 0
	for scanner.Scan() {
		line++
		text := strings.TrimPrefix(scanner.Text(), "\ufeff") // within a file where others were put together
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := noNUL(s.Path, line, text); err != nil {
			return err
		}
		if err := s.carriageReturn(line, text); err != nil {
			return err
		}
		if err := each(text, line); err != nil {
			return err
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return s.tooLong(line + 1)
	} else if err != nil {
		return s.broken(line+1, err)
	}
	return nil
}

func (s *Source) tooLong(line int) error {
	return userr.New(userr.BadInput, "%s:%d: the line is longer than %d bytes: check that this is a text file", s.Path, line, maxLine)
}

// broken is said of a file, mostly a gzipped one, that breaks off or cannot be read to its end.
func (s *Source) broken(line int, err error) error {
	return userr.New(userr.BadInput, "%s:%d: the file is cut off or damaged (%w): download or write it again", s.Path, line,
		err)
}

// notTable words what is wrong with a line of CSV.
func (s *Source) notTable(err error) error {
	parse := (*csv.ParseError)(nil)
	switch {
	case !errors.As(err, &parse):
		return s.broken(1, err)
	case errors.Is(err, csv.ErrFieldCount):
		return userr.New(userr.BadInput, "%s:%d: the line and the first line have different numbers of "+
			"fields: put texts that contain commas between quotation marks", s.Path, parse.StartLine)
	}
	return userr.New(userr.BadInput, "%s:%d: a quotation mark is not closed, or is inside a text (line %d, "+
		"column %d): put such a text between quotation marks and double those inside it", s.Path, parse.StartLine, parse.Line, parse.Column)
}

// readTable reads CSV (RFC 4180) or TSV, whose first line names the columns.
func readTable(s Source, in io.Reader, comma rune, each func(Row) error) error {
	next := newTSVReader(&s, in).read
	if comma == ',' {
		next = s.csvRows(in)
	}
	head, _, err := next()
	if errors.Is(err, io.EOF) {
		return userr.New(userr.BadInput, "%q is empty: its first line must name the columns", s.Path)
	} else if err != nil {
		return err
	}
	names := slices.Clone(head)
	if err := noNUL(s.Path, 1, names...); err != nil {
		return err
	}
	if err := s.carriageReturn(1, strings.Join(names, "\t")); err != nil {
		return err
	}
	if err := s.oneColumn(names); err != nil {
		return err
	}
	c, err := s.find(names)
	if err != nil {
		return err
	}
	open := openQuotes{comma: comma, label: c.label, labels: map[string]bool{}}
	for {
		record, line, err := next()
		if errors.Is(err, io.EOF) {
			return open.refuse(s.Path)
		} else if err != nil {
			return err
		}
		open.look(record, line)
		if err := each(c.row(&s, line, func(at int) string { return record[at] })); err != nil {
			return err
		}
	}
}

// mostRow is the most bytes of a row of CSV: what is one in a file is many times as much in memory.
const mostRow = 1 << 22

// mostCommas is the most commas of one: of each field the reader keeps some fifty bytes beside it.
const mostCommas = 1 << 16

// errLongRow is what a row of more bytes than mostRow ends with, errManyFields one of more commas
// than mostCommas.
var (
	errLongRow    = errors.New("the row is too long")
	errManyFields = errors.New("the row has too many fields")
)

// oneRow reads what one row may hold, and then fails.
type oneRow struct {
	in     io.Reader
	left   int
	commas int
}

func (o *oneRow) Read(b []byte) (int, error) {
	if o.left <= 0 {
		return 0, errLongRow
	}
	if o.commas > mostCommas {
		return 0, errManyFields
	}
	n, err := o.in.Read(b)
	o.left -= n
	o.commas += bytes.Count(b[:n], []byte(","))
	return n, err
}

// csvRows returns what reads the rows of CSV and the numbers of their first lines.
func (s *Source) csvRows(in io.Reader) func() ([]string, int, error) {
	bounded := &oneRow{in: in}
	r := csv.NewReader(bounded)
	r.ReuseRecord = true
	next := 1 // the first line behind the last row
	return func() ([]string, int, error) {
		bounded.left, bounded.commas = mostRow, 0
		record, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil, 0, io.EOF
		case errors.Is(err, errLongRow):
			return nil, 0, userr.New(userr.BadInput, "%s:%d: the row that starts here has over %d bytes: "+
				"close an open quotation mark, or remove the row", s.Path, next, mostRow)
		case errors.Is(err, errManyFields):
			return nil, 0, userr.New(userr.BadInput, "%s:%d: the row that starts here has over %d commas: "+
				"close an open quotation mark, or keep only the columns of texts and labels", s.Path, next, mostCommas)
		case err != nil:
			return nil, 0, s.notTable(err)
		}
		line, _ := r.FieldPos(0)
		next = line + 1
		for _, field := range record {
			next += strings.Count(field, "\n")
		}
		return record, line, nil
	}
}

// openQuotes looks for fields that hold rows: they begin with a quotation mark that is never
// closed, and end where another text begins.
type openQuotes struct {
	comma   rune
	label   int // the column
	labels  map[string]bool
	suspect []suspect
}

// suspect is a field whose whole lines have as many fields as a row; they are rows if their labels
// are some of the table, which is known at its end.
type suspect struct {
	line   int
	rows   int
	labels map[string]bool
}

// The most labels and suspects that are remembered; more labels are refused anyway.
const (
	mostLabels   = corpus.MostStyles
	mostSuspects = 1000
)

// look takes a row into account, and the number of its first line.
func (o *openQuotes) look(record []string, line int) {
	if o.label < 0 { // a table of pairs, in which nothing tells a row from a line of a text
		return
	}
	if len(o.labels) < mostLabels {
		o.labels[record[o.label]] = true
	}
	for field, text := range record {
		lines := strings.Split(text, "\n")
		if len(lines) == 1 || len(o.suspect) == mostSuspects {
			continue
		}
		from, to := 1, len(lines)-1
		if field == 0 {
			from = 0
		}
		if field == len(record)-1 {
			to = len(lines)
		}
		found := suspect{line: line, rows: to - from, labels: map[string]bool{}}
		for _, line := range lines[from:to] {
			r := csv.NewReader(strings.NewReader(line))
			r.Comma, r.LazyQuotes, r.FieldsPerRecord = o.comma, true, len(record)
			row, err := r.Read()
			if err != nil {
				row = strings.Split(line, string(o.comma))
			}
			if len(row) != len(record) || len(found.labels) > mostLabels {
				found.rows = 0
				break
			}
			found.labels[strings.Clone(row[o.label])] = true
		}
		if found.rows > 0 {
			o.suspect = append(o.suspect, found)
		}
	}
}

// refuse refuses a table with a suspect whose labels are all of the table.
func (o *openQuotes) refuse(path string) error {
	for _, s := range o.suspect {
		if o.knows(s.labels) {
			return userr.New(userr.BadInput, "%s:%d: a text between quotation marks contains what looks like "+
				"%s, so a quotation mark is not closed: close it, or double it and put the text between "+
				"quotation marks", path, s.line,
				wording.Count(s.rows, "row"))
		}
	}
	return nil
}

// knows tells whether all of some labels are those of rows.
func (o *openQuotes) knows(labels map[string]bool) bool {
	for label := range labels {
		if !o.labels[label] {
			return false
		}
	}
	return true
}

// carriageReturn refuses a line with a carriage return that does not end it, as files of old
// Macintoshes have them between lines.
func (s *Source) carriageReturn(line int, text string) error {
	if !strings.Contains(strings.TrimRight(text, "\r"), "\r") {
		return nil
	}
	return userr.New(userr.BadInput, "%s:%d: there is a carriage return (U+000D) inside the line, which other "+
		"programs read as a line end: convert line ends with `tr '\\r' '\\n'`, or remove it", s.Path, line)
}
