// Package intake makes a data set from a user's own files. The user gives one text file for each
// style, or tables. A table has a column of texts and a column of labels, or columns of sources and
// human rewrites. It may be CSV, TSV or JSON. All files may be gzipped. The package cuts
// sentences into words and drops repeated sentences. The split of a sentence depends only on the
// sentence and a seed.
package intake

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Source is a file and how to read it.
type Source struct {
	Path string
	// Label is the style of every line of a text file, "" for a table.
	Label string
	// Text, Labels and Split are the columns of a table. If Text or Labels is empty, the column
	// with a usual name is used. If Split is empty, the table has no column of splits.
	Text, Labels, Split string
	// Rewrites are the columns of human rewrites in a table of pairs. Text is then the column of
	// sources, and there are no labels. Rewrites is nil if the source is not a table of pairs.
	Rewrites []string
}

// Row is one text of a Source.
type Row struct {
	Text, Label string
	Rewrites    []string // rewrites of Text, maybe empty, if the source is a table of pairs; else nil
	Split       string   // "" if the row names no split
	Path        string
	Line        int // number of the line, from 1
}

// Read reads a source and calls the function visit with every row, in order. Errors have the code
// userr.BadInput and name the file and line. It also refuses texts that are the lines of a
// tab-separated table.
func Read(s Source, visit func(Row) error) error {
	rows := 0
	var tabs corpus.Columns
	if err := read(s, func(r Row) error {
		rows++
		tabs.Add(r.Text)
		for _, rewrite := range r.Rewrites {
			tabs.Add(rewrite)
		}
		return visit(r)
	}); err != nil {
		return err
	}
	if rows == 0 {
		return userr.New(userr.BadInput, "%q contains no text: give another file, or leave it out", s.Path)
	}
	return tabs.Refuse(s.Path, "texts")
}

// maxHead is the number of bytes that determine the type of a file.
const maxHead = 1000

func read(s Source, visit func(Row) error) error {
	name := strings.ToLower(filepath.Base(s.Path))
	zipped := strings.HasSuffix(name, ".gz")
	ending := filepath.Ext(strings.TrimSuffix(name, ".gz"))
	if ending == ".parquet" {
		return userr.New(userr.BadInput, "%q is a Parquet file, which is not read: write it as JSON lines, in Python "+
			"with pandas.read_parquet(FILE).to_json(\"FILE.jsonl\", orient=\"records\", lines=True)", s.Path)
	}
	table := slices.Contains([]string{".csv", ".tsv", ".json", ".jsonl", ".ndjson"}, ending)
	if table && s.Label != "" {
		return userr.New(userr.BadInput, "%q is a table with labels in a column: give it without %s=", s.Path, s.Label)
	}
	if !table && s.Label == "" {
		return userr.New(userr.BadInput, "%q is read as a text file of one style, because its name does not "+
			"end in .csv, .tsv, .json or .jsonl: name the style, LABEL=%s", s.Path, s.Path)
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
	var text io.Reader = f
	if zipped {
		if text, err = gzip.NewReader(f); err != nil {
			return userr.New(userr.BadInput, "%q is not a gzip file, although its name says so: remove .gz "+
				"from the name, or compress the file with gzip", s.Path)
		}
	}
	input := bufio.NewReaderSize(text, maxLine)
	// Ignore the error, because reading the text reports it again.
	head, _ := input.Peek(maxHead)
	if kind, advice := files.Foreign(head); kind != "" {
		return userr.New(userr.BadInput, "%q is %s: %s", s.Path, kind, advice)
	}
	if strings.HasPrefix(string(head), "\ufeff") {
		_, _ = input.Discard(3)
	}
	switch ending {
	case ".csv":
		return readTable(s, func(visit func([]string, int) error) error { return s.csv(input, visit) }, visit)
	case ".tsv":
		return readTable(s, func(visit func([]string, int) error) error { return s.tsv(input, visit) }, visit)
	case ".json", ".jsonl", ".ndjson":
		return readJSON(s, input, visit)
	}
	return readText(s, input, visit)
}
