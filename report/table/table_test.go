package table

import (
	"bytes"
	"encoding/csv"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"pgregory.net/rapid"
)

// sample returns a table that uses every feature, with text that has a special meaning in some
// formats. Its numbers are invented.
func sample() *Table {
	long := "SMLM (lambda_con 1.5, lambda_eps 0.5, decoding copied)" // a label that takes two lines in LaTeX
	row := func(dataset, system string, cells ...Cell) Row {
		return Row{Dataset: dataset, Name: system, Cells: append([]Cell{{Text: dataset}, {Text: system}}, cells...)}
	}
	t := &Table{
		Name: "sample", Study: "my-study", Title: "Results & examples_100%.", Labels: 3,
		Columns: []Column{
			{Head: "Data set", Merge: true},
			{Head: "System", Merge: true},
			{Head: "lambda_con", Align: Right, Setting: true},
			Column{Head: "TST%", Align: Right, Key: "tst"}.Split("", "deviation"),
			Column{Head: "95 % interval", Align: Right}.Split("low", "high"),
			{Head: "difference", Align: Right, Parts: []string{"difference"}},
			Column{Head: "most frequent\nnew word", Align: Center}.Split("1", "2"),
			{Head: "Output", Width: 3.7},
		},
		Rows: []Row{
			row("market", long, Cell{Text: "1.5"}, Cell{Text: "88.9 ± 0.4", Parts: []string{"88.9", "0.4"}, Best: true},
				Cell{Text: "[-1.5, 2.0]", Parts: []string{"-1.5", "2.0"}}, Signed("+4.0"),
				Cell{Text: "14.0 / 9.0", Parts: []string{"14.0", "9.0"}},
				Cell{Text: `the stall was a joy -- 100% fair & "fresh" .`, Stress: []bool{4: true, 7: true, 9: true, 10: false}}),
			row("market", long, Cell{}, Cell{Text: "87.5", Parts: []string{"87.5", ""}, Sign: "†"}, Cell{}, Signed("-1.4"),
				Cell{Text: Absent}, Cell{}),
			row("market", "Tag", Cell{Text: Absent}, Cell{Text: "70.1"}, Cell{Text: Absent},
				Cell{Text: "107,384"}, Cell{Text: "100.0 / 98.0", Parts: []string{"100.0", "98.0"}},
				Cell{Text: "averyveryverylongwordwithoutanyplacetobreakitwhateverhappens [1] 日本 \x1b[31m red"}),
			row("plain & fancy_100%", `<b>D&R</b> \o/`, Cell{Text: "10"}, Cell{Text: "41.2", Sign: "‡"}, Cell{Text: Absent},
				Signed("0.0"), Cell{Text: Absent}, Cell{Text: "a crêpe for $2 | {no} #1 ~ ^ `tick` _all_ day"}),
		},
		Legend:  []string{"‡: collapsed, and ranked in no column."},
		Defines: []string{"TST%: outputs that have the style, by a Bi-LSTM."},
		Settings: []string{
			"Seeds 1, 3.", "<Profile>: paper, but smlm.lr 0.1; finetune.lr 0.1; guide.lr 0.1, lambda_con 2.",
		},
		Notes: []string{"Data: market: 4,000 sentences; \"fancy\": 50.", "A note with lambda_con in it."},
		Hints: []string{"METEOR is left out: install WordNet."}, Unmarked: "People are not ranked.",
		Signatures: []string{
			"s_bleu: bleu4|level:corpus|n:4|tok:whitespace|case:as-is.", "tst: tst|classifier:bi-lstm|version:1.",
		},
	}
	t.Rows[1].Joined, t.Rows[2].Rule = true, true
	return t
}

// TestGolden compares a table in each format with a golden file. It also checks that no terminal
// escape in the data reaches the output.
func TestGolden(t *testing.T) {
	other := sample().only(func(j int) bool { return j < 7 }) // a table without running text is a float in LaTeX
	other.Name, other.Title, other.Settings = "other", "Another table.", nil
	other.Notes, other.Signatures = other.Notes[:1], other.Signatures[1:]
	for _, format := range Formats {
		var b bytes.Buffer
		if err := WriteAll(&b, format, []*Table{sample(), other}); err != nil {
			t.Fatal(err)
		}
		name := "sample"
		if _, kind, found := strings.Cut(format, "-"); found {
			name += "-" + kind
		}
		testkit.Golden(t, filepath.Join("testdata", name+Extension(format)), b.String())
		if strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s: a terminal escape from the data came through", format)
		}
	}
}

