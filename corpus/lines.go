package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Sentence is one line of a file cut at white space, words as they stand in the file.
type Sentence = []string

// maxWords is the most words a line may have. Longer ones are documents, not sentences: attention
// over them would need memory by the square of their length.
const maxWords = 1000

// maxBytes is the most bytes a line may have: it bounds words, as maxWords bounds sentences.
const maxBytes = 100_000

// Reading is how a file of sentences is read.
type Reading struct {
	// Empty lets a line be empty, a sentence of no words, and so may all be: the lines are what a
	// system wrote. Of such lines, which may go on without end, the first maxWords words are kept.
	Empty bool
	// Rewrites says that the sentences are outputs or references: of a table's columns the last
	// text is meant, as the sources stand before it.
	Rewrites bool
	// Column is the column to keep of a file that is a table, from 1 on; 0 refuses such a file.
	Column int
}

// ReadLines reads a UTF-8 file of one sentence a line, words separated by white space. A byte order
// mark, CR LF line ends and a missing last line end are accepted. Refused, each with path:line
// where there is one: a missing or empty file, an empty line, a line that is not UTF-8 or has
// control characters or a carriage return within it, a line of over maxWords words or maxBytes
// bytes, and with a *TableError a file whose lines nearly all have the same number of tabs.
func ReadLines(path string) ([]Sentence, error) { return Reading{}.Read(path) }

// ReadOutputs is ReadLines for what a system wrote: a line may be empty, a sentence of no words,
// and so may all be, and of a longer line the first maxWords words are kept.
func ReadOutputs(path string) ([]Sentence, error) {
	return Reading{Empty: true, Rewrites: true}.Read(path)
}

// ReadReferences is ReadLines for what people wrote of the sentences of another file.
func ReadReferences(path string) ([]Sentence, error) { return Reading{Rewrites: true}.Read(path) }

// LongWarning returns a sentence of warning where outputs have as many words as are read of a line:
// there may be more. It is "" where none has.
func LongWarning(outputs []Sentence) string {
	n := 0
	for _, words := range outputs {
		if len(words) >= maxWords {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s have %d words or more, and only the first %d of each are measured: the "+
		"system did not stop writing, or a line contains several sentences", n, wording.Count(len(outputs), "output"), maxWords, maxWords)
}

// Read is ReadLines with the differences of the reading.
func (r Reading) Read(path string) ([]Sentence, error) {
	data, err := files.ReadOnce(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(
			userr.BadInput, "the file %q does not exist: write it with one sentence per line, or correct the "+
				"path", path,
		)
	case err != nil:
		return nil, userr.New(
			userr.BadInput, "the file %q cannot be read (%w): it must be a readable text file", path, files.Cause(err),
		)
	}
	return r.parse(path, data)
}

// parse is Read on the content of a file; name is for messages.
func (r Reading) parse(name string, data []byte) ([]Sentence, error) {
	if what, do := files.Foreign(data); what != "" {
		return nil, userr.New(userr.BadInput, "the file %q is %s: %s", name, what, do)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if blank := len(bytes.TrimSpace(data)) == 0; blank && (!r.Empty || len(data) == 0) {
		return nil, userr.New(userr.BadInput, "the file %q is empty: it must contain one sentence per line", name)
	}
	column, err := r.column(name, data)
	if err != nil {
		return nil, err
	}
	sentences := make([]Sentence, 0, bytes.Count(data, []byte{'\n'})+1)
	text := string(data) // the words are slices of this one string
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimPrefix(line, "\uFEFF") // within a file where others were put together
		if !utf8.ValidString(line) {
			return nil, userr.New(userr.BadInput, "%s:%d: the line is not UTF-8: convert the file to UTF-8", name, n)
		}
		if strings.ContainsRune(strings.TrimRight(line, "\r"), '\r') {
			return nil, userr.New(
				userr.BadInput, "%s:%d: there is a carriage return (U+000D) inside the line, which other "+
					"programs read as a line end: convert line ends with `tr '\\r' '\\n'`, or remove it", name, n,
			)
		}
		if column > 0 {
			field, ok := columnOf(line, column)
			if !ok {
				return nil, userr.New(
					userr.BadInput, "%s:%d: the line has only %d of the file's columns and lacks column %d: "+
						"correct the line",
					name, n, 1+strings.Count(line, "\t"), column,
				)
			}
			line = field
		}
		words := strings.Fields(line)
		if len(words) == 0 && !r.Empty && r.Rewrites {
			// A rewrite of no words would be the closest in length to short outputs, and BLEU
			// counts equal references once.
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line is empty: if other sets have a rewrite of this sentence, "+
					"repeat one here (r-BLEU counts it once); if none has, remove the line here and in the "+
					"files that belong to it line by line", name, n,
			)
		}
		if len(words) == 0 && !r.Empty {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line is empty: remove it here and in the files that belong to it line by line",
				name, n,
			)
		}
		if len(words) > maxWords && r.Empty {
			words = words[:maxWords] // LongWarning says it
		}
		if len(words) > maxWords {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line has %d words, but at most %d are allowed: write one sentence "+
					"per line",
				name, n, len(words), maxWords,
			)
		}
		if len(line) > maxBytes {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line has %d bytes, but at most %d are allowed: write one sentence "+
					"per line",
				name, n, len(line), maxBytes,
			)
		}
		if c := control(line); c >= 0 {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line contains the control character %U, which no table can show: "+
					"remove it",
				name, n, c,
			)
		}
		sentences = append(sentences, words)
	}
	return sentences, nil
}

// column returns which column of the lines is to be kept, from 1 on, and 0 where they are no table.
func (r Reading) column(name string, data []byte) (int, error) {
	if bytes.IndexByte(data, '\t') < 0 {
		return 0, nil
	}
	var c Columns
	for line := range bytes.Lines(data) {
		c.Add(string(bytes.TrimRight(line, "\r\n")))
	}
	if r.Column == 0 {
		return 0, c.Refuse(name, "lines", r.Rewrites)
	}
	return c.choose(name, r.Column)
}

// control returns the first control character of ASCII that is no white space, -1 if there is none.
func control(line string) rune {
	for i := range len(line) {
		if c := line[i]; c < ' ' && (c < '\t' || c > '\r') || c == 0x7f {
			return rune(c)
		}
	}
	return -1
}
