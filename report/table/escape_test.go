package table

import (
	"encoding/csv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLaTeXText(t *testing.T) {
	for in, want := range map[string]string{
		`50% & $3 #1 a_b {x}`: `50\% \& \$3 \#1 a\_b \{x\}`,
		`\ ~ ^`:               `\textbackslash{} \textasciitilde{} \textasciicircum{}`,
		`<mask>`:              `\textless{}mask\textgreater{}`,
		`it 's`:               `it \textquotesingle{}s`,
		`--- é 日`:             `-{}-{}- é {\scriptsize[U+65E5]}`,
		`,,,`:                 `,{},{},`,
		`ħ汤`:                  `{\scriptsize[U+0127]}\allowbreak{}{\scriptsize[U+6C64]}`,
	} {
		if got := LaTeXText(in); got != want {
			t.Errorf("LaTeXText(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMarkdownEscape(t *testing.T) {
	for in, want := range map[string]string{
		`a|b`: `a\|b`, `<mask>`: `\<mask\>`, `lambda_eps`: `lambda_eps`, `_x_`: `\_x\_`, `2*3*4`: `2\*3\*4`, `D&R`: `D\&R`, `a & b`: `a & b`, `&#60;`: `\&#60;`,
		`# head`: `\# head`, `- item`: `\- item`, `-`: `-`,
	} {
		if got := markdownEscape(in); got != want {
			t.Errorf("markdownEscape(%q) = %q, want %q", in, got, want)
		}
	}
}

// Any text goes through CSV and comes back, control characters as spaces; any table keeps its shape
// in Markdown.
func TestAnyTextKeepsTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		table := &Table{
			Title: a, Columns: []Column{{Head: "x"}, {Head: "y"}}, Notes: []string{b},
			Rows: []Row{{Cells: []Cell{{Text: "1" + a}, {Text: "2" + b}}}},
		}
		var out strings.Builder
		if err := table.Write(&out, "csv"); err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(strings.NewReader(out.String()))
		r.Comment = '#'
		records, err := r.ReadAll()
		if err != nil || len(records) != 2 || records[1][0] != "1"+clean(a) || records[1][1] != "2"+clean(b) {
			t.Fatalf("CSV came back as %q (%v)", records, err)
		}
		out.Reset()
		if err := table.Write(&out, "markdown"); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		out.Reset()
		if err := table.Write(&out, "html"); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "<td") + strings.Count(out.String(), "<th scope=\"row\""); n != 2 ||
			strings.Count(out.String(), "<") != strings.Count(out.String(),
				">") {
			t.Fatalf("the HTML has %d cells: %s", n, out.String())
		}
		if bars := strings.Count(lines[4], "|") - strings.Count(lines[4], `\|`); bars != 3 {
			t.Fatalf("the Markdown row has %d bars: %s", bars, lines[4])
		}
	})
}
