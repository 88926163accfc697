package wording

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Screen is a writer that passes text through Visible, because a terminal obeys control characters
// and the text may come from anybody's files.
type Screen struct {
	to io.Writer

	mu         sync.Mutex
	raw        bool   // if set, text is written unchanged
	incomplete []byte // the first bytes of a character whose other bytes are not yet written
}

// NewScreen returns a Screen that writes to w.
func NewScreen(w io.Writer) *Screen { return &Screen{to: w} }

// Write implements io.Writer.
func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raw {
		return s.to.Write(text)
	}
	joined := append(s.incomplete, text...)
	complete := len(joined)
	for back := 1; back < utf8.UTFMax && back <= len(joined); back++ {
		if start := len(joined) - back; utf8.RuneStart(joined[start]) {
			if !utf8.FullRune(joined[start:]) {
				complete = start
			}
			break
		}
	}
	s.incomplete = append([]byte(nil), joined[complete:]...)
	if err := s.writeVisible(joined[:complete]); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Raw makes all later writes pass unchanged. It is for data in which every byte counts, and for
// text that has passed through Visible and then got control codes of our own.
func (s *Screen) Raw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = true
}

// End writes the bytes that are left over if the text ended with an incomplete character.
func (s *Screen) End() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.incomplete
	s.incomplete = nil
	return s.writeVisible(rest)
}

// writeVisible writes text unless it is empty, because an empty write to an io.Pipe would block.
func (s *Screen) writeVisible(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := io.WriteString(s.to, Visible(string(text)))
	return err
}
