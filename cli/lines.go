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

// batchLines and batchWords limit the size of a batch. However long the input is, at most two
// batches are in memory: one is processed while the other is filled.
const (
	batchLines = 4096
	batchWords = 1 << 16 // the sentence that reaches this limit completes the batch
	tableLines = 100     // the reader checks after this number of lines whether the input is a table
	maxLine    = 1 << 20 // maximum bytes in a line; enough for 1,000 words, which is the limit of package corpus
)

// sentenceReader reads texts, one per line, and cuts them into words in the background. It does not
// use torch.
type sentenceReader struct {
	// batches delivers consecutive lines in order, at least one per batch. An empty line is nil.
	// The channel is closed after the last batch.
	batches chan []*corpus.Source
	err     error // why reading ended; valid after batches is closed, unless the context is done
}

// readSentences starts to read the inputs, one after the other, and closes them all at the end. If
// all inputs are regular files, each batch except the last is full, so that the same files always
// give the same batches. Otherwise a batch does not wait for more lines: it has the lines that
// arrived while the previous batch was processed. When ctx ends, everything stops, except that a
// read that waits for data ends only with the program.
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

// gather collects lines into batches. If wait is set, it sends only full batches, except the last
// one.
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

// The method next returns the next batch, or io.EOF after the last one.
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

// sentences cuts every line of the input into words and sends the words to the channel lines. If a
// line cannot be cut, the error gives the line's number.
func (in *lineInput) sentences(ctx context.Context, cutting corpus.Cutting, lines chan<- *corpus.Source) error {
	var tabs corpus.Columns
	number := 0
	if err := in.each(func(line string) error {
		number++
		if tabs.Add(line); number == tableLines {
			if err := tabs.Refuse(in.name, "first lines"); err != nil {
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
		return tabs.Refuse(in.name, "lines")
	}
	return nil
}

// The method each reads the input line by line and calls do with every line.
func (in *lineInput) each(do func(line string) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	number := 0
	for scanner.Scan() {
		number++
		// A byte order mark may begin any line, because files may be concatenated.
		line := strings.TrimPrefix(scanner.Text(), "\ufeff")
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
	regular bool // set if reads never wait for more data
}

// openInputs opens the named files. The name "-", or no name at all, means stdin. It opens all
// files before anything is read, so that a wrong name is reported at once.
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

// textInput returns an input whose lines come from the command line.
func textInput(lines string) lineInput {
	return lineInput{io.NopCloser(strings.NewReader(lines)), "--text", false, true}
}

func isRegular(f *os.File) bool {
	about, err := f.Stat()
	return err == nil && about.Mode().IsRegular()
}

func closeAll(in []lineInput) {
	for i := range in {
		_ = in[i].Close() // nothing can be lost, because the files were only read
	}
}
