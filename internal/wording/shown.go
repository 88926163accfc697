package wording

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Shown writes text that somebody else's may be in as Visible has it: what it says may come from
// files of anybody, and a terminal obeys what it is sent.
type Shown struct {
	to io.Writer

	mu   sync.Mutex
	raw  bool   // nothing is changed
	rest []byte // of a character that was not written to its end
}

// NewShown returns one that writes to w.
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

// Raw leaves what follows as it is: data of which every byte counts, or text that is Visible
// already, between codes of ours.
func (s *Shown) Raw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = true
}

// End writes what is left of a character that never came to its end.
func (s *Shown) End() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.rest
	s.rest = nil
	return s.show(rest)
}

// show writes a text; nothing is not written, since a pipe of this process would wait for a reader.
func (s *Shown) show(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := io.WriteString(s.to, Visible(string(text)))
	return err
}
