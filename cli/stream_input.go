package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Input is an open file of text, or standard input.
type Input struct {
	io.ReadCloser
	name    string // for messages
	stdin   bool
	regular bool // reading it never waits for anybody
}

// Open opens the names, or stdin where there are none or the name is "-". All are opened
// before one is read, so that a wrong name is said at once.
func Open(names []string, stdin io.Reader) ([]Input, error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	var in []Input
	for _, file := range names {
		if file == "-" {
			f, ok := stdin.(*os.File)
			in = append(in, Input{io.NopCloser(stdin), "standard input", true, ok && isRegular(f)})
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
			closeAll(append(in, Input{ReadCloser: f}))
			return nil, userr.New(userr.BadInput, "%q is a folder: name the files in it, each for itself", file)
		}
		in = append(in, Input{f, file, false, isRegular(f)})
	}
	return in, nil
}

// Text is lines given on the command line; name is for messages.
func Text(name, lines string) Input {
	return Input{io.NopCloser(strings.NewReader(lines)), name, false, true}
}

func isRegular(f *os.File) bool {
	about, err := f.Stat()
	return err == nil && about.Mode().IsRegular()
}

func closeAll(in []Input) {
	for i := range in {
		_ = in[i].Close() // read only: there is nothing to lose
	}
}
