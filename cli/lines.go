package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Two batches of the input are in memory, however long it is: one that is worked on and one that is
// being filled.
const (
	batchLines = 4096
	batchWords = 1 << 16 // words; the sentence that reaches this fills the batch
	tableLines = 100     // lines after which a table is recognised
	maxLine    = 1 << 20 // bytes; more than corpus.MaxWords words of the greatest length
)

// sentenceReader reads texts, one per line, and cuts them into words in the background. It never
// touches torch.
type sentenceReader struct {
	// batches are consecutive lines in order, at least one each; an empty line is nil. The channel
	// is closed at the end.
	batches chan []*corpus.Source
	err     error // why it ended; valid once batches is closed, unless the context is done
}

// readSentences starts reading the inputs, one after the other, and closes them all in the end.
// Regular files give full batches, always the same ones. If an input is a terminal or a pipe, a
// batch does not wait for the next line: it has the lines that were read while the last batch was
// worked on. Everything stops when ctx ends, except a read that waits for data; it ends with the
// program.
func readSentences(ctx context.Context, in []lineInput, cutting corpus.Cutting) *sentenceReader {
	s := &sentenceReader{batches: make(chan []*corpus.Source)}
	lines := make(chan *corpus.Source)
	go func() {
		defer close(lines)
		defer closeAll(in)
		for i := range in {
			if s.err = in[i].sentences(ctx, cutting, lines); s.err != nil {
				return
			}
		}
	}()
	go s.gather(ctx, lines, !slices.ContainsFunc(in, func(i lineInput) bool { return !i.regular }))
	return s
}

// gather makes batches of lines. If wait is set, it fills each batch before sending it.
func (s *sentenceReader) gather(ctx context.Context, lines <-chan *corpus.Source, wait bool) {
	defer close(s.batches)
	var batch []*corpus.Source
	words := 0
	for lines != nil || len(batch) > 0 {
		from, to := lines, s.batches
		full := len(batch) >= batchLines || words >= batchWords
		if full {
			from = nil
		}
		if len(batch) == 0 || wait && lines != nil && !full {
			to = nil
		}
		select {
		case sentence, ok := <-from:
			if !ok {
				lines = nil
				continue
			}
			batch = append(batch, sentence)
			if sentence != nil {
				words += len(sentence.Words)
			}
		case to <- batch:
			batch, words = nil, 0
		case <-ctx.Done():
			return
		}
	}
}

// next returns the next batch, and io.EOF after the last.
func (s *sentenceReader) next(ctx context.Context) ([]*corpus.Source, error) {
	select {
	case batch, ok := <-s.batches:
		if ok {
			return batch, nil
		}
	case <-ctx.Done():
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.err != nil:
		return nil, s.err
	}
	return nil, io.EOF
}

// sentences sends every line of the input, cut into words. If a line cannot be cut, the error names
// it.
func (in *lineInput) sentences(ctx context.Context, cutting corpus.Cutting, lines chan<- *corpus.Source) error {
	var tabs corpus.Columns
	number := 0
	if err := in.each(func(line string) error {
		number++
		if tabs.Add(line); number == tableLines {
			if err := tabs.Refuse(in.name, "first lines", false); err != nil {
				return err
			}
		}
		var text *corpus.Source
		if strings.TrimSpace(line) != "" {
			var err error
			if text, err = cutting.Cut(line); err != nil {
				return userr.New(userr.BadInput, "%s:%d: %w", in.name, number, err)
			}
		}
		select {
		case lines <- text:
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}); err != nil {
		return err
	}
	if number > 1 && number < tableLines {
		return tabs.Refuse(in.name, "lines", false)
	}
	return nil
}

// each calls do with one line after the other.
func (in *lineInput) each(do func(line string) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	number := 0
	for scanner.Scan() {
		number++
		line := strings.TrimPrefix(scanner.Text(), "\ufeff") // in later lines too: files may have been concatenated
		if what, do := files.Foreign([]byte(line)); number == 1 && what != "" {
			return userr.New(userr.BadInput, "%s is %s: %s", in.name, what, do)
		}
		if strings.Contains(strings.TrimRight(line, "\r"), "\r") {
			return userr.New(userr.BadInput, "%s:%d: there is a carriage return (U+000D) inside the line, "+
				"which other programs read as a line end: convert line ends with `tr '\\r' '\\n'`, or remove it", in.name, number)
		}
		if err := do(line); err != nil {
			return err
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return userr.New(userr.BadInput, "%s:%d: the text is longer than %d bytes: give one sentence per line",
			in.name, number+1, maxLine)
	case err != nil && in.stdin:
		return fmt.Errorf("reading standard input: %w", err)
	case err != nil:
		return userr.New(userr.BadInput, "reading %q: %w", in.name, err)
	}
	return nil
}

// lineInput is an open file of text, or standard input.
type lineInput struct {
	io.ReadCloser
	name    string // for messages
	stdin   bool
	regular bool // reading never waits for input
}

// openInputs opens the named files. No names, or the name "-", mean stdin. It opens all files
// before any is read, so that a wrong name is reported at once.
func openInputs(names []string, stdin io.Reader) ([]lineInput, error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	var in []lineInput
	for _, file := range names {
		if file == "-" {
			f, ok := stdin.(*os.File)
			in = append(in, lineInput{io.NopCloser(stdin), "standard input", true, ok && isRegular(f)})
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			closeAll(in)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, userr.New(userr.BadInput, "there is no file %q: correct the path", file)
			}
			return nil, userr.New(userr.BadInput, "%q cannot be read (%w): name a file that you may read", file,
				files.Cause(err))
		}
		if about, err := f.Stat(); err == nil && about.IsDir() {
			closeAll(append(in, lineInput{ReadCloser: f}))
			return nil, userr.New(userr.BadInput, "%q is a folder: name the files in it", file)
		}
		in = append(in, lineInput{f, file, false, isRegular(f)})
	}
	return in, nil
}

// textInput returns an input with lines given on the command line; name is for messages.
func textInput(name, lines string) lineInput {
	return lineInput{io.NopCloser(strings.NewReader(lines)), name, false, true}
}

func isRegular(f *os.File) bool {
	about, err := f.Stat()
	return err == nil && about.Mode().IsRegular()
}

func closeAll(in []lineInput) {
	for i := range in {
		_ = in[i].Close() // only read: nothing can be lost
	}
}
