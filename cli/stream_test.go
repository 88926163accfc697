package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// flow reads sentences from the inputs, rewrites them with the models and writes the outputs, as
// the command transfer does.
func flow(ctx context.Context, models stages.TransferSession, in []lineInput, out io.Writer) (lines int, err error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	text := readSentences(reading, in, corpus.Cutting{})
	return rewriteLines(ctx, models, text, printer{
		Writer: bufio.NewWriter(out), tokens: true, warn: &unknownWords{w: io.Discard},
	})
}

func typed(r io.Reader) []lineInput { return []lineInput{{ReadCloser: io.NopCloser(r), name: "typed"}} }

// file returns an input that never waits for data, like a regular file.
func file(text string) lineInput {
	return lineInput{ReadCloser: io.NopCloser(strings.NewReader(text)), name: "file", regular: true}
}

// TestStreamAnswersAtOnce checks that the program answers each line before the user writes the next
// one.
func TestStreamAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, keyboard := io.Pipe()
		var out bytes.Buffer
		ended := make(chan error)
		go func() {
			_, err := flow(context.Background(), &streamFake{}, typed(in), &out)
			ended <- err
		}()
		for _, step := range [][2]string{
			{"The soup was cold.\n", "the SOUP was COLD .\n"},
			{"\n", "\n"},
			{"We", ""},
			{" liked it.\r\n", "we LIKED it .\n"},
		} {
			if _, err := io.WriteString(keyboard, step[0]); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := out.String(); got != step[1] {
				t.Fatalf("after %q the output is %q, want %q", step[0], got, step[1])
			}
			out.Reset()
		}
		keyboard.Close()
		if err := <-ended; err != nil || out.Len() > 0 {
			t.Errorf("the end gives %v and %q", err, out.String())
		}
	})
}

// The function numbered returns n lines, of which every seventh is empty, and the outputs that the
// fake backend gives for them.
func numbered(n int) (text, want string) {
	var in, out strings.Builder
	for i := range n {
		if i%7 != 3 {
			fmt.Fprintf(&in, "line x%d is fine", i)
			fmt.Fprintf(&out, "line X%d is FINE", i)
		}
		in.WriteString("\n")
		out.WriteString("\n")
	}
	return in.String(), out.String()
}

// TestStreamOrder checks that lines keep their order over many batches and several inputs, and that
// batches from regular files are full.
func TestStreamOrder(t *testing.T) {
	const n = 2*batchLines + 1000
	text, want := numbered(n)
	half := strings.Index(text[len(text)/2:], "\n") + len(text)/2 + 1
	for name, in := range map[string][]lineInput{
		"pipe": typed(strings.NewReader(text)), "file": {file(text)}, "two files": {
			file(text[:half]), file(text[half:]),
		},
	} {
		var sizes []int
		models := &streamFake{asked: func(sentences [][]string) error {
			sizes = append(sizes, len(sentences))
			return nil
		}}
		var out strings.Builder
		lines, err := flow(context.Background(), models, in, &out)
		if err != nil || lines != n || out.String() != want {
			t.Errorf(
				"%s: %d lines, %d bytes and %v, want %d lines and %d bytes, or another order", name, lines, out.Len(),
				err, n, len(want),
			)
		}
		if empty := (n - 4) / 7; name != "pipe" &&
			(len(sizes) != 3 || sizes[0]+sizes[1]+sizes[2] != n-empty-1 || sizes[2] > 1000) {
			t.Errorf("%s: batches of %v sentences, want two full ones and the rest", name, sizes)
		}
	}
}

// endless is an input of n equal lines. Each Read returns one line, and the input counts the reads.
type endless struct {
	line    string
	n, read int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read == e.n {
		return 0, io.EOF
	}
	e.read++
	return copy(p, e.line), nil
}

// TestStreamReadsNoFurther checks that the program does not read far ahead: while it processes a
// batch, it reads at most one more batch and one more line.
func TestStreamReadsNoFurther(t *testing.T) {
	for name, c := range map[string]struct {
		words, most int
		regular     bool
	}{
		"lines of a pipe": {3, batchLines, false}, "lines of a file": {3, batchLines, true}, "long lines": {
			500, batchWords/500 + 1, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := &endless{line: strings.Repeat("word ", c.words) + "\n", n: 5 * c.most}
				answered, furthest := 0, 0
				models := &streamFake{asked: func(sentences [][]string) error {
					synctest.Wait() // waits until the reader cannot continue
					furthest = max(furthest, in.read-answered)
					if len(sentences) > c.most || in.read-answered > 2*c.most+1 {
						return fmt.Errorf(
							"%d lines are in memory, %d of them being rewritten", in.read-answered, len(sentences),
						)
					}
					answered += len(sentences)
					return nil
				}}
				inputs := typed(in)
				inputs[0].regular = c.regular
				lines, err := flow(context.Background(), models, inputs, io.Discard)
				if err != nil || lines != in.n {
					t.Errorf("%d lines and %v, want %d", lines, err, in.n)
				}
				if furthest < c.most+1 {
					t.Errorf(
						"never more than %d lines were read ahead: nothing fills while a batch is worked on", furthest,
					)
				}
			})
		})
	}
}

