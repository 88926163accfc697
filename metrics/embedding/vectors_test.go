package embedding

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

func readText(text string, keep func(string) bool) (*Vectors, error) {
	return parse(strings.NewReader(text), "vectors.txt", keep, 0)
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"GloVe", "ba 1 -2.5\nke 3e-1 0\n"},
		{"word2vec", "2 2\nba 1 -2.5\nke 3e-1 0\n"},
		{"a byte order mark", "\ufeffba 1 -2.5\nke 3e-1 0\n"},
		{"a byte order mark before the counts", "\ufeff2 2\nba 1 -2.5\nke 3e-1 0\n"},
		{"fastText, with space at the ends", "2 2 \nba 1 -2.5 \nke 0.3 0 \n"},
		{"tabs, carriage returns, no last line end, empty lines", "ba\t1\t-2.5\r\n\r\nke 0.3  0"},
	} {
		v, err := readText(c.text, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(v.words, []string{"ba", "ke"}) || v.dim != 2 || v.total != 2 ||
			!slices.Equal(v.Vector("ba"), []float32{1, -2.5}) || !slices.Equal(v.Vector("ke"), []float32{.3, 0}) {
			t.Errorf("%s: words %q, ba %v, ke %v", c.name, v.words, v.Vector("ba"), v.Vector("ke"))
		}
		if v.Vector("lo") != nil || !slices.Equal(v.Unknown(), []float32{.65, -1.25}) {
			t.Errorf(
				"%s: an unknown word has %v, all of them %v; want none and the mean",
				c.name,
				v.Vector("lo"),
				v.Unknown(),
			)
		}
		if same, _ := readText("ba 1 -2.5\nke .3 0\n", nil); v.hash != same.hash || len(v.hash) != 12 {
			t.Errorf("%s: hash %q depends on how the file is written", c.name, v.hash)
		}
	}
}

