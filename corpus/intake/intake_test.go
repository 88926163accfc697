package intake

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
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

type parquetRow struct {
	ID    int64   `parquet:"id"`
	Text  string  `parquet:"sentence"`
	Label int32   `parquet:"label"`
	Part  *string `parquet:"part,optional"`
}

func parquetFile(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	train := "train"
	rows := []parquetRow{{1, "Cold soup.", 0, &train}, {2, "Great, \"warm\" soup!", 1, nil}}
	if err := parquet.Write(&b, rows); err != nil {
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
		"a.tsv": []byte(tsv), "a.jsonl": []byte(json), "a.ndjson.gz": zipped(t, json), "a.parquet": parquetFile(t),
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
		{"a.json", `[{"text":"a","label":1}, 7]`, Source{}, "a.json: item 2 of the list is not a JSON object (json: cannot unmarshal"},
		{"a.json", `[{"text":"a","label":1}, null]`, Source{}, "item 2 of the list is not a JSON object (it is null)"},
		{"a.json", `[{"text":"a","label":1}`, Source{}, "item 2 of the list is not a JSON object"},
		{"a.json", `[{"text":"a","label":1}] {}`, Source{}, "something follows the list: remove it"},
		{"a.json", `[]`, Source{}, "contains no text"},
		{"a.csv", "t\x00e\x00x\x00t\x00,\x00l\x00\n\x00", Source{}, "is UTF-16: convert it to UTF-8, with iconv -f UTF-16LE"},
		{"a.csv", string(zipped(t, "text,label\n")), Source{}, "is gzip: unpack it with gunzip"},
		{"a.tsv", "warm rolls at dawn\tfresh\n", Source{}, "or add a header line if there is none"},
		{"a.jsonl", "{\"text\":NaN,\"label\":1}\n", Source{}, "a.jsonl:1: the line is not one JSON object (invalid character 'N'"},
		{"a.txt", "\xff\xfea\x00\n\x00", Source{Label: "good"}, "is UTF-16: convert it to UTF-8"},
		{"a.csv.gz", string(zipped(t, "\xfe\xff\x00t")), Source{}, "is UTF-16: convert it to UTF-8"},
		{"a.parquet", "PAR1 nothing", Source{}, "): download or write it again"},
		{"a.parquet", "PAR", Source{}, "is not a complete Parquet file ("},
		{"a.csv.gz", cut(t, "text,label\n", "warm soup,%d\n"), Source{}, "is cut off"},
		{"a.tsv.gz", cut(t, "text\tlabel\n", "warm soup\t%d\n"), Source{}, "is cut off"},
		{"a.jsonl.gz", cut(t, "", "{\"text\": \"warm soup\", \"label\": %d}\n"), Source{}, "is cut off"},
		{"a.txt.gz", cut(t, "", "warm soup %d\n"), Source{Label: "good"}, "is cut off"},
		{"a.parquet.gz", "x", Source{}, "unpack the .gz first"},
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

// TestParquetColumns checks that a file without rows or without a column of texts is refused.
// norows.parquet is what pandas 3.1 with pyarrow 26 writes for an empty table with the columns
// "sentence" and "style".
func TestParquetColumns(t *testing.T) {
	type list struct {
		Text  []string `parquet:"text,list"`
		Label string   `parquet:"label"`
	}
	type inner struct {
		Text string `parquet:"text"`
		Mood string `parquet:"mood"`
	}
	type group struct {
		Data inner `parquet:"data"`
	}
	write := func(write func(io.Writer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return file(t, "a.parquet", b.Bytes())
	}
	lists := write(func(w io.Writer) error { return parquet.Write(w, []list{{[]string{"warm", "soup"}, "1"}}) })
	groups := write(func(w io.Writer) error { return parquet.Write(w, []group{{inner{"warm soup", "1"}}}) })
	for path, want := range map[string]string{
		"testdata/norows.parquet": "contains no text: give another file",
		lists:                     "no column with a usual name: name it with --text-column, one of label",
		groups:                    "(columns that contain lists or groups are not read)",
	} {
		if err := Read(Source{Path: path}, func(Row) error { return nil }); userr.CodeOf(err) != userr.BadInput ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
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

// TestDamagedParquet checks that a Parquet file that is truncated, or has wrong bytes in its rows,
// gives rows or a one-sentence error. It also checks that a file that is too large is refused
// before it is read.
func TestDamagedParquet(t *testing.T) {
	whole := parquetFile(t)
	footer := len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	read := func(raw []byte) error {
		err := Read(Source{Path: file(t, "a.parquet", raw)}, func(Row) error { return nil })
		if err != nil && (userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n")) {
			t.Errorf("no sentence: %v", err)
		}
		return err
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for size := range whole {
		if err := read(whole[:size]); err == nil {
			t.Errorf("the first %d bytes are read", size)
		}
	}
	refused := 0
	for at := range footer {
		for _, b := range []byte{0, 0x7f, 0xff} {
			raw := slices.Clone(whole)
			raw[at] = b
			if read(raw) != nil {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("no damage is noticed")
	}
	large := file(t, "large.parquet", nil)
	if err := os.Truncate(large, 3*maxParquet); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, Read(Source{Path: large}, nil), userr.BadInput,
		"has 3.0 GB, but Parquet files of at most 1.0 GB are read: split it, or write it as CSV")
}