// TestStreamEnds checks inputs with unusual line ends or lines, and inputs that end without a line
// end.
func TestStreamEnds(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"\n":                              "\n",
		"no line end":                     "no LINE end\n",
		"\ufeffOne line.\r\n \r\nTwo":     "one LINE .\n\ntwo\n",
		"\n\na b\n\n":                     "\n\na B\n\n",
		strings.Repeat(" ", maxLine-9):    "\n",
		strings.Repeat("\x01", 9) + "a b": "a B\n",
	} {
		for _, inputs := range [][]lineInput{typed(strings.NewReader(in)), {file(in)}} {
			var out strings.Builder
			if _, err := flow(context.Background(), &streamFake{}, inputs, &out); err != nil || out.String() != want {
				t.Errorf("%.30q gives %q and %v, want %q", in, out.String(), err, want)
			}
		}
	}
}

// TestStreamBadLine checks that the error names a line that cannot be processed, and that all lines
// before it are answered.
func TestStreamBadLine(t *testing.T) {
	for bad, text := range map[string]string{
		"caf\xe9":                        "file:3: the text is not UTF-8",
		strings.Repeat("a ", 1001):       "file:3: the text has more than 1000 words",
		strings.Repeat("ab ", maxLine/2): "file:3: the text is longer than 1048576 bytes",
		"a\x00b":                         "file:3: the text contains the character U+0000",
		"\u200b":                         "file:3: the text has no words",
	} {
		var out strings.Builder
		_, err := flow(
			context.Background(), &streamFake{}, []lineInput{file("\na b\n" + bad + "\nlast\n"), file("more\n")}, &out,
		)
		if err == nil || !strings.HasPrefix(err.Error(), text) || out.String() != "\na B\n" {
			t.Errorf("%.10q: %q and %v, want the two lines before it and %q", bad, out.String(), err, text)
		}
	}
	var out strings.Builder
	_, err := flow(context.Background(), &streamFake{}, []lineInput{file("\x1f\x8b\x08\x00\n")}, &out)
	testkit.WantError(t, err, userr.BadInput, "file is gzip: unpack it with gunzip")
}

// TestStreamInterrupted presses Ctrl-C, once while the program waits for input and once while the
// models compute. The outputs of all earlier lines must be complete.
func TestStreamInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, working := range []bool{false, true} {
			in, keyboard := io.Pipe()
			ctx, cancel := context.WithCancel(context.Background())
			models := &streamFake{asked: func(sentences [][]string) error {
				if working && sentences[0][0] == "two" {
					cancel()
					return ctx.Err()
				}
				return nil
			}}
			var out strings.Builder
			ended := make(chan error)
			go func() {
				lines, err := flow(ctx, models, typed(in), &out)
				if lines != 1 {
					t.Errorf("%d lines, want 1", lines)
				}
				ended <- err
			}()
			write := func(line string) {
				if _, err := io.WriteString(keyboard, line); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			}
			write("one line\n")
			if working {
				write("two lines\n")
			} else {
				cancel()
			}
			if err := <-ended; !errors.Is(err, context.Canceled) || out.String() != "one LINE\n" {
				t.Errorf("got %v and %q, want the end of the context after one line", err, out.String())
			}
			keyboard.Close() // ends the Read that is waiting for input
		}
	})
}

// The type gone is an output that nobody reads any more.
type gone struct{}

func (gone) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "out", Err: syscall.EPIPE}
}

func TestStreamNobodyReads(t *testing.T) {
	asked := 0
	models := &streamFake{asked: func([][]string) error { asked++; return nil }}
	text, _ := numbered(5 * batchLines)
	if _, err := flow(context.Background(), models, []lineInput{file(text)}, gone{}); !errors.Is(err, syscall.EPIPE) ||
		asked != 1 {
		t.Errorf("%d batches and %v, want the first to end it with EPIPE", asked, err)
	}
}

// TestStreamFails checks that the stream ends if the models fail, and that earlier answers stay.
func TestStreamFails(t *testing.T) {
	broken := errors.New("not enough memory")
	text, want := numbered(2 * batchLines)
	asked := 0
	models := &streamFake{asked: func([][]string) error {
		if asked++; asked == 2 {
			return broken
		}
		return nil
	}}
	var out strings.Builder
	if lines, err := flow(context.Background(), models, []lineInput{file(text)}, &out); !errors.Is(err, broken) ||
		lines != batchLines ||
		out.String() != want[:out.Len()] {
		t.Errorf("%d lines and %v, want %d and %v", lines, err, batchLines, broken)
	}
}

func TestOpenInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	regular, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer regular.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, c := range []struct {
		files   []string
		stdin   io.Reader
		regular []bool
	}{
		{nil, regular, []bool{true}},
		{nil, r, []bool{false}},
		{nil, strings.NewReader(""), []bool{false}},
		{[]string{path, "-", path}, r, []bool{true, false, true}},
		{[]string{"/dev/null"}, nil, []bool{false}},
	} {
		in, err := openInputs(c.files, c.stdin)
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, i := range in {
			got = append(got, i.regular)
		}
		if !slices.Equal(got, c.regular) {
			t.Errorf("%q: regular %v, want %v", c.files, got, c.regular)
		}
		closeAll(in)
	}
}

// streamFake is a transfer session that answers as the fake backend does.
type streamFake struct {
	asked func(sentences [][]string) error // called before each answer if not nil
}

func (f *streamFake) Rewrite(ctx context.Context, sentences [][]string) ([]stages.Rewritten, error) {
	if f.asked != nil {
		if err := f.asked(sentences); err != nil {
			return nil, err
		}
	}
	session, err := fakebackend.Backend{}.OpenTransfer(ctx, stages.TransferRequest{})
	if err != nil {
		return nil, err
	}
	return session.Rewrite(ctx, sentences)
}

func (f *streamFake) Close() {}
