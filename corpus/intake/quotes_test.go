package intake

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts reads a file and returns "TEXT|LABEL|LINE" for each row.
func texts(t *testing.T, name, content string, s Source) (rows []string, err error) {
	t.Helper()
	s.Path = file(t, name, []byte(content))
	err = Read(s, func(r Row) error {
		rows = append(rows, fmt.Sprintf("%s|%s|%d", r.Text, r.Label, r.Line))
		return nil
	})
	return rows, err
}

// TestTSVQuotes checks that each line of a TSV file is a row and that quotation marks are ordinary
// characters, unless two of them enclose a field.
func TestTSVQuotes(t *testing.T) {
	const head = "text\tlabel\n"
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"begin and end in other rows", head + "\"dull sea\tsad\nfine sky\tglad\nfine day\"\tglad\n", []string{`"dull sea|sad|2`, "fine sky|glad|3", `fine day"|glad|4`}},
		{"within", head + "\"dull\" sea\tsad\na \"fine\" sky\tglad\n", []string{`"dull" sea|sad|2`, `a "fine" sky|glad|3`}},
		{"never closed", head + "\"dull sea\tsad\n\"fine sky\tglad\n", []string{`"dull sea|sad|2`, `"fine sky|glad|3`}},
		{"last column", "label\ttext\nsad\t\"dull sea\nglad\tfine\" sky\n", []string{`"dull sea|sad|2`, `fine" sky|glad|3`}},
		{"doubled", head + "\"a \"\"fine\"\" sky\"\tglad\n", []string{`a "fine" sky|glad|2`}},
		{"around all", "\"text\"\t\"label\"\n\"fine sky\"\t\"glad\"\n", []string{"fine sky|glad|2"}},
		{"a mark alone", head + "\"\tsad\n", []string{`"|sad|2`}},
		{"CR LF", strings.ReplaceAll(head+"fine sky\tglad\n", "\n", "\r\n"), []string{"fine sky|glad|2"}},
		{"a mark before a quotation mark", "\ufeff\"text\"\t\"label\"\n\"fine sky\"\t\"glad\"\n", []string{"fine sky|glad|2"}},
	} {
		got, err := texts(t, "a.tsv", c.in, Source{})
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, d)
		}
	}
	for in, want := range map[string]string{
		head + "fine sky\tglad\ndull\tsea\tsad\n": "a.tsv:3: the line has 3 fields, but the first line has 2: a text must contain no tab and",
		head + "\"fine sky,\nfine day\"\tglad\n":  "a.tsv:2: the line has 1 field, but the first line has 2",
		"label\ttext\nglad\t\"fine,\nday\"\n":     "a.tsv:3: the line has 1 field, but the first line has 2",
		"text\tlabel\rfine sky\tglad\r":           "a.tsv:1: there is a carriage return",
	} {
		if _, err := texts(t, "a.tsv", in, Source{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// TestCSVLines checks that a quoted text of a CSV file may contain line breaks.
func TestCSVLines(t *testing.T) {
	got, err := texts(t, "a.csv", "text,label\n\"Dull sea, grey sky.\nDull, grey day.\nDull night\",sad\n", Source{})
	if d := cmp.Diff([]string{"Dull sea, grey sky.\nDull, grey day.\nDull night|sad|2"}, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// TestMarkBeforeQuotes checks that a byte order mark is not a part of the text, even if a quotation
// mark follows it.
func TestMarkBeforeQuotes(t *testing.T) {
	for name, in := range map[string]string{
		"a.csv": "\ufeff\"text\",\"label\"\n\"fine sky\",\"glad\"\n", "b.csv": "\ufefftext,label\nfine sky,glad\n",
		"a.csv.gz": string(zipped(t, "\ufeff\"text\",\"label\"\nfine sky,glad\n")),
	} {
		got, err := texts(t, name, in, Source{})
		if d := cmp.Diff([]string{"fine sky|glad|2"}, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
	got, err := texts(t, "a.txt", "\ufefffine sky\ndull sea\r\n", Source{Label: "x"})
	if d := cmp.Diff([]string{"fine sky|x|1", "dull sea|x|2"}, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if _, err := texts(t, "a.txt", "fine sky\rdull sea\r", Source{Label: "x"}); err == nil ||
		!strings.Contains(err.Error(), "a.txt:1: there is a carriage return (U+000D) inside") {
		t.Error(err)
	}
	if _, err := texts(t, "a.csv", "text,label\rfine sky,glad\r", Source{}); err == nil ||
		!strings.Contains(err.Error(), "a.csv:1: there is a carriage return (U+000D) inside") {
		t.Error(err)
	}
}

// TestTabs checks in every format that texts are refused if they are lines of a tab-separated
// table.
func TestTabs(t *testing.T) {
	var text, csv, json strings.Builder
	csv.WriteString("text,label\n")
	for i := range 25 {
		fmt.Fprintf(&text, "a fine sky %d\tglad\n", i)
		fmt.Fprintf(&csv, "a fine sky %d\tglad,1\n", i)
		fmt.Fprintf(&json, "{\"text\":\"a fine sky %d\\tglad\",\"label\":1}\n", i)
	}
	for _, c := range []struct{ name, in, label string }{
		{"a.txt", text.String(), "1"}, {"a.csv", csv.String(), ""}, {"a.jsonl", json.String(), ""},
	} {
		_, err := texts(t, c.name, c.in, Source{Label: c.label})
		if err == nil || !strings.Contains(err.Error(), "is a table with 2 columns") || !strings.Contains(err.Error(), `(1 "`) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLostLetters checks in every format that texts and labels with undecodable letters are
// refused.
func TestLostLetters(t *testing.T) {
	s, err := New(Options{Dev: .1, Test: .1})
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"a.jsonl": "{\"text\":\"a fine caf\xe9\",\"label\":1}\n" + // Latin-1
			"{\"text\":\"a fine sky \\ud83d\",\"label\":1}\n" + // half of a character
			"{\"text\":\"a fine sea \\ud83d\\ude00\",\"label\":1}\n" +
			"{\"text\":\"a fine sea\",\"label\":1,\"by\":\"Ren\xe9\"}\n" + "{\"text\":\"a fine caf\ufffd\",\"label\":1}\n",
		"a.csv": "text,label\na fine caf\xe9,1\na fine caf\ufffd,1\nso\x00up,1\na fine day,1\n",
	} {
		if err := Read(Source{Path: file(t, name, []byte(in))}, s.Add); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.rows) != 3 || s.added.Rows != 9 || s.added.Refused != 6 {
		t.Errorf("%d texts are kept: %+v", len(s.rows), s.added)
	}
	for name, in := range map[string]string{
		"a.jsonl": "{\"text\":\"fine\",\"label\":\"gl\xe4d\"}\n", "a.csv": "text,label\nfine,gl\xe4d\n",
		"b.jsonl": "{\"text\":\"fine\",\"label\":\"gl\\ud800d\"}\n",
	} {
		s, err := New(Options{Dev: .1, Test: .1})
		if err != nil {
			t.Fatal(err)
		}
		if err := Read(Source{Path: file(t, name, []byte(in))}, s.Add); err == nil ||
			!strings.Contains(err.Error(), "that are not UTF-8: remove it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
