package wording

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestShown checks that a Screen shows a text completely, wherever the text is split into writes,
// even inside a character of several bytes.
func TestShown(t *testing.T) {
	const text = "naïve 日本 🙂 \x1b[2J\u009b\u202e\xff\xe6\x97 end\r\n\tstays\n"
	want := Visible(text)
	for size := 1; size < 9; size++ {
		var b bytes.Buffer
		s := NewScreen(&b)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if written, err := s.Write([]byte(rest[:n])); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if err := s.End(); err != nil || b.String() != want {
			t.Errorf("%d bytes at once: %q, %v, want %q", size, b.String(), err, want)
		}
	}
	var b bytes.Buffer
	s := NewScreen(&b)
	_, _ = s.Write([]byte("日\xe6"))
	if err := s.End(); err != nil || b.String() != `日\xe6` {
		t.Errorf("a letter without its end: %q, %v", b.String(), err)
	}
	s.Raw()
	if _, _ = s.Write([]byte("\x1b")); !strings.HasSuffix(b.String(), "\x1b") {
		t.Errorf("as it is: %q", b.String())
	}
	if err := NewScreen(broken{}).End(); err != nil {
		t.Errorf("nothing is written: %v", err)
	}
	if n, err := NewScreen(broken{}).Write([]byte("x")); n != 0 || !errors.Is(err, errBroken) {
		t.Errorf("%d, %v", n, err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
