package wording

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Shown is a writer that passes text through Visible, because text may come from anybody's files
// and a terminal obeys control characters.
type Shown struct {
	to io.Writer

	mu   sync.Mutex
	raw  bool   // write text unchanged
	rest []byte // the start of an incomplete character
}

// NewShown returns a Shown that writes to w.
func NewShown(w io.Writer) *Shown { return &Shown{to: w} }

// Write implements io.Writer.
func (s *Shown) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raw {
		return s.to.Write(text)
	}
	all := append(s.rest, text...)
	whole := len(all)
	for back := 1; back < utf8.UTFMax && back <= len(all); back++ {
		if at := len(all) - back; utf8.RuneStart(all[at]) {
			if !utf8.FullRune(all[at:]) {
				whole = at
			}
			break
		}
	}
	s.rest = append([]byte(nil), all[whole:]...)
	if err := s.show(all[:whole]); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Raw makes later writes pass unchanged: for data whose every byte counts, or for text that is
// already Visible and contains our own control codes.
func (s *Shown) Raw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = true
}

// End writes the rest of an incomplete character.
func (s *Shown) End() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.rest
	s.rest = nil
	return s.show(rest)
}

// show writes text unless it is empty: an empty write to an io.Pipe would block.
func (s *Shown) show(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := io.WriteString(s.to, Visible(string(text)))
	return err
}