func TestWords(t *testing.T) {
	v, err := readText("ba 1 2\nba 5 6\n. . . 3 4\nno\u00a0break 7 8\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.words, []string{"ba", ". . .", "no\u00a0break"}) ||
		!slices.Equal(v.Vector("ba"), []float32{1, 2}) ||
		!slices.Equal(v.Vector(
			". . ."), []float32{3, 4}) {
		t.Errorf("words %q, ba %v, dots %v", v.words, v.Vector("ba"), v.Vector(". . ."))
	}
	if v.total != 4 {
		t.Errorf("total %d, want 4", v.total)
	}
	part, err := readText("ba 1 2\nba 5 6\n. . . 3 4\nno\u00a0break 7 8\n", func(w string) bool { return w == "ba" })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(part.words, []string{"ba"}) || part.total != v.total || part.hash != v.hash ||
		!slices.Equal(part.Unknown(), v.Unknown()) {
		t.Errorf(
			"kept %q: total %d, hash %s, mean %v are not those of the file", part.words, part.total, part.hash,
			part.Unknown(),
		)
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "vectors.txt contains no word vectors"},
		{"only a head", "3 2\n", "contains no word vectors"},
		{"no numbers", "hello\n", "line 1, has no numbers"},
		{"prose", "this is prose\n", `line 1, column 2, is "is", not a finite number`},
		{"too few", "ba 1 2\n\nke 1\n", "line 3, has 2 columns instead of a word and 2 numbers"},
		{"too many", "ba 1 2\nke 1 2 3\n", "line 2, has 3 numbers instead of 2"},
		{"not a number", "ba 1 x\n", `line 1, column 3, is "x"`},
		{"column after a word with spaces", "ba 1 2\n. . 1 x\n", `line 2, column 4, is "x"`},
		{"not finite", "ba 1 NaN\n", `column 3, is "NaN"`},
		{"too large", "ba 1 1e39\n", `column 3, is "1e39"`},
		{"cut short", "3 1\nba 1\n", "line 1, announces 3 vectors, but the file has 1"},
		{"no dimensions", "3 0\nba\n", "line 1, announces vectors with 0 dimensions"},
		{"long line", "ba 1\n" + strings.Repeat("x", maxLine+1), "line 2, is longer"},
	} {
		_, err := readText(c.text, nil)
		if err == nil || userr.CodeOf(err) != userr.BadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want a bad input that says %q", c.name, err, c.want)
		}
	}
	for raw, want := range map[string]string{
		"PK\x03\x04\x14":     "is a zip archive or a spreadsheet: unpack it",
		"\xff\xfeb\x00a\x00": "is UTF-16: convert it", "\x1f\x8b": "cannot be unpacked",
	} {
		path := filepath.Join(t.TempDir(), "vectors.txt")
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		testkit.WantError(t, err, userr.BadInput, want)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) ||
		userr.CodeOf(err) != userr.BadInput {
		t.Errorf("a missing file: %v", err)
	}
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		b := newBuilder(dim)
		value := rapid.Float32().Filter(func(x float32) bool { return !math.IsInf(float64(x), 0) && x == x })
		for _, word := range rapid.SliceOfNDistinct(
			rapid.StringMatching(`[a-zé汤.'0-9]{1,8}`), 1, 6, rapid.ID,
		).Draw(t, "words") {
			b.add([]byte(word), rapid.SliceOfN(value, dim, dim).Draw(t, "vector"), nil)
		}
		v := b.finish()
		path := filepath.Join(dir, "v.vec")
		if err := v.Save(path); err != nil {
			t.Fatal(err)
		}
		again, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.words, v.words) || !slices.Equal(again.data, v.data) || again.hash != v.hash ||
			again.total != v.total {
			t.Fatalf("saved %v, loaded %v", v, again)
		}
	})
	plain, err := os.ReadFile(filepath.Join(dir, "v.vec"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(plain)
	w.Close()
	for name, text := range map[string][]byte{
		"v.vec.gz": packed.Bytes(), "cut.gz": packed.Bytes()[:packed.Len()-9], "head.gz": packed.Bytes()[:4],
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		v, err := Load(path)
		switch {
		case name == "v.vec.gz" && err != nil:
			t.Error(err)
		case name != "v.vec.gz" && (err == nil || userr.CodeOf(err) != userr.BadInput ||
			!strings.Contains(err.Error(), name)):
			t.Errorf("%s: %v, %v; want a bad input", name, v, err)
		}
	}
}

// TestLoadPart saves some vectors of a file and reads them with LoadPart. The vectors that were
// read must give the same signature and similarities as the complete file.
func TestLoadPart(t *testing.T) {
	const text = "ba 1 2\nke 3 -4\nlo 5 6\n"
	whole, err := readText(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	part, err := readText(text, func(w string) bool { return w != "lo" })
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "part.vec")
	if err := part.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadPart(path, part.Whole())
	if err != nil {
		t.Fatal(err)
	}
	a, b := NewJudge(whole, "x"), NewJudge(loaded, "x")
	if got, want := b.Signature("greedy_matching"), a.Signature("greedy_matching"); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	outputs, references := [][]string{{"ba", "unknown"}}, [][]string{{"ke", "ba"}}
	for k := range 3 {
		numbers := func(j *Judge) float64 {
			x, y, z := j.Similarities(outputs, references)
			return []float64{x[0], y[0], z[0]}[k]
		}
		if numbers(a) != numbers(b) {
			t.Errorf("number %d is %v, with the whole file %v", k, numbers(b), numbers(a))
		}
	}
	if _, err := LoadPart(path, Whole{Mean: []float32{1}}); err == nil {
		t.Error("a mean of another length was taken")
	}
}

// FuzzRead checks that any input either is refused with a userr.BadInput in one line, or gives
// vectors that can be written and read again.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"ba 1 2\nke 3 4\n", "2 2\nba 1 2\nke 3 4\n", "ba 1 2\n. . 3 4", "\x00 1", "1 1\n1 1", "ba\t-0 1e-45\r\n",
		" 1 2", "ba 0x1p-2 1_0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := readText(text, nil)
		if err != nil {
			if userr.CodeOf(err) != userr.BadInput || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		if v.dim < 1 || len(v.words) < 1 || len(v.data) != (len(v.words)+1)*v.dim {
			t.Fatalf("%d words, %d dimensions, %d values", len(v.words), v.dim, len(v.data))
		}
		var out bytes.Buffer
		if err := v.write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := parse(&out, "again", nil, 0)
		if err != nil || !slices.Equal(again.words, v.words) ||
			!slices.Equal(again.data[:len(v.words)*v.dim], v.data[:len(v.words)*v.dim]) {
			t.Errorf("what was read of %q does not survive writing: %v", text, err)
		}
	})
}

// BenchmarkLoad reads 20,000 vectors of 100 dimensions.
func BenchmarkLoad(b *testing.B) {
	builder := newBuilder(100)
	row := make([]float32, 100)
	for i := range 20000 {
		for d := range row {
			row[d] = float32(math.Sin(float64(i*100 + d)))
		}
		builder.add(strconv.AppendInt(nil, int64(i), 36), row, nil)
	}
	var text bytes.Buffer
	if err := builder.finish().write(&text); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := parse(bytes.NewReader(text.Bytes()), "benchmark", nil, 0); err != nil {
			b.Fatal(err)
		}
	}
}
