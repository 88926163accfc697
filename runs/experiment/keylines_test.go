package experiment

import (
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

func TestOf(t *testing.T) {
	text := "# comment = 1\n" +
		"name = \"a # no comment\" # b = 2\n" + // 2
		"list = [\n  1, # ]\n  2,\n]\n" + // 3
		"text = \"\"\"\nfake = 1\n[fake]\nends in quotes\"\"\"\"\"\n" + // 7
		"raw = '''\n'x' = 3\n'''\n" + // 11
		"\n  [ table . \"quoted key\" ]  # c\n" + // 15
		"a.b = {c = 1, d = [2]}\n" + // 16
		"\"e f\" = 'it'\n" + // 17
		"[[many]]\nx = 1\n[[many]]\nx = 2\r\n" + // 18
		"last = 1"
	want := map[string]int{
		"name": 2, "list": 3, "text": 10, "raw": 13, "table.quoted key": 15, "table.quoted key.a.b": 16,
		"table.quoted key.a.b.c": 16, "table.quoted key.a.b.d": 16,
		"table.quoted key.e f": 17, "many": 20,
	}
	lines := keyLines(t, text)
	if d := cmp.Diff(want, lines); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	if got := lineOf(lines, "table.quoted key.a.b.d"); got != 16 {
		t.Errorf("a key of an inline table is on line %d, want its parent's 16", got)
	}
	if got := lineOf(lines, "none.of.these"); got != 0 {
		t.Errorf("an absent key is on line %d", got)
	}
}

func keyLines(t *testing.T, text string) map[string]int {
	t.Helper()
	var root toml.Primitive
	md, err := toml.Decode(text, &root)
	if err != nil {
		t.Fatal(err)
	}
	return linesOf(&md, root)
}
