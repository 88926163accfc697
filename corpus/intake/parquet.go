package intake

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// again is what to do about a file that is no Parquet.
const again = "download or write it again, or name it .csv, .tsv or .jsonl if it is one"

// readParquet reads the rows of a Parquet file. Columns within groups are not looked at.
func readParquet(s Source, f *os.File, each func(Row) error) (err error) {
	defer func() { // the library indexes out of range where a file is damaged
		if p := recover(); p != nil {
			err = userr.New(userr.BadInput, "%q is not a complete Parquet file (%v): %s", s.Path, p, again)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := boundParquet(f, info.Size()); err != nil {
		return userr.New(userr.BadInput, "%q is not a complete Parquet file (%w): %s", s.Path, err, again)
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return userr.New(userr.BadInput, "%q is not a complete Parquet file (%w): %s", s.Path, err, again)
	}
	var names []string
	var leaves []int
	for _, path := range file.Schema().Columns() {
		if leaf, ok := file.Schema().Lookup(path...); ok && len(path) == 1 {
			names, leaves = append(names, path[0]), append(leaves, leaf.ColumnIndex)
		}
	}
	c, err := s.find(names)
	if nested := s.nested(file.Schema().Fields()); err != nil && nested != nil {
		return nested
	} else if err != nil {
		return err
	}
	line := 0
	values := make([]parquet.Row, 256)
	for _, group := range file.RowGroups() {
		if group.NumRows() == 0 {
			continue
		}
		rows := group.Rows()
		for {
			n, err := rows.ReadRows(values)
			for _, of := range values[:n] {
				line++
				row := c.row(&s, line, func(at int) string { return cell(of, leaves[at]) })
				if err := each(row); err != nil {
					return errors.Join(err, rows.Close())
				}
			}
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return userr.New(userr.BadInput, "%q is not a complete Parquet file (row %d: %w): %s", s.Path, line+1, err, again)
			}
		}
		if err := rows.Close(); err != nil {
			return fmt.Errorf("closing %q: %w", s.Path, err)
		}
	}
	return nil
}

// nested refuses a file whose texts or labels are in lists or groups, which are no columns of text:
// the field asked for or of a usual name, or whose parts have such names. It is nil where there is
// none.
func (s *Source) nested(fields []parquet.Field) error {
	meant := func(name string) bool {
		if s.Rewrites != nil {
			return name == s.Text || slices.Contains(s.Rewrites, name)
		}
		return name == s.Text || name == s.Labels ||
			slices.Contains(usualTexts, strings.ToLower(name)) || slices.Contains(usualLabels, strings.ToLower(name))
	}
	for _, f := range fields {
		list := f.Repeated()
		if t := f.Type().LogicalType(); t != nil && !list {
			_, list = t.Value.(*format.ListType)
		}
		switch {
		case f.Leaf() && !list:
		case meant(f.Name()) && list:
			return userr.New(userr.BadInput, "%q: the column %s contains lists: write each as one text, with "+
				"spaces between words", s.Path, f.Name())
		case meant(f.Name()), slices.ContainsFunc(f.Fields(), func(p parquet.Field) bool { return meant(p.Name()) }):
			var parts []string
			for _, part := range f.Fields() {
				parts = append(parts, part.Name())
			}
			return userr.New(userr.BadInput, "%q: the column %s is a group (of %s): write its parts as "+
				"separate columns",
				s.Path, f.Name(), strings.Join(parts, ", "))
		}
	}
	return nil
}

// cell is the value of a leaf as text, "" where there is none.
func cell(row parquet.Row, leaf int) string {
	i := slices.IndexFunc(row, func(v parquet.Value) bool { return v.Column() == leaf })
	if i < 0 || row[i].IsNull() {
		return ""
	}
	return row[i].String()
}
