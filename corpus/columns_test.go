package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// The function table returns a text of n lines. Its argument "line" returns each line, given its
// index.
func table(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// TestTables checks that reading a table is an error.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		name, in string
		refused  bool
	}{
		{"source and output and label", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\ta fine day %d\t1", i, i) }), true},
		{"number before", table(30, func(i int) string { return fmt.Sprintf("%d\ta fine day", i) }), true},
		{"empty outputs", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\t\t0", i) }), true},
		{"CR LF", strings.ReplaceAll(table(30, func(i int) string { return fmt.Sprintf("dull day %d\tfine day %d", i, i) }), "\n", "\r\n"), true},
		{"nearly all lines", table(30, func(i int) string {
			return fmt.Sprint("dull day ", i) + strings.Repeat(fmt.Sprint("\tfine day ", i), min(1, i%10))
		}), true},
		{"two lines", "dull day\tfine day\ndull sky\tfine sky\n", true},
		{"a tab in one line of three", "dull\tday\ndull sky\ndull sea\n", false},
		{"tabs for spaces", "a\tdull\tday\nthe sky\tis\tso\tdull\nit\trains\nno sun\n", false},
	} {
		for _, how := range []reading{{}, {Empty: true}, {Rewrites: true}} {
			_, err := how.parse("f", []byte(c.in))
			if !c.refused && err != nil || c.refused && (userr.CodeOf(err) != userr.BadInput ||
				!strings.Contains(err.Error(), "keep one column, as `cut -f1` keeps the first")) {
				t.Errorf("%s, %+v: error %v", c.name, how, err)
			}
		}
	}
}

// TestLoadRefusesTables checks that Load returns an error if a file of sentences or of references
// is a table. The error must show what is in the columns.
func TestLoadRefusesTables(t *testing.T) {
	const want = `2 "the rewrite 0 of it"); keep one column, `
	for _, file := range []string{FileName(Train, 1), "reference.0.txt"} {
		dir := t.TempDir()
		if err := Demo().Save(dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		for i := range lines {
			lines[i] = fmt.Sprintf("%s\tthe rewrite %d of it", lines[i], i)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, "d", nil); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v, want %q", file, err, want)
		}
	}
}

func TestMarksAndCarriageReturns(t *testing.T) {
	got, err := (&reading{}).parse("f", []byte("\uFEFFa day\r\r\n\uFEFFa night\r\n"))
	if want := ([]Sentence{{"a", "day"}, {"a", "night"}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, c := range []struct{ in, want string }{
		{"a day\ra night\r", "f:1: there is a carriage return"}, {"a day\na\rnight\n", "f:2: there is a carriage return"},
	} {
		if _, err := (&reading{}).parse("f", []byte(c.in)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.in, err, c.want)
		}
	}
}
