package intake

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library asks for as much memory as the lengths in a file say, and want of memory ends the
// program. So these are looked at before it reads: a footer, a list, a column and a page must lie
// in the file, and a page may come to no more than anybody's does.
const (
	mostFooter   = 256 << 20 // bytes
	mostElements = 200_000   // structures in the footer's lists: schema, columns of all row groups
	mostHeader   = 16 << 20  // bytes of a page's header, whose statistics hold values
	mostPage     = 256 << 20 // bytes of a page that is not compressed
	mostValues   = 1 << 26   // of a page
	mostWidth    = 1 << 20   // bytes of a value of fixed length
)

var errLengths = errors.New("a length in it is more than it holds")

// boundParquet refuses a file whose lengths ask for memory that its content cannot need.
func boundParquet(f io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return errors.New("it is too short")
	}
	if _, err := f.ReadAt(end[:], size-8); err != nil {
		return err
	}
	if string(end[4:]) != "PAR1" {
		return fmt.Errorf("it ends in %q", end[4:])
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-12 || length > mostFooter {
		return errLengths
	}
	footer := make([]byte, length)
	if _, err := f.ReadAt(footer, size-8-length); err != nil {
		return err
	}
	w := &thriftWalk{text: footer}
	if !w.structure(0) {
		return errLengths
	}
	var about format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer[:w.at], &about); err != nil {
		return err
	}
	for _, e := range about.Schema {
		if n := e.NumChildren.V; n < 0 || int(n) > len(about.Schema) {
			return errLengths
		}
		if n := e.TypeLength.V; n < 0 || n > mostWidth {
			return errLengths
		}
	}
	for _, g := range about.RowGroups {
		if g.NumRows == 0 {
			continue // nothing of it is read, and its columns need no pages
		}
		for i := range g.Columns {
			if err := boundPages(f, size-8-length, &g.Columns[i].MetaData); err != nil {
				return err
			}
		}
	}
	return nil
}

// boundPages looks at the pages of a column, which must end before the footer.
func boundPages(f io.ReaderAt, footer int64, c *format.ColumnMetaData) error {
	begin := c.DataPageOffset
	if d := c.DictionaryPageOffset; d > 0 && d < begin {
		begin = d
	}
	size := c.TotalCompressedSize
	if begin < 0 || size < 0 || begin > footer || size > footer-begin || c.NumValues < 0 {
		return errLengths
	}
	end := begin + c.TotalCompressedSize
	for at := begin; at < end; {
		header, n, err := pageHeader(f, at, end)
		if err != nil {
			return err
		}
		at += n
		compressed, whole := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
		if compressed < 0 || compressed > end-at || whole < 0 || whole > mostPage {
			return errLengths
		}
		for _, values := range []int32{
			header.DataPageHeader.V.NumValues, header.DictionaryPageHeader.V.NumValues,
			header.DataPageHeaderV2.V.NumValues, header.DataPageHeaderV2.V.NumRows,
		} {
			if values < 0 || values > mostValues {
				return errLengths
			}
		}
		at += compressed
	}
	return nil
}

// pageHeader reads the header at a place, and returns how long it is.
func pageHeader(f io.ReaderAt, at, end int64) (*format.PageHeader, int64, error) {
	for window := int64(1 << 12); ; window *= 16 {
		text := make([]byte, min(window, mostHeader, end-at))
		if _, err := f.ReadAt(text, at); err != nil {
			return nil, 0, err
		}
		w := &thriftWalk{text: text}
		if w.structure(0) {
			h := new(format.PageHeader)
			err := thrift.Unmarshal(new(thrift.CompactProtocol), text[:w.at], h)
			return h, int64(w.at), err
		}
		if int64(len(text)) == end-at || window >= mostHeader {
			return nil, 0, errLengths
		}
	}
}

// thriftWalk goes over a structure in Thrift's compact protocol and keeps nothing of it.
type thriftWalk struct {
	text     []byte
	at       int
	elements int // structures in lists
}

// mostDepth is how deep structures lie in each other at most.
const mostDepth = 32

// The types of the compact protocol that hold more than a number.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// skip passes some bytes over, and tells whether they are there.
func (w *thriftWalk) skip(n uint64) bool {
	if n > uint64(len(w.text)-w.at) {
		return false
	}
	w.at += int(n)
	return true
}

func (w *thriftWalk) next() (byte, bool) {
	if w.at >= len(w.text) {
		return 0, false
	}
	w.at++
	return w.text[w.at-1], true
}

func (w *thriftWalk) number() (uint64, bool) {
	v, n := binary.Uvarint(w.text[w.at:])
	if n <= 0 {
		return 0, false
	}
	w.at += n
	return v, true
}

// structure goes over fields to their end.
func (w *thriftWalk) structure(depth int) bool {
	if depth > mostDepth {
		return false
	}
	for {
		b, ok := w.next()
		if !ok {
			return false
		}
		if b&0xf == 0 {
			return true
		}
		if b>>4 == 0 { // the number of the field follows
			if _, ok := w.number(); !ok {
				return false
			}
		}
		if kind := b & 0xf; kind != thriftTrue && kind != thriftFalse && !w.value(kind, depth) {
			return false
		}
	}
}

// value goes over a value of a type; truth values are bytes, as they are in lists.
func (w *thriftWalk) value(kind byte, depth int) bool {
	switch {
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte:
		return w.skip(1)
	case kind >= thriftI16 && kind <= thriftI64:
		_, ok := w.number()
		return ok
	case kind == thriftDouble:
		return w.skip(8)
	case kind == thriftUUID:
		return w.skip(16)
	case kind == thriftBinary:
		n, ok := w.number()
		return ok && w.skip(n)
	case kind == thriftList || kind == thriftSet:
		return w.list(depth)
	case kind == thriftMap:
		n, ok := w.number()
		if !ok || n == 0 {
			return ok
		}
		kinds, ok := w.next()
		return ok && w.values(2*n, []byte{kinds >> 4, kinds & 0xf}, depth)
	case kind == thriftStruct:
		return w.structure(depth + 1)
	}
	return false
}

func (w *thriftWalk) list(depth int) bool {
	b, ok := w.next()
	if !ok {
		return false
	}
	n := uint64(b >> 4)
	if n == 0xf {
		if n, ok = w.number(); !ok {
			return false
		}
	}
	if kind := b & 0xf; kind == thriftStruct || kind >= thriftBinary {
		if w.elements += int(min(n, mostElements+1)); w.elements > mostElements {
			return false
		}
	}
	return w.values(n, []byte{b & 0xf}, depth)
}

// values goes over so many values of types that take turns.
func (w *thriftWalk) values(n uint64, kinds []byte, depth int) bool {
	if depth > mostDepth || n > uint64(len(w.text)-w.at) { // each has a byte at least
		return false
	}
	for i := range n {
		if !w.value(kinds[i%uint64(len(kinds))], depth+1) {
			return false
		}
	}
	return true
}
