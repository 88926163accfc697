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

// TestTables checks that reading a table is an error that names the column that was probably meant.
func TestTables(t *testing.T) {
	cases := []struct {
		name, in string
		how      reading
		column   int // the column that the error names, 0 if there must be no error
	}{
		{"source and output and label", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\ta fine day %d\t1", i, i) }), reading{Rewrites: true}, 2},
		{"of sources", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\ta fine day %d\t1", i, i) }), reading{}, 1},
		{"label behind", table(30, func(i int) string { return fmt.Sprintf("a fine day %d\tvery sunny", i) }), reading{Rewrites: true}, 1},
		{"label before", table(30, func(i int) string { return fmt.Sprintf("sunny\ta fine day %d", i) }), reading{}, 2},
		{"number before", table(30, func(i int) string { return fmt.Sprintf("%d\ta fine day", i) }), reading{}, 1},
		{"empty outputs", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\t\t0", i) }), reading{Empty: true, Rewrites: true}, 1},
		{"CR LF", strings.ReplaceAll(table(30, func(i int) string { return fmt.Sprintf("dull day %d\tfine day %d", i, i) }), "\n", "\r\n"), reading{Rewrites: true}, 2},
		{"nearly all lines", table(30, func(i int) string {
			return fmt.Sprint("dull day ", i) + strings.Repeat(fmt.Sprint("\tfine day ", i), min(1, i%10))
		}), reading{Rewrites: true}, 2},
		{"two lines", "dull day\tfine day\ndull sky\tfine sky\n", reading{Rewrites: true}, 2},
		{"a tab in one line of three", "dull\tday\ndull sky\ndull sea\n", reading{}, 0},
		{"tabs for spaces", "a\tdull\tday\nthe sky\tis\tso\tdull\nit\trains\nno sun\n", reading{}, 0},
	}
	for _, c := range cases {
		_, err := c.how.parse("f", []byte(c.in))
		want := ""
		if c.column > 0 {
			want = fmt.Sprintf("as `cut -f%d` does", c.column)
		}
		if c.column == 0 && err != nil ||
			c.column > 0 && (userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, want)
		}
	}
}

// TestLoadRefusesTables checks that Load returns an error if a file is a table. For a file of
// sentences, the error must name the column of the sentences. For a file of references, it must
// name the column of the rewrites.
func TestLoadRefusesTables(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{FileName(Train, 1), "keep one column, it seems 1, as `cut -f1` does"},
		{"reference.0.txt", "keep one column, it seems 2, as `cut -f2` does"},
	} {
		dir := t.TempDir()
		if err := Demo().Save(dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, c.file)
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
		if _, err := Load(dir, "d", nil); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), c.file) {
			t.Errorf("%s: error %v, want %q", c.file, err, c.want)
		}
	}
}

func TestMarksAndCarriageReturns(t *testing.T) {
	got, err := reading{}.parse("f", []byte("\uFEFFa day\r\r\n\uFEFFa night\r\n"))
	if want := ([]Sentence{{"a", "day"}, {"a", "night"}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, c := range []struct{ in, want string }{
		{"a day\ra night\r", "f:1: there is a carriage return"}, {"a day\na\rnight\n", "f:2: there is a carriage return"},
	} {
		if _, err := (reading{}).parse("f", []byte(c.in)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.in, err, c.want)
		}
	}
}
