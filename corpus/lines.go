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
)

// Sentence is one line of a file cut at white space, words as they stand in the file.
type Sentence = []string

// maxWords is the most words a line may have. Longer ones are documents, not sentences: attention
// over them would need memory by the square of their length.
const maxWords = 1000

// maxBytes is the most bytes a line may have: it bounds words, as maxWords bounds sentences.
const maxBytes = 100_000

// ReadLines reads a UTF-8 file of one sentence a line, words separated by white space. A byte order
// mark, CR LF line ends and a missing last line end are accepted. Refused, each with path:line
// where there is one: a missing or empty file, an empty line, a line that is not UTF-8 or has
// control characters, a line of over maxWords words or maxBytes bytes.
func ReadLines(path string) ([]Sentence, error) { return readLines(path, false) }

// ReadOutputs is ReadLines for what a system wrote: a line may be empty, a sentence of no words,
// and so may all be.
func ReadOutputs(path string) ([]Sentence, error) { return readLines(path, true) }

// ReadRewrites is ReadLines for a set of human rewrites, of which a sentence may have several.
// Where one lacks a sentence's, the error says what may stand there: that of another set, since BLEU
// counts equal references once. One of no words would be the closest in length to short outputs.
func ReadRewrites(path string) ([]Sentence, error) {
	sentences, err := ReadLines(path)
	if of := (*emptyLine)(nil); errors.As(err, &of) {
		return nil, userr.New(
			userr.BadInput, "%s:%d: the line is empty: where one set of rewrites lacks a sentence's, repeat that of another "+
				"set, which r-BLEU counts once; where all sets lack it, remove the line here and in the files that belong to "+
				"it line by line",
			of.file, of.line,
		)
	}
	return sentences, err
}

// emptyLine is a line without words where there must be a sentence.
type emptyLine struct {
	file string
	line int
}

func (e *emptyLine) Error() string {
	return fmt.Sprintf("%s:%d: the line is empty", e.file, e.line)
}

func readLines(path string, mayBeEmpty bool) ([]Sentence, error) {
	data, err := files.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(
			userr.BadInput, "the file %q does not exist: write it with one sentence a line, or correct the path", path,
		)
	case err != nil:
		return nil, userr.New(
			userr.BadInput, "the file %q cannot be read (%w): it must be a readable text file", path, files.Cause(err),
		)
	}
	return parseLines(path, data, mayBeEmpty)
}

// parseLines is ReadLines, or ReadOutputs, on the content of a file; name is for messages.
func parseLines(name string, data []byte, mayBeEmpty bool) ([]Sentence, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if blank := len(bytes.TrimSpace(data)) == 0; blank && (!mayBeEmpty || len(data) == 0) {
		return nil, userr.New(userr.BadInput, "the file %q is empty: it must hold one sentence a line", name)
	}
	sentences := make([]Sentence, 0, bytes.Count(data, []byte{'\n'})+1)
	text := string(data) // the words are slices of this one string
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if !utf8.ValidString(line) {
			return nil, userr.New(userr.BadInput, "%s:%d: the line is not UTF-8: convert the file to UTF-8", name, n)
		}
		words := strings.Fields(line)
		if len(words) == 0 && !mayBeEmpty {
			return nil, userr.New(
				userr.BadInput, "%w: remove it here and in the files that belong to it line by line", &emptyLine{name, n},
			)
		}
		if len(words) > maxWords {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line has %d words and at most %d are allowed: write one sentence a line",
				name, n, len(words), maxWords,
			)
		}
		if len(line) > maxBytes {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line has %d bytes and at most %d are allowed: write one sentence a line",
				name, n, len(line), maxBytes,
			)
		}
		if c := control(line); c >= 0 {
			return nil, userr.New(
				userr.BadInput, "%s:%d: the line has the control character %U, which no table can show: take it out",
				name, n, c,
			)
		}
		sentences = append(sentences, words)
	}
	return sentences, nil
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
