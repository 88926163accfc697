package corpus

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func TestParseLines(t *testing.T) {
	got, err := (&reading{}).parse("f", []byte("\uFEFFthe soup\tis  cold .\r\nit rains ."))
	want := []Sentence{{"the", "soup", "is", "cold", "."}, {"it", "rains", "."}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestParseLinesRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", `the file "f" is empty`},
		{"only line ends", "\n \n", `the file "f" is empty`},
		{"only a mark", "\uFEFF", `the file "f" is empty`},
		{"empty line", "a\n\nb\n", "f:2: the line is empty"},
		{"white line", "a\nb\n \t\nc\n", "f:3: the line is empty"},
		{"empty last line", "a\n\n", "f:2: the line is empty"},
		{"latin-1", "a\ncaf\xe9 .\n", "f:2: the line is not UTF-8"},
		{"utf-16", "\xff\xfea\x00\n\x00", `the file "f" is UTF-16: convert it to UTF-8, with iconv -f UTF-16 -t UTF-8`},
		{"utf-16 without a mark", "a\x00 \x00b\x00\n\x00", `the file "f" is UTF-16: convert it to UTF-8, with iconv -f UTF-16LE`},
		{"the other utf-16", "\x00a\x00 \x00b\x00\n", `the file "f" is UTF-16: convert it to UTF-8, with iconv -f UTF-16BE`},
		{"gzip", "\x1f\x8b\x08\x00", `the file "f" is gzip: unpack it with gunzip`},
		{"a spreadsheet", "PK\x03\x04\x14", `the file "f" is a zip archive or a spreadsheet: unpack it, or`},
		{"one zero", "a b\x00\nc d e f\n", "f:1: the line contains the control character U+0000"},
		{"one word too many", "a\n" + strings.Repeat("w ", maxWords+1), "f:2: the line has 1001 words"},
		{"100,000 words", strings.Repeat("word ", 100_000) + "\n", "f:1: the line has 100000 words"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := (&reading{}).parse("f", []byte(c.in))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %q...", err, c.want)
			}
			if userr.CodeOf(err) != userr.BadInput {
				t.Errorf("code %d", userr.CodeOf(err))
			}
		})
	}
	if _, err := (&reading{}).parse("f", []byte(strings.Repeat("w ", maxWords))); err != nil {
		t.Errorf("a line of maxWords words: %v", err)
	}
}

// TestCheckOutputs checks that outputs are normalised and cut, and that there is a warning with the
// numbers of these lines.
func TestCheckOutputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	text := "caf\u00e9 noir\n\u200ecafe\u0301 noir\n\nte\u0301 vert\n" + strings.Repeat("w ", maxWords+9)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, warning, err := CheckOutputs(file)
	if err != nil || len(lines) != 5 || !slices.Equal(lines[0], lines[1]) || len(lines[4]) != maxWords {
		t.Errorf("%q, %v", lines[:4], err)
	}
	for _, want := range []string{"2 of 5 outputs have letters in another Unicode form", "; 1 of 5 outputs have more than 1000 words"} {
		if !strings.Contains(warning, want) {
			t.Errorf("warning %q, want %q", warning, want)
		}
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("w ", maxWords)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, warning, err := CheckOutputs(file); warning != "" || err != nil {
		t.Errorf("warning %q, %v", warning, err)
	}
}

func TestReadLinesPath(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.txt"): "does not exist", dir: "cannot be read (is a directory)",
	} {
		if _, err := ReadLines(path); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestReadReferences checks that an empty line is refused with the advice to repeat a rewrite from
// another set. Empty and undecodable files must be refused too.
func TestReadReferences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "second.0.txt")
	for text, want := range map[string]string{
		"a warm roll\n\n a cup\n": ":2: the line is empty: if other sets have a rewrite of this sentence, repeat one here",
		"":                        "is empty",
		"a \xff\n":                ":1: the line is not UTF-8",
		"a roll\n":                "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		switch got, err := ReadReferences(path); {
		case want == "" && (err != nil || len(got) != 1):
			t.Errorf("%q: %v (%v)", text, got, err)
		case want != "":
			testkit.WantError(t, err, userr.BadInput, path, want)
		}
	}
}

// FuzzParseLines checks that accepted text stays the same when it is written and read again.
func FuzzParseLines(f *testing.F) {
	for _, s := range []string{"a b\nc\n", "", "\n", "\xff", "\uFEFFa", "a\r\nb", "a\u00a0b\u0085c", "\uFEFF\uFEFFa"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := (&reading{}).parse("f", data)
		if err != nil {
			if userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n") {
				t.Fatalf("not one sentence for the user: %q", err)
			}
			return
		}
		for _, words := range got {
			if len(words) == 0 || len(words) > maxWords {
				t.Fatalf("a sentence of %d words", len(words))
			}
		}
		if strings.HasPrefix(got[0][0], "\uFEFF") {
			// The first word still begins with a byte order mark. It would be the start of the
			// written file, so reading the file again would remove it.
			return
		}
		var written strings.Builder // as WriteLines writes it, but in memory
		for _, words := range got {
			written.WriteString(strings.Join(words, " ") + "\n")
		}
		again, err := (&reading{}).parse("f", []byte(written.String()))
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Fatalf("read %q, wrote and read %q, %v", got, again, err)
		}
	})
}

// TestReadOutputs checks that outputs may be empty. A file without any line and a line that is not
// UTF-8 must be refused.
func TestReadOutputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	for text, want := range map[string][]Sentence{
		"a b\n\nc\n": {{"a", "b"}, {}, {"c"}}, "a\n\n": {{"a"}, {}}, "\na": {{}, {"a"}},
		"\n \n": {{}, {}}, "": nil, "\ufeff": nil, "a\n\xff\n": nil,
	} {
		testkit.WriteFile(t, path, text)
		got, err := ReadOutputs(path)
		if (err != nil) != (want == nil) || !slices.EqualFunc(got, want, slices.Equal[Sentence]) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}
