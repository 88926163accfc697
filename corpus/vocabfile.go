package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Save writes the vocabulary as text, one word a line: the word of line n, from 0, has id n.
func (v *Vocab) Save(path string) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(v.words, "\n")+"\n")
		return err
	})
}

// LoadVocab reads what Save wrote. It refuses, with path:line, other special tokens than this
// version's, a word that occurs twice, an empty line, white space in a word, and bytes that are not
// UTF-8.
func LoadVocab(path string) (*Vocab, error) {
	data, err := files.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, userr.New(
			userr.BadInput, "the vocabulary %q does not exist: correct the path, or let run write it", path,
		)
	case err != nil:
		return nil, fmt.Errorf("reading the vocabulary %q: %w", path, files.Cause(err))
	}
	return parseVocab(path, data)
}

// parseVocab is LoadVocab on the content of a file; name is for messages.
func parseVocab(name string, data []byte) (*Vocab, error) {
	const again = "let run write it again"
	words := strings.Split(string(bytes.TrimSuffix(data, []byte{'\n'})), "\n")
	seen := make(map[string]int, len(words))
	for i, w := range words {
		n := i + 1
		switch {
		case i < NumSpecial && w != specials[i]:
			return nil, userr.New(
				userr.BadInput, "%s:%d: the vocabulary has %q where the special token %s belongs: %s", name, n, w,
				specials[i], again,
			)
		case w == "" || strings.IndexFunc(w, unicode.IsSpace) >= 0:
			return nil, userr.New(
				userr.BadInput, "%s:%d: the vocabulary needs one word a line without white space, not %q: %s", name, n,
				w, again,
			)
		case !utf8.ValidString(w):
			return nil, userr.New(userr.BadInput, "%s:%d: the vocabulary is not UTF-8: %s", name, n, again)
		case seen[w] > 0:
			return nil, userr.New(
				userr.BadInput, "%s:%d: the vocabulary has %q also in line %d: %s", name, n, w, seen[w], again,
			)
		}
		seen[w] = n
	}
	if len(words) < NumSpecial {
		return nil, userr.New(
			userr.BadInput, "the vocabulary %q ends before its %d special tokens do: %s", name, NumSpecial, again,
		)
	}
	return newVocab(words), nil
}
