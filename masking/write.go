package masking

import (
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
	"github.com/smlm-exp/smlm-exp/internal/files"
)

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

// Write writes a score file, complete or not at all: a Parquet file with the columns split, style,
// line, scores, gap and change. The same rows give the same bytes. The lines of every style of a
// split must be 0, 1, 2 and so on without a gap; other parts may stand between them.
func Write(path string, rows iter.Seq[Row]) error {
	return files.Write(path, func(to io.Writer) error { return encode(to, rows) })
}

func encode(to io.Writer, rows iter.Seq[Row]) error {
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
