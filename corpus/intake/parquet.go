package intake

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// maxParquet is the maximum size of a Parquet file in bytes. There is a maximum because the library
// keeps whole pages in memory.
const maxParquet = 1_000_000_000

// readParquet reads the rows of a Parquet file. Columns within groups and lists are not read.
func readParquet(s Source, f *os.File, visit func(Row) error) (err error) {
	damaged := func(reason any) error {
		return userr.New(userr.BadInput, "%q is not a complete Parquet file (%v): download or write it again, or "+
			"name it .csv, .tsv or .jsonl if it is one", s.Path, reason)
	}
	defer func() { // the library panics on damaged files
		if p := recover(); p != nil {
			err = damaged(p)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxParquet {
		return userr.New(userr.BadInput, "%q has %s, but Parquet files of at most %s are read: split it, or "+
			"write it as CSV", s.Path, wording.Bytes(info.Size()), wording.Bytes(maxParquet))
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return damaged(err)
	}
	var names []string
	var leaves []int
	for _, path := range file.Schema().Columns() {
		if leaf, ok := file.Schema().Lookup(path...); ok && len(path) == 1 && !leaf.Node.Repeated() {
			names, leaves = append(names, path[0]), append(leaves, leaf.ColumnIndex)
		}
	}
	c, err := s.find(names)
	if err != nil && len(names) < len(file.Schema().Fields()) {
		return userr.New(userr.BadInput, "%w (columns that contain lists or groups are not read)", err)
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
			for _, record := range values[:n] {
				line++
				row := c.row(&s, line, func(column int) string { return cell(record, leaves[column]) })
				if err := visit(row); err != nil {
					return errors.Join(err, rows.Close())
				}
			}
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return damaged(fmt.Sprintf("row %d: %v", line+1, err))
			}
		}
		if err := rows.Close(); err != nil {
			return fmt.Errorf("closing %q: %w", s.Path, err)
		}
	}
	return nil
}

// cell returns the value of a row in one column as text, or "" if the row has none there. leaf is
// the index of the column.
func cell(row parquet.Row, leaf int) string {
	i := slices.IndexFunc(row, func(v parquet.Value) bool { return v.Column() == leaf })
	if i < 0 || row[i].IsNull() {
		return ""
	}
	return row[i].String()
}
