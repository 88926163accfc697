package corpus

import (
	"errors"
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

// TestTables checks that reading a table is an error if no column is selected. The error must name
// the column that was probably meant.
func TestTables(t *testing.T) {
	cases := []struct {
		name, in string
		how      Reading
		column   int // the column that the error names, 0 if there must be no error
	}{
		{"source and output and label", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\ta fine day %d\t1", i, i) }), Reading{Rewrites: true}, 2},
		{"of sources", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\ta fine day %d\t1", i, i) }), Reading{}, 1},
		{"label behind", table(30, func(i int) string { return fmt.Sprintf("a fine day %d\tvery sunny", i) }), Reading{Rewrites: true}, 1},
		{"label before", table(30, func(i int) string { return fmt.Sprintf("sunny\ta fine day %d", i) }), Reading{}, 2},
		{"number before", table(30, func(i int) string { return fmt.Sprintf("%d\ta fine day", i) }), Reading{}, 1},
		{"empty outputs", table(30, func(i int) string { return fmt.Sprintf("a dull day %d\t\t0", i) }), Reading{Empty: true, Rewrites: true}, 1},
		{"CR LF", strings.ReplaceAll(table(30, func(i int) string { return fmt.Sprintf("dull day %d\tfine day %d", i, i) }), "\n", "\r\n"), Reading{Rewrites: true}, 2},
		{"nearly all lines", table(30, func(i int) string {
			return fmt.Sprint("dull day ", i) + strings.Repeat(fmt.Sprint("\tfine day ", i), min(1, i%10))
		}), Reading{Rewrites: true}, 2},
		{"two lines", "dull day\tfine day\ndull sky\tfine sky\n", Reading{Rewrites: true}, 2},
		{"a tab in one line of three", "dull\tday\ndull sky\ndull sea\n", Reading{}, 0},
		{"tabs for spaces", "a\tdull\tday\nthe sky\tis\tso\tdull\nit\trains\nno sun\n", Reading{}, 0},
	}
	for _, c := range cases {
		_, err := c.how.parse("f", []byte(c.in))
		refused := (*TableError)(nil)
		switch errors.As(err, &refused); {
		case c.column == 0 && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.column > 0 && (refused == nil || userr.CodeOf(err) != userr.BadInput):
			t.Errorf("%s: error %v, want a refusal", c.name, err)
		case c.column > 0 && c.name != "number before" && refused.Column != c.column:
			t.Errorf("%s: column %d, want %d (%v)", c.name, refused.Column, c.column, err)
		}
	}
}

// TestColumn checks that the selected column of a table is read like a file with only that column.
func TestColumn(t *testing.T) {
	in := table(30, func(i int) string { return fmt.Sprintf("a dull day %d\ta fine day %d\t1", i, i) })
	want, err := Reading{}.parse("f", []byte(table(30, func(i int) string { return fmt.Sprintf("a fine day %d", i) })))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{in, strings.ReplaceAll(in, "\n", "\r\n")} {
		if got, err := (Reading{Column: 2}).parse("f", []byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	plain := table(30, func(i int) string { return fmt.Sprintf("a fine day %d", i) })
	if got, err := (Reading{Column: 2}).parse("f", []byte(plain)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a file without columns: %q, %v; want all of it", got, err)
	}
	for column, wants := range map[int]string{
		3: `"f" has labels in column 3 ("1"), not sentences`, 4: `"f" has 3 columns, so there is no column 4`,
	} {
		if _, err := (Reading{Column: column}).parse("f", []byte(in)); err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("error %v, want %q", err, wants)
		}
	}
	_, err = Reading{Column: 2}.parse("f", []byte(in+"a day\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "f:31: the line has only 1 of the file's columns and lacks column 2") {
		t.Errorf("a line of fewer columns: %v", err)
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
	got, err := Reading{}.parse("f", []byte("\uFEFFa day\r\r\n\uFEFFa night\r\n"))
	if want := ([]Sentence{{"a", "day"}, {"a", "night"}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, c := range []struct{ in, want string }{
		{"a day\ra night\r", "f:1: there is a carriage return"}, {"a day\na\rnight\n", "f:2: there is a carriage return"},
	} {
		if _, err := (Reading{}).parse("f", []byte(c.in)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.in, err, c.want)
		}
	}
}
