package wording

import (
	"path/filepath"
	"testing"
)

func TestWording(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Choice([]string{}), ""},
		{Bytes(0), "0 B"},
		{Bytes(999), "999 B"},
		{Bytes(1000), "1.0 kB"},
		{Bytes(9_949_999), "9.9 MB"},
		{Bytes(9_960_000), "10 MB"},
		{Bytes(999_400_000), "999 MB"},
		{Bytes(999_600_000), "1.0 GB"},
		{Bytes(2_500_000_000_000), "2.5 TB"},
		{Choice([]string{"a"}), `"a"`},
		{Choice([]string{"a", "b", "c"}), `"a", "b" or "c"`},
		{DidYouMean("lamda", []string{"dim", "lambda"}), `, did you mean "lambda"?`},
		{DidYouMean("zebra", []string{"dim", "lambda"}), ""},
		{Count(1, "stage"), "1 stage"},
		{Plural(1, "seed") + Plural(2, "seed"), "seedseeds"},
		{Count(0, "stage"), "0 stages"},
		{SomeOfThe(1, 1, "point"), "the only point is"},
		{SomeOfThe(1, 4, "point"), "1 of the 4 points is"},
		{SomeOfThe(3, 4, "point"), "3 of the 4 points are"},
		{FirstLine("a\nb"), "a"},
		{FirstLine(""), ""},
		{Clip("größer", 6), "größer"},
		{Clip("größerer", 6), "größe…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestPathForOthers checks that a path in a document does not show the machine's directories.
func TestPathForOthers(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	for path, want := range map[string]string{
		"e.toml": "e.toml", "../e.toml": "../e.toml", filepath.Join(here, "in", "e.toml"): "in/e.toml",
		filepath.Join(filepath.Dir(here), "e.toml"): "e.toml", "/elsewhere/e.toml": "e.toml",
	} {
		if got := PathForOthers(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
