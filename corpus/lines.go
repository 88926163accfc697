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

// Sentence is the words of a line, cut at white space and otherwise unchanged.
type Sentence = []string

// maxWords is the maximum number of words of a line. Longer lines are documents, not sentences, and
// the memory of attention grows with the square of the length.
const maxWords = 1000

// maxBytes is the maximum number of bytes of a line. It limits the length of words, as maxWords
// limits the length of sentences.
const maxBytes = 100_000

// reading says how a file of sentences is read, and counts what reading changes.
type reading struct {
	// Empty allows empty lines, even if all lines are empty. It also makes read keep only the first
	// maxWords words of a line. It is set for the outputs of a system, because a system may write
	// nothing, or write without end.
	Empty    bool
	Rewrites bool // set if the sentences are human rewrites of other sentences

	changed int // lines that wording.Normal changed
	cut     int // lines that lost words, see Empty
}

// ReadLines reads a UTF-8 file with one sentence per line and words separated by white space. It
// normalises the text (wording.Normal). It accepts a byte order mark, CR LF line ends and a missing
// last line end. It refuses a missing or empty file, an empty line, a line of over maxWords words
// or maxBytes bytes, and a line that is not UTF-8 or contains control characters or a carriage
// return. It also refuses a table. Errors name path:line if possible.
func ReadLines(path string) ([]Sentence, error) { return (&reading{}).read(path) }

// ReadOutputs is ReadLines for a system's outputs: lines may be empty, and only the first maxWords
// words of a longer line are kept.
func ReadOutputs(path string) ([]Sentence, error) {
	return (&reading{Empty: true}).read(path)
}

// ReadReferences is ReadLines for human rewrites of the sentences of another file.
func ReadReferences(path string) ([]Sentence, error) { return (&reading{Rewrites: true}).read(path) }

// CheckOutputs is ReadOutputs with a warning if reading changes or cuts lines. The warning is ""
// otherwise.
func CheckOutputs(path string) (outputs []Sentence, warning string, err error) {
	r := reading{Empty: true}
	outputs, err = r.read(path)
	return outputs, r.warning(len(outputs)), err
}

// warning returns a warning about the lines that were changed or cut, of n lines in all.
func (r *reading) warning(n int) string {
	var found []string
	all := wording.Count(n, "output")
	if r.changed > 0 {
		found = append(found, fmt.Sprintf("%d of %s have letters in another Unicode form than NFC, or invisible "+
			"characters: they are changed before they are measured, so other programs may compute other values", r.changed, all))
	}
	if r.cut > 0 {
		found = append(found, fmt.Sprintf("%d of %s have more than %d words, and only the first %d of each are measured: "+
			"the system did not stop writing, or a line contains several sentences", r.cut, all, maxWords, maxWords))
	}
	return strings.Join(found, "; ")
}

// read is ReadLines with the options in r.
func (r *reading) read(path string) ([]Sentence, error) {
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

// parse does the same as read with the content of a file that was already read. Error messages show
// the parameter "name" as the path of the file.
func (r *reading) parse(name string, data []byte) ([]Sentence, error) {
	if kind, advice := files.Foreign(data); kind != "" {
		return nil, userr.New(userr.BadInput, "the file %q is %s: %s", name, kind, advice)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if blank := len(bytes.TrimSpace(data)) == 0; blank && (!r.Empty || len(data) == 0) {
		return nil, userr.New(userr.BadInput, "the file %q is empty: it must contain one sentence per line", name)
	}
	if err := refuseTable(name, data); err != nil {
		return nil, err
	}
	sentences := make([]Sentence, 0, bytes.Count(data, []byte{'\n'})+1)
	text := string(data) // the words are slices of this one string
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimPrefix(line, "\uFEFF") // a byte order mark, if files were concatenated
		if !utf8.ValidString(line) {
			return nil, userr.New(userr.BadInput, "%s:%d: the line is not UTF-8: convert the file to UTF-8", name, n)
		}
		if strings.ContainsRune(strings.TrimRight(line, "\r"), '\r') {
			return nil, userr.New(
				userr.BadInput, "%s:%d: there is a carriage return (U+000D) inside the line, which other "+
					"programs read as a line end: convert line ends with `tr '\\r' '\\n'`, or remove it", name, n,
			)
		}
		if c := control(line); c >= 0 {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line contains the control character %U, which no table can show: "+
					"remove it",
				name, n, c,
			)
		}
		normal := wording.Normal(line)
		if normal != line {
			r.changed++
		}
		words := strings.Fields(normal)
		if len(words) == 0 && r.Rewrites {
			// An empty reference would favour short outputs, because BLEU compares the length of an
			// output with that of the closest reference. To repeat another rewrite does no harm,
			// because BLEU counts equal references once.
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
			words = words[:maxWords]
			r.cut++
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
		sentences = append(sentences, words)
	}
	return sentences, nil
}

// refuseTable returns an error if the lines are a table.
func refuseTable(name string, data []byte) error {
	if bytes.IndexByte(data, '\t') < 0 {
		return nil
	}
	var c Columns
	for line := range bytes.Lines(data) {
		c.Add(string(bytes.TrimRight(line, "\r\n")))
	}
	return c.Refuse(name, "lines")
}

// control returns the first ASCII control character that is not white space, or -1.
func control(line string) rune {
	for i := range len(line) {
		if c := line[i]; c < ' ' && (c < '\t' || c > '\r') || c == 0x7f {
			return rune(c)
		}
	}
	return -1
}
