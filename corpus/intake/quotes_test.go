package intake

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts reads a file and returns "TEXT|LABEL" of each row.
func texts(t *testing.T, name, content string, s Source) (rows []string, err error) {
	t.Helper()
	s.Path = file(t, name, []byte(content))
	err = Read(s, func(r Row) error {
		rows = append(rows, fmt.Sprintf("%s|%s|%d", r.Text, r.Label, r.Line))
		return nil
	})
	return rows, err
}

// TestTSVQuotes: a quotation mark is a letter where lines are rows, and stands around a text where
// they are not.
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
		{"a line end within", head + "\"fine sky,\nfine day\"\tglad\ndull sea\tsad\n", []string{"fine sky,\nfine day|glad|2", "dull sea|sad|4"}},
		{"a line end in the last column", "label\ttext\nglad\t\"fine sky,\nfine day\"\nsad\tdull sea\n", []string{"fine sky,\nfine day|glad|2", "dull sea|sad|4"}},
		{"a tab within", head + "\"fine sky\tfine day\"\tglad\n", []string{"fine sky\tfine day|glad|2"}},
		{"CR LF", strings.ReplaceAll(head+"fine sky\tglad\n", "\n", "\r\n"), []string{"fine sky|glad|2"}},
		{"a mark before a quotation mark", "\ufeff\"text\"\t\"label\"\n\"fine sky\"\t\"glad\"\n", []string{"fine sky|glad|2"}},
	} {
		got, err := texts(t, "a.tsv", c.in, Source{Column: 1})
		want := c.want
		if c.name == "a tab within" {
			want = []string{"fine sky|glad|2"} // its first column was asked for
		}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, d)
		}
	}
	for in, want := range map[string]string{
		head + "fine sky\tglad\ndull\tsea\tsad\n": "a.tsv:3: the line has 3 fields, but the first line has 2: a text must contain no tab and",
		head + "\"fine sky\n":                     "a.tsv:2: the line has 1 field, but the first line has 2",
		"text\tlabel\rfine sky\tglad\r":           "a.tsv:1: there is a carriage return",
	} {
		if _, err := texts(t, "a.tsv", in, Source{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// TestCSVSwallows: a quotation mark that is never closed must not make one text of many rows; a
// text may have lines.
func TestCSVSwallows(t *testing.T) {
	for in, at := range map[string]string{
		"text,label\nfine day,glad\n\"dull sea,sad\nfine sky,glad\nfine day\",glad\ngrey day,sad\n": "a.csv:3",
		"text,label\n\"dull sea,sad\nfine day\",sad\n":                                              "a.csv:2",
		"label,text\nsad,\"dull sea\nsad,dull day\"\n":                                              "a.csv:2",
		"title,text,label\n\"one,dull sea,sad\ntwo,dull day,sad\nthree\",dull sky,sad\n":            "a.csv:2",
		"title,text,label\none,\"dull sea,sad\ntwo,dull day,sad\nthree,dull sky\",sad\n":            "a.csv:2",
		"text,label\n\"dull, grey sea\",sad\n\"dull sea,sad\n\"\"fine\"\" sky,sad\nday\",sad\n":     "a.csv:3",
	} {
		_, err := texts(t, "a.csv", in, Source{})
		if want := at + ": a text between quotation marks contains what looks like "; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
	got, err := texts(t, "a.csv", "text,label\n\"Dull sea, grey sky.\nDull, grey day.\nDull night\",sad\n", Source{})
	if d := cmp.Diff([]string{"Dull sea, grey sky.\nDull, grey day.\nDull night|sad|2"}, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// TestMarkBeforeQuotes: a byte order mark is none of the text, before a quotation mark too.
func TestMarkBeforeQuotes(t *testing.T) {
	for name, in := range map[string]string{
		"a.csv": "\ufeff\"text\",\"label\"\n\"fine sky\",\"glad\"\n", "b.csv": "\ufeff\ufefftext,label\nfine sky,glad\n",
		"a.csv.gz": string(zipped(t, "\ufeff\"text\",\"label\"\nfine sky,glad\n")),
	} {
		got, err := texts(t, name, in, Source{})
		if d := cmp.Diff([]string{"fine sky|glad|2"}, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
	got, err := texts(t, "a.txt", "\ufefffine sky\n\ufeffdull sea\r\n", Source{Label: "x"})
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

// TestTabs: texts that are tables are refused in every format, or cut.
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
		if err == nil || !strings.Contains(err.Error(), "is a table with 2 columns") || !strings.Contains(err.Error(), "it seems 1") {
			t.Errorf("%s: %v", c.name, err)
		}
		got, err := texts(t, c.name, c.in, Source{Label: c.label, Column: 1})
		if err != nil || len(got) != 25 || !strings.HasPrefix(got[24], "a fine sky 24|1|") {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
		if _, err = texts(t, c.name, c.in, Source{Label: c.label, Column: 2}); err == nil ||
			!strings.Contains(err.Error(), "has labels in column 2") {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err = texts(t, c.name, c.in, Source{Label: c.label, Column: 3}); err == nil ||
			!strings.Contains(err.Error(), "the text has no column 3") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLostLetters: of what is not Unicode no text is made up, whatever the format.
func TestLostLetters(t *testing.T) {
	s, err := New(Options{Dev: .1, Test: .1})
	if err != nil {
		t.Fatal(err)
	}
	const refused = 4
	rows := "{\"text\":\"a fine caf\xe9\",\"label\":1,\"by\":\"x\"}\n" + // Latin-1
		"{\"text\":\"a fine sky \\ud83d\",\"label\":1}\n" + "{\"text\":\"\\ude00\\ud83d a dull sky\",\"label\":1}\n" +
		"{\"text\":\"so \\\\\\ud83dull\",\"label\":1}\n" +
		"{\"text\":\"a fine sea \\ud83d\\ude00\",\"label\":1}\n" + "{\"text\":\"a \\\\ud83d fine sea\",\"label\":1}\n" +
		"{\"text\":\"a fine sea\",\"label\":1,\"by\":\"Ren\xe9\"}\n" + "{\"text\":\"a fine caf\ufffd\",\"label\":1}\n"
	if err := Read(Source{Path: file(t, "a.jsonl", []byte(rows))}, s.Add); err != nil {
		t.Fatal(err)
	}
	if s.Counts.Rows != 8 || s.Counts.Lost != 1 || s.Counts.Refused != refused ||
		!strings.Contains(s.Counts.FirstRefused[0], "a.jsonl:1: the line is not UTF-8") ||
		!strings.Contains(s.Counts.FirstRefused[1], `a.jsonl:2: the line contains half of a character`) {
		t.Errorf("%+v", s.Counts)
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
