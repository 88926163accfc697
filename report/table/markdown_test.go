package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdownEscape(t *testing.T) {
	for in, want := range map[string]string{
		`<mask>`: `\<mask\>`, `lambda_eps`: `lambda_eps`, `_x_`: `\_x\_`, `2*3*4`: `2\*3\*4`, `D&R`: `D\&R`, `a & b`: `a & b`, `&#60;`: `\&#60;`,
		`# head`: `\# head`, `- item`: `\- item`, `-`: `-`,
	} {
		if got := markdownEscape(in); got != want {
			t.Errorf("markdownEscape(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestMarkdownDocument checks that a note that two tables share appears once, below both tables,
// that no line is wider than proseWidth, and that no line within a note begins like an item of
// another list.
func TestMarkdownDocument(t *testing.T) {
	long := strings.Repeat("word ", 23) + "up - this"
	tables := []*Table{
		{
			Title: "First", Columns: []Column{{Head: "n", Align: Right}},
			Rows: []Row{{Cells: []Cell{{Text: "1", Best: true}}}}, Notes: []string{"Data: a_b.", long},
		},
		{Title: "Second", Columns: []Column{{Head: "x"}}, Rows: []Row{{Cells: []Cell{{Text: "y"}}}}, Notes: []string{
			"Only here.", "Data: a_b.",
		}},
	}
	var b strings.Builder
	if err := WriteAll(&b, "markdown", tables); err != nil {
		t.Fatal(err)
	}
	want := `## First

| n |
| ---:|
| **1** |

- Bold marks the best number, whether or not the difference is significant.
- ` + strings.Repeat("word ", 22) + `word up
  \- this

## Second

| x |
|:--- |
| y |

- Only here.

## Notes on several of these tables

- Data: a_b.
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len(line) > proseWidth {
			t.Errorf("wide: %q", line)
		}
	}
}
