package intake

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFormats reads the same two texts in every format.
func TestFormats(t *testing.T) {
	const (
		csv  = "id,Sentence,label,part\n1,Cold soup.,0,train\n2,\"Great, \"\"warm\"\" soup!\",1,\n"
		tsv  = "id\tsentence\tlabel\tpart\n1\tCold soup.\t0\ttrain\n2\tGreat, \"warm\" soup!\t1\t\n"
		json = "{\"id\":1,\"sentence\":\"Cold soup.\",\"label\":0,\"part\":\"train\"}\n\n" +
			"{\"id\":2,\"sentence\":\"Great, \\\"warm\\\" soup!\",\"label\":1,\"part\":\"\"}\n"
	)
	for name, content := range map[string][]byte{
		"a.csv": []byte("\ufeff" + csv), "a.csv.gz": zipped(t, csv), "a.CSV": []byte(strings.ReplaceAll(csv, "\n", "\r\n")),
		"a.tsv": []byte(tsv), "a.jsonl": []byte(json), "a.ndjson.gz": zipped(t, json),
		"a.json": []byte(json), "list.json": []byte(" [" + strings.ReplaceAll(json, "}\n\n{", "},\n{") + "]\n"),
	} {
		var got []Row
		err := Read(Source{Path: file(t, name, content), Split: "part"}, func(r Row) error {
			r.Path, r.Line = "", 0
			got = append(got, r)
			return nil
		})
		want := []Row{{Text: "Cold soup.", Label: "0", Split: "train"}, {Text: "Great, \"warm\" soup!", Label: "1"}}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
	path := file(t, "good.txt", []byte("\ufeffWarm soup.\n\nFine!\n"))
	var got []Row
	if err := Read(Source{Path: path, Label: "good"}, func(r Row) error {
		got = append(got, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{Text: "Warm soup.", Label: "good", Path: path, Line: 1}, {Text: "Fine!", Label: "good", Path: path, Line: 3},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestRefusals checks that each error names the file, what is wrong and what to do.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, content string
		source        Source
		want          string
	}{
		{
			"a.csv", "x,y\n1,2\n",
			Source{},
			"no column with a usual name: name it with --text-column, one of x, y, or add a header line if there is none; " +
				"name the column of labels too, with --label-column",
		},
		{"a.csv", "text,review,label\n1,2,3\n", Source{}, "several columns with usual names: name it with --text-column"},
		{"a.csv", "text,y\n1,2\n", Source{}, "name it with --label-column, one of text, y"},
		{"a.csv", "text,label\n1,2\n", Source{Text: "z"}, "no column z: name it with --text-column, one of text, label"},
		{"a.csv", "text,label\n1,2\n", Source{Split: "z"}, "no column z: name it with --split-column"},
		{"a.csv", "text,label\n1,2,3\n", Source{}, "a.csv:2: the line and the first line have different numbers of fields: put"},
		{"a.csv", "text,label\n\"1,2\n", Source{}, "a.csv:2: a quotation mark is not closed"},
		{
			"a.csv", "text;label\na;1\n",
			Source{},
			"name it with --text-column, one of text;label, or separate columns by commas in .csv files and by tabs in .tsv files",
		},
		{"a.csv", "text\tlabel\na\t1\n", Source{}, "or separate columns by commas in .csv files and by tabs"},
		{"a.tsv", "text,label\na,1\n", Source{}, "one of text,label, or separate columns by commas"},
		{
			"a.csv", "text,text,label\n1,2,3\n",
			Source{Text: "text"},
			"has several columns named text: rename all but one",
		},
		{"a.csv", "text,text,label\n1,2,3\n", Source{}, "has several columns named text: rename"},
		{"a.csv", "", Source{}, "is empty: its first line must name the columns"},
		{"a.csv", "text,label\n", Source{Label: "good"}, "is a table"},
		{"a.csv", "text,label\n", Source{}, "contains no text: give another file, or leave it out"},
		{"a.txt", " \n", Source{Label: "good"}, "contains no text: give another file, or leave it out"},
		{"a.jsonl", "{\"text\":\"a\",\"label\":1}\n[1]\n", Source{}, "a.jsonl:2: the line is not one JSON object"},
		{"a.jsonl", "{\"text\":\"a\",\"label\":1} 2\n", Source{}, "a.jsonl:1: the line is not one JSON object"},
		{"a.jsonl", "{\"text\":\"a\",\"label\":1}\n{\"text\":[],\"label\":1}\n", Source{}, `a.jsonl:2: "text" is neither text nor a number`},
		{"a.json", `[{"text":"a","label":1}, 7]`, Source{}, "a.json: item 2 of the list is not a JSON object (it has the type number): write one object per line"},
		{"a.json", `[{"text":"a","label":1}, null]`, Source{}, "item 2 of the list is not a JSON object (it is null)"},
		{"a.json", `[{"text":"a","label":1}`, Source{}, "item 2 of the list is not a JSON object"},
		{"a.json", `[{"text":"a","label":1}] {}`, Source{}, "something follows the list: remove it"},
		{"a.json", `[]`, Source{}, "contains no text"},
		{"a.csv", "t\x00e\x00x\x00t\x00,\x00l\x00\n\x00", Source{}, "is UTF-16: convert it to UTF-8, with iconv -f UTF-16LE"},
		{"a.csv", string(zipped(t, "text,label\n")), Source{}, "is gzip: unpack it with gunzip"},
		{"a.tsv", "warm rolls at dawn\tfresh\n", Source{}, "or add a header line if there is none"},
		{"a.json", "{\"data\":[{\"text\":\"a\",\"label\":1}]}\n", Source{}, "a list under the key data: write one object per line, as"},
		{
			"a.json", `{"a'$(date)'b":[{"text":"a","label":1}]}`,
			Source{},
			"`jq -c '.[\"a'\\''$(date)'\\''b\"][]'` does", // a shell reads one word
		},
		{"a.json", "{\n\"data\":[\n{\"text\":\"a\",\"label\":1}]}\n", Source{}, "`jq -c '.KEY[]'` for a list under a key"},
		{"a.jsonl", "{\"text\":NaN,\"label\":1}\n", Source{}, "a.jsonl:1: the line is not one JSON object (invalid character 'N'"},
		{"a.txt", "\xff\xfea\x00\n\x00", Source{Label: "good"}, "is UTF-16: convert it to UTF-8"},
		{"a.csv.gz", string(zipped(t, "\xfe\xff\x00t")), Source{}, "is UTF-16: convert it to UTF-8"},
		{"a.parquet", "PAR1 nothing", Source{}, "is a Parquet file, which is not read: write it as JSON lines, in Python"},
		{"a.parquet", "PAR1 nothing", Source{Label: "good"}, "is a Parquet file, which is not read"},
		{"a.csv.gz", cut(t, "text,label\n", "warm soup,%d\n"), Source{}, "is cut off"},
		{"a.tsv.gz", cut(t, "text\tlabel\n", "warm soup\t%d\n"), Source{}, "is cut off"},
		{"a.jsonl.gz", cut(t, "", "{\"text\": \"warm soup\", \"label\": %d}\n"), Source{}, "is cut off"},
		{"a.txt.gz", cut(t, "", "warm soup %d\n"), Source{Label: "good"}, "is cut off"},
		{"a.parquet.gz", "x", Source{}, "is a Parquet file, which is not read"},
		{"a.txt", "x\n", Source{}, "name the style, LABEL="},
		{"a.txt.gz", "no gzip", Source{Label: "good"}, "is not a gzip file, although its name says so: remove .gz"},
		{"a.txt", strings.Repeat("x", maxLine+1), Source{Label: "good"}, "a.txt:1: the line is longer than 4194304 bytes"},
	} {
		c.source.Path = file(t, c.name, []byte(c.content))
		err := Read(c.source, func(Row) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.source.Path) &&
			!strings.Contains(err.Error(), filepath.Base(c.source.Path)) || userr.CodeOf(err) != userr.BadInput {
			t.Errorf("%s, %.40q: %v, want %q", c.name, c.content, err, c.want)
		}
	}
	for path, want := range map[string]string{"/dev/zero": "not a regular file", "none.txt": "there is no file", t.TempDir(): "is a folder: name the files in it"} {
		if err := Read(Source{Path: path, Label: "x"}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// cut returns a gzipped file with a header and 100 lines, truncated as after an interrupted
// download.
func cut(t *testing.T, head, line string) string {
	t.Helper()
	for i := range 100 {
		head += fmt.Sprintf(line, i)
	}
	raw := zipped(t, head)
	return string(raw[:len(raw)*2/3])
}

func FuzzRead(f *testing.F) {
	f.Add("a.csv", []byte("text,label\na,0\n\"b\",1\n"))
	f.Add("a.tsv", []byte("text\tlabel\na\t0\n"))
	f.Add("a.jsonl", []byte(`{"text":"a","label":0}`))
	f.Add("a.csv.gz", zipped(f, "text,label\na,0\n"))
	names := []string{"a.csv", "a.tsv", "a.jsonl", "a.csv.gz"}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if !slices.Contains(names, name) {
			return
		}
		path := filepath.Join(dir, fmt.Sprint(os.Getpid(), name))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		err := Read(Source{Path: path}, func(Row) error { return nil })
		if err != nil && userr.CodeOf(err) != userr.BadInput {
			t.Fatalf("%v is not about the input", err)
		}
	})
}

// TestCSVBounds checks that an unclosed quotation mark and a text without end each give a
// one-sentence error.
func TestCSVBounds(t *testing.T) {
	many := strings.Repeat("a warm soup,1\n", 5)
	for name, c := range map[string]struct {
		text, want string
	}{
		"columns":       {"text,label" + strings.Repeat(",x", 1<<15) + "\na,0\n", ":2: the line and the first line have different numbers of fields"},
		"other columns": {"a" + strings.Repeat(",xyz", 1<<15) + "\n", "name it with --text-column, one of a, xyz, xyz"},
		"open mark":     {"text,label\n" + many + "\"" + strings.Repeat(many, 1<<16), ":6: the row after this one has over 4194304 bytes: close an open quotation mark"},
		"a marked text": {"text,label\n\"a\nb\",1\n\"" + strings.Repeat("soup ", 1<<20), ":2: the row after this one has over"},
		"newlines":      {"text,label\n" + many + strings.Repeat("\n", 1<<23), "a.csv.gz:6: the row after"},
	} {
		path := file(t, "a.csv.gz", zipped(t, c.text))
		err := Read(Source{Path: path}, func(Row) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 2000 ||
			userr.CodeOf(err) != userr.BadInput {
			t.Errorf("%s: %.300v, want %q", name, err, c.want)
		}
	}
}
