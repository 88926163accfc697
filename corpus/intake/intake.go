// Package intake makes a data set of a user's own files: one text file for each style, or tables
// (CSV, TSV, JSON lines, Parquet, each but the last also gzipped) with a column of texts and one of
// labels, or of sources and people's rewrites. It cuts sentences into words and drops repeated
// ones. The split of a sentence depends on the sentence and a seed alone.
package intake

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Source is a file and how it is to be read.
type Source struct {
	Path string
	// Label is the style of every line of a text file, "" for a table.
	Label string
	// Text, Labels and Split are the columns of a table; "" are looked for among the usual names,
	// but a column of splits only where it is named.
	Text, Labels, Split string
	// Rewrites are the columns of people's rewrites of a table of pairs, whose Text is the column
	// of the sources, and which has none of labels; nil is another table.
	Rewrites []string
	// Column is the part between tabs to keep of every text, from 1 on, where nearly all have tabs;
	// 0 refuses such texts with a *corpus.TableError.
	Column int
}

// Row is one text of a Source.
type Row struct {
	Text, Label string
	Rewrites    []string // of a table of pairs those of Text, which may be none; nil in others
	Split       string   // "" where the source has none
	Path        string
	Line        int // of its file, from 1 on; of a Parquet file the row
	// Unreadable says why there is no text, as of a line of JSON that is not UTF-8; nil: there is.
	Unreadable error
}

// maxLine is the most bytes of a line of a text file or of JSON.
const maxLine = 1 << 24

// Read hands every row of a source to each, in order. The error is a userr.BadInput that names file
// and line.
func Read(s Source, each func(Row) error) error {
	rows, cut := 0, false
	var tabs corpus.Columns
	if err := read(s, func(r Row) error {
		if rows++; rows == 1 {
			cut = s.Column > 0 && strings.Contains(r.Text, "\t")
		}
		texts := []*string{&r.Text}
		for i := range r.Rewrites {
			texts = append(texts, &r.Rewrites[i])
		}
		for _, text := range texts {
			if err := noNUL(r.Path, r.Line, *text); err != nil {
				return err
			}
			tabs.Add(*text)
			if !cut || r.Unreadable != nil {
				continue
			}
			field, ok := corpus.Column(*text, s.Column)
			if !ok {
				return userr.New(userr.BadInput, "%s:%d: the text has no column %d: correct the line", r.Path, r.Line, s.Column)
			}
			*text = field
		}
		if err := noNUL(r.Path, r.Line, r.Label, r.Split); err != nil {
			return err
		}
		return each(r)
	}); err != nil {
		return err
	}
	if cut {
		_, err := tabs.Choose(s.Path, s.Column)
		return err
	}
	if rows > 0 {
		texts := "texts"
		if s.Label != "" {
			texts = "lines"
		}
		return tabs.Refuse(s.Path, texts, false)
	}
	return userr.New(userr.BadInput, "%q contains no text: give another file, or leave it out", s.Path)
}

// noNUL refuses U+0000, which is in no text but in every one of UTF-16 that is read as another.
func noNUL(path string, line int, texts ...string) error {
	for _, text := range texts {
		if strings.ContainsRune(text, 0) {
			return userr.New(userr.BadInput, "%s:%d: the text contains the character U+0000: remove it, or "+
				"convert the file to UTF-8 if it is UTF-16", path, line)
		}
	}
	return nil
}

func read(s Source, each func(Row) error) error {
	name := strings.ToLower(filepath.Base(s.Path))
	zipped := strings.HasSuffix(name, ".gz")
	ending := filepath.Ext(strings.TrimSuffix(name, ".gz"))
	if zipped && ending == ".parquet" {
		return userr.New(userr.BadInput, "%q: a Parquet file is compressed already: unpack the .gz first", s.Path)
	}
	table := ending == ".csv" || ending == ".tsv" || ending == ".jsonl" || ending == ".ndjson" || ending == ".parquet"
	if table && s.Label != "" {
		return userr.New(userr.BadInput, "%q is a table with labels in a column: give it without %s=", s.Path, s.Label)
	}
	if !table && s.Label == "" {
		return userr.New(userr.BadInput, "%q is read as a text file of one style, because its name does not "+
			"end in .csv, .tsv, .jsonl or .parquet: name the style, LABEL=%s", s.Path, s.Path)
	}
	f, err := files.Open(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return userr.New(userr.BadInput, "there is no file %q: correct the path", s.Path)
	} else if errors.Is(err, syscall.EISDIR) {
		return userr.New(userr.BadInput, "%q is a folder: name the files in it", s.Path)
	} else if err != nil {
		return userr.New(userr.BadInput, "%q cannot be read (%w): name a file that you may read", s.Path,
			files.Cause(err))
	}
	defer f.Close()
	if ending == ".parquet" {
		return readParquet(s, f, each)
	}
	watch := &watched{Reader: f}
	in := bufio.NewReaderSize(watch, 1<<16)
	if zipped {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return userr.New(userr.BadInput, "%q is not a gzip file, although its name says so: remove .gz "+
				"from the name, or compress the file with gzip", s.Path)
		}
		watch = &watched{Reader: unzipped}
		in = bufio.NewReaderSize(watch, 1<<16)
	}
	// An error is met again where the text is read.
	head, _ := in.Peek(1000)
	if what, do := files.Foreign(head); what != "" {
		return userr.New(userr.BadInput, "%q is %s: %s", s.Path, what, do)
	}
	for mark, _ := in.Peek(3); string(mark) == "\ufeff"; mark, _ = in.Peek(3) {
		_, _ = in.Discard(3) // before a quotation mark, too, which would not begin the field otherwise
	}
	line := 0
	known := func(r Row) error {
		line = r.Line
		return each(r)
	}
	switch ending {
	case ".csv":
		err = readTable(s, in, ',', known)
	case ".tsv":
		err = readTable(s, in, '\t', known)
	case ".jsonl", ".ndjson":
		err = readJSON(s, in, known)
	default:
		err = readText(s, in, known)
	}
	if err != nil && watch.err != nil { // the last line ends within itself, and looks wrong for that
		return s.broken(line+1, watch.err)
	}
	return err
}

// watched remembers why a file could not be read to its end.
type watched struct {
	io.Reader
	err error // nil at its end
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
