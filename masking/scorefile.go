package masking

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// A score file keeps the scores of every word of a data set in a Parquet file (docs/workspace.md),
// so that masks of any policy and lambda_eps follow from them without a network, and a report can
// show what was masked and why.

// ScoreRow is one sentence of a score file: how much each of its words carries the style.
type ScoreRow struct {
	Split  string    // "train", "dev" or "test"
	Style  int       // 0 or 1, as the models tell two
	Line   int       // of the sentence among those of its split and style, from 0
	Scores []float32 // one a word; empty for a sentence without words
	// Integrated gradients alone have the next two, others nil: the change of the output from the
	// baseline to the sentence, and how far the sum of the attributions is from it. Completeness
	// says the gap is 0 (Sundararajan et al. 2017, prop. 1).
	Gap, Change *float64
}

// part is the sentences of one style of a split.
type part struct {
	split string
	style int
}

func (p part) String() string { return fmt.Sprintf("style %d of split %q", p.style, p.split) }

// column holds the sentences of a part in the order of their lines.
type column struct {
	scores      [][]float32
	gap, change []*float64
}

// ScoreFile is the scores of a data set in memory. It is not changed after it is read, so many
// goroutines may use it.
type ScoreFile struct {
	parts map[part]*column
}

// Rows returns the scores of a style of a split: those of the sentence of line i at i. They are the
// file's own, not copies; nil where it has none.
func (f *ScoreFile) Rows(split string, style int) [][]float32 {
	if c := f.parts[part{split, style}]; c != nil {
		return c.scores
	}
	return nil
}

// Styles is how many styles the file has sentences of: one more than the greatest number of one.
func (f *ScoreFile) Styles() int {
	n := 0
	for p := range f.parts {
		n = max(n, p.style+1)
	}
	return n
}

// check refuses what no score file may hold. A score that is not a number would pass no threshold,
// and so mask nothing.
func (r *ScoreRow) check() error {
	switch {
	case r.Split == "":
		return fmt.Errorf("line %d of style %d has no split", r.Line, r.Style)
	case r.Style < 0 || r.Style >= corpus.MostStyles:
		return fmt.Errorf("line %d of split %q has style %d, not one from 0 to %d", r.Line, r.Split, r.Style,
			corpus.MostStyles-1)
	case r.Line < 0 || r.Line > math.MaxInt32:
		return fmt.Errorf("%v has a line %d", part{r.Split, r.Style}, r.Line)
	}
	for i, x := range r.Scores {
		if x-x != 0 { // infinite or not a number
			return fmt.Errorf("word %d of line %d of %v has the score %v", i, r.Line, part{r.Split, r.Style}, x)
		}
	}
	return nil
}

// parquetRow is a row as it is stored. The list is Parquet's standard one of three levels,
// scores.list.element, which pandas, polars and others show as a list.
type parquetRow struct {
	Split  string    `parquet:"split,dict"`
	Style  int32     `parquet:"style"`
	Line   int32     `parquet:"line,delta"`
	Scores []float32 `parquet:"scores,list"`
	Gap    *float64  `parquet:"gap,optional"`
	Change *float64  `parquet:"change,optional"`
}

// rowsAtOnce go to the Parquet writer in one call; rowsPerGroup bounds the memory it needs.
const rowsAtOnce, rowsPerGroup = 1024, 1 << 18

// WriteScores writes a score file, complete or not at all: a Parquet file with the columns split,
// style, line, scores, gap and change. The same rows give the same bytes. The lines of every style
// of a split must be 0, 1, 2 and so on without a gap; other parts may stand between them.
func WriteScores(path string, rows iter.Seq[ScoreRow]) error {
	return files.Write(path, func(to io.Writer) error { return encode(to, rows) })
}

func encode(to io.Writer, rows iter.Seq[ScoreRow]) error {
	// The name of the writer is fixed: the library's own holds its version and build.
	w := parquet.NewGenericWriter[parquetRow](to, parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("smlm-exp", "1", "0"), parquet.MaxRowsPerRowGroup(rowsPerGroup))
	next := map[part]int{}
	buffer := make([]parquetRow, 0, rowsAtOnce)
	flush := func() error {
		_, err := w.Write(buffer)
		buffer = buffer[:0]
		return err
	}
	for r := range rows {
		if err := r.check(); err != nil {
			return err
		}
		p := part{r.Split, r.Style}
		if r.Line != next[p] {
			return fmt.Errorf("%v has line %d where line %d must follow", p, r.Line, next[p])
		}
		next[p]++
		buffer = append(buffer, parquetRow{r.Split, int32(r.Style), int32(r.Line), r.Scores, r.Gap, r.Change})
		if len(buffer) == cap(buffer) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return w.Close()
}

// ReadScores reads a whole score file. It takes files that another program wrote, in any order of
// rows and with other columns beside, as long as every style of a split has each of its lines once.
// Errors about the content are of kind userr.BadInput.
func ReadScores(path string) (*ScoreFile, error) {
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

func decodeScores(raw []byte) (f *ScoreFile, err error) {
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
	rows := make([]ScoreRow, file.NumRows())
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
func arrange(rows []ScoreRow) (*ScoreFile, error) {
	f := &ScoreFile{parts: map[part]*column{}}
	seen := map[part][]bool{}
	for i := range rows {
		if err := rows[i].check(); err != nil {
			return nil, err
		}
		p := part{rows[i].Split, rows[i].Style}
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
func readGroup(group parquet.RowGroup, leaves []leaf, rows []ScoreRow) error {
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
	set := []func(r *ScoreRow, v parquet.Value){
		func(r *ScoreRow, v parquet.Value) { r.Split = name(v.ByteArray()) },
		func(r *ScoreRow, v parquet.Value) { r.Style = int(v.Int32()) },
		func(r *ScoreRow, v parquet.Value) { r.Line = int(v.Int32()) },
		nil,
		func(r *ScoreRow, v parquet.Value) { r.Gap = new(v.Double()) },
		func(r *ScoreRow, v parquet.Value) { r.Change = new(v.Double()) },
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
func readSingle(chunk parquet.ColumnChunk, l leaf, rows []ScoreRow, set func(*ScoreRow, parquet.Value)) error {
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
func readLists(chunk parquet.ColumnChunk, l leaf, rows []ScoreRow) error {
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
