package masking

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// leaf is a column of values: its place among those of the file, and what is to be expected of it.
type leaf struct {
	name  string
	kind  parquet.Kind
	list  bool
	index int
	max   int // definition level of a value that is there
	// nullable: whether a value can be absent where its list has a place for it.
	nullable bool
}

// findLeaves returns the six columns in the order of parquetRow.
func findLeaves(file *parquet.File) ([]leaf, error) {
	leaves := []leaf{
		{name: "split", kind: parquet.ByteArray},
		{name: "style", kind: parquet.Int32},
		{name: "line", kind: parquet.Int32},
		{name: "scores", kind: parquet.Float, list: true},
		{name: "gap", kind: parquet.Double},
		{name: "change", kind: parquet.Double},
	}
	for i := range leaves {
		l := &leaves[i]
		c := file.Root().Column(l.name)
		for c != nil && !c.Leaf() && len(c.Columns()) == 1 {
			c = c.Columns()[0]
		}
		switch {
		case c == nil:
			return nil, fmt.Errorf("it has no column %q", l.name)
		case !c.Leaf() || c.Type().Kind() != l.kind || (c.MaxRepetitionLevel() == 1) != l.list ||
			c.MaxRepetitionLevel() > 1:
			what := "single values"
			if l.list {
				what = "lists of values"
			}
			return nil, fmt.Errorf("its column %q must hold %s of type %v", l.name, what, l.kind)
		}
		l.index, l.max, l.nullable = c.Index(), c.MaxDefinitionLevel(), c.Optional()
	}
	return leaves, nil
}

// readGroup fills rows from a row group.
func readGroup(group parquet.RowGroup, leaves []leaf, rows []Row) error {
	chunks := group.ColumnChunks()
	var names []string // the splits, so that a row has no string of its own
	name := func(b []byte) string {
		for _, s := range names {
			if s == string(b) {
				return s
			}
		}
		names = append(names, string(b))
		return names[len(names)-1]
	}
	set := []func(r *Row, v parquet.Value){
		func(r *Row, v parquet.Value) { r.Split = name(v.ByteArray()) },
		func(r *Row, v parquet.Value) { r.Style = int(v.Int32()) },
		func(r *Row, v parquet.Value) { r.Line = int(v.Int32()) },
		nil,
		func(r *Row, v parquet.Value) { r.Gap = new(v.Double()) },
		func(r *Row, v parquet.Value) { r.Change = new(v.Double()) },
	}
	for k, l := range leaves {
		read := func() error { return readSingle(chunks[l.index], l, rows, set[k]) }
		if l.list {
			read = func() error { return readLists(chunks[l.index], l, rows) }
		}
		if err := read(); err != nil {
			return fmt.Errorf("reading column %q: %w", l.name, err)
		}
	}
	return nil
}

// readSingle calls set for each row that has a value. Only gap and change may lack it.
func readSingle(chunk parquet.ColumnChunk, l leaf, rows []Row, set func(*Row, parquet.Value)) error {
	n := 0
	err := eachValue(chunk, func(v parquet.Value) error {
		switch {
		case n == len(rows):
			return errors.New("it has more values than the file has rows")
		case !v.IsNull():
			set(&rows[n], v)
		case l.kind != parquet.Double:
			return fmt.Errorf("row %d has no value", n)
		}
		n++
		return nil
	})
	if err == nil && n != len(rows) {
		err = fmt.Errorf("it has %d values, the file has %d rows", n, len(rows))
	}
	return err
}

// readLists fills the rows' scores, all in one array.
func readLists(chunk parquet.ColumnChunk, l leaf, rows []Row) error {
	flat := make([]float32, 0, max(0, min(chunk.NumValues(), 1<<28)))
	ends := make([]int, 0, len(rows))
	err := eachValue(chunk, func(v parquet.Value) error {
		if v.RepetitionLevel() == 0 {
			ends = append(ends, len(flat))
		}
		switch {
		case len(ends) == 0:
			return errors.New("the first list has no start")
		case !v.IsNull():
			flat = append(flat, v.Float())
			ends[len(ends)-1] = len(flat)
		case v.RepetitionLevel() > 0 || l.nullable && v.DefinitionLevel() == l.max-1:
			return fmt.Errorf("row %d has a word without a score", len(ends)-1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(ends) != len(rows) {
		return fmt.Errorf("it has %d lists, the file has %d rows", len(ends), len(rows))
	}
	flat = slices.Clip(flat)
	start := 0
	for i, end := range ends {
		rows[i].Scores = flat[start:end:end]
		start = end
	}
	return nil
}

// eachValue calls fn for every value of a chunk, nulls included.
func eachValue(chunk parquet.ColumnChunk, fn func(parquet.Value) error) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	var buffer [512]parquet.Value
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		values := page.Values()
		for {
			n, err := values.ReadValues(buffer[:])
			for _, v := range buffer[:n] {
				if err := fn(v); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(page)
	}
}