// TestCSVSigns checks that CSV escapes text that a spreadsheet would take for a formula, and that
// numbers stay numbers.
func TestCSVSigns(t *testing.T) {
	cells := func(texts ...string) (r Row) {
		for _, text := range texts {
			r.Cells = append(r.Cells, Cell{Text: text})
		}
		return r
	}
	table := &Table{
		Title: "Dishes #1 to #4.", Columns: []Column{{Head: "Dish #"}, {Head: "gain", Align: Right}, {Head: "Output"}},
		Rows: []Row{
			cells("#4 Stew", "-1.5", "=1+1"), cells("Pie#2", "+.31", "- dull , but warm"), cells("@home", "-12,345", "'=x"),
			cells("-3", Absent, "+ salt"), cells(`a "#" b`, "-Inf", " # "),
		},
	}
	var out strings.Builder
	if err := table.Write(&out, "csv"); err != nil {
		t.Fatal(err)
	}
	const want = `Dish #,gain,Output
#4 Stew,-1.5,'=1+1
Pie#2,+.31,"'- dull , but warm"
'@home,-12345,''=x
-3,,'+ salt
"a ""#"" b",-Inf," # "
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// TestAnyTextKeepsTheTable checks that a program that reads the CSV gets every text back, with
// spaces for control characters, and that no text changes the shape of a table in Markdown and
// HTML.
func TestAnyTextKeepsTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		table := &Table{
			Title: a, Columns: []Column{{Head: "x"}, {Head: "y"}}, Notes: []string{b},
			Rows: []Row{{Cells: []Cell{{Text: "1" + a}, {Text: b + "x"}}}},
		}
		var out strings.Builder
		if err := table.Write(&out, "csv"); err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(strings.NewReader(out.String()))
		records, err := r.ReadAll()
		if err != nil || len(records) != 2 || records[1][0] != "1"+clean(a) ||
			wording.OfCell(records[1][1]) != clean(b+"x") {
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

func TestUnknownFormat(t *testing.T) {
	err := (&Table{}).Write(&bytes.Buffer{}, "xlsx")
	if err == nil || !strings.Contains(err.Error(), "latex-document") {
		t.Errorf("got %v, want an error that lists the formats", err)
	}
}

// TestSignsStandBehindNames checks that a name with a sign, such as ‡, is printed even if the row
// above has the same name. If a name is left out, its sign must not be printed alone.
func TestSignsStandBehindNames(t *testing.T) {
	table := &Table{Name: "t", Title: "T.", Labels: 1, Columns: []Column{{Head: "name", Merge: true}, {Head: "number"}}}
	for _, sign := range []string{"‡", "‡", "", "", "‡"} {
		table.Rows = append(table.Rows, Row{Cells: []Cell{{Text: "fox", Sign: sign}, {Text: "1"}}})
	}
	joined := Row{Cells: []Cell{{Text: "fox", Sign: "‡"}, {Text: "2"}}, Joined: true}
	table.Rows = append(table.Rows, joined)
	for _, format := range []string{"text", "markdown", "html", "latex"} {
		var b strings.Builder
		if err := table.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if names, signs := strings.Count(b.String(), "fox"), len(signBehind.FindAllString(b.String(), -1)); names != 4 ||
			signs != 3 || strings.Count(b.String(), "‡")+strings.Count(b.String(), `\ddag`) != 3 {
			t.Errorf("%s: %d names and %d signs behind one, want 4 and 3:\n%s", format, names, signs, b.String())
		}
	}
}

// signBehind matches a name followed by a sign, in any format.
var signBehind = regexp.MustCompile(`fox(<sup>)?(\\textsuperscript\{)?(\$\^?\{?)?(‡|\\ddag)`)
