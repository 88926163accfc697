package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// readRaw reads a text a line from the files, or from stdin where there are none or the name is "-", and cuts each into words. An
// empty line is a nil entry.
func readRaw(ctx context.Context, files []string, stdin io.Reader) ([]corpus.Sentence, error) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	var lines []corpus.Sentence
	for _, file := range files {
		name, text, err := slurp(ctx, file, stdin)
		if err != nil {
			return nil, err
		}
		number := 0
		for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
			number++
			if strings.TrimSpace(line) == "" {
				lines = append(lines, nil)
				continue
			}
			words, err := corpus.Tokenize(line)
			if err != nil {
				return nil, userr.New(userr.BadInput, "%s:%d: %w", name, number, err)
			}
			lines = append(lines, words)
		}
	}
	return lines, nil
}

func slurp(ctx context.Context, file string, stdin io.Reader) (name, text string, err error) {
	if file == "-" {
		text, err := readAll(ctx, stdin)
		if err != nil {
			return "", "", fmt.Errorf("reading standard input: %w", err)
		}
		return "standard input", text, nil
	}
	b, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", userr.New(userr.BadInput, "there is no file %q: correct the path", file)
	case err != nil:
		return "", "", userr.New(userr.BadInput, "reading %q: %w", file, err)
	}
	return file, string(b), nil
}

// readAll is io.ReadAll that ends with ctx, so that Ctrl-C works while a terminal waits for input.
func readAll(ctx context.Context, r io.Reader) (string, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(r)
		done <- result{text, err}
	}()
	select {
	case got := <-done:
		return string(got.text), got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// writeJSONLine writes v as one line of JSON.
func writeJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}
