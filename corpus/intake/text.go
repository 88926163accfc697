package intake

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
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
		text := scanner.Text()
		if line++; line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := noNUL(s.Path, line, text); err != nil {
			return err
		}
		if err := each(text, line); err != nil {
			return err
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return userr.New(userr.BadInput, "%s:%d: the line has over %d bytes: is it a text file?", s.Path, line+1, maxLine)
	} else if err != nil {
		return s.broken(line+1, err)
	}
	return nil
}

// broken is said of a file, mostly a gzipped one, that breaks off or cannot be read to its end.
func (s *Source) broken(line int, err error) error {
	return userr.New(userr.BadInput, "%s:%d: the file breaks off or is damaged (%w): fetch or write it again", s.Path, line,
		err)
}

// notTable words what is wrong with a line of CSV or TSV.
func (s *Source) notTable(err error) error {
	parse := (*csv.ParseError)(nil)
	switch {
	case !errors.As(err, &parse):
		return s.broken(1, err)
	case errors.Is(err, csv.ErrFieldCount):
		return userr.New(userr.BadInput, "%s:%d: the line has not as many fields as the first one: put a text with commas "+
			"between quotation marks", s.Path, parse.StartLine)
	}
	return userr.New(userr.BadInput, "%s:%d: a quotation mark is not closed, or stands within a text (line %d, column %d): "+
		"put such a text between quotation marks and double those in it", s.Path, parse.StartLine, parse.Line, parse.Column)
}

// readTable reads CSV (RFC 4180) or TSV, whose first line names the columns.
func readTable(s Source, in io.Reader, comma rune, each func(Row) error) error {
	r := csv.NewReader(in)
	r.Comma, r.ReuseRecord = comma, true
	r.LazyQuotes = comma == '\t' // in TSV a quotation mark is often a letter like others
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return userr.New(userr.BadInput, "%q is empty: its first line must name the columns", s.Path)
	} else if err != nil {
		return s.notTable(err)
	}
	names := append([]string(nil), head...)
	names[0] = strings.TrimPrefix(names[0], "\ufeff")
	if err := noNUL(s.Path, 1, names...); err != nil {
		return err
	}
	if err := s.oneColumn(names); err != nil {
		return err
	}
	c, err := s.find(names)
	if err != nil {
		return err
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return s.notTable(err)
		}
		line, _ := r.FieldPos(0)
		row := Row{Text: record[c.text], Label: record[c.label], Path: s.Path, Line: line}
		if c.split >= 0 {
			row.Split = record[c.split]
		}
		if err := each(row); err != nil {
			return err
		}
	}
}
