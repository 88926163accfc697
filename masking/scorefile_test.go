package masking

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

// someRows has two parts that alternate, a sentence without words, and completeness in some rows.
func someRows() []ScoreRow {
	return []ScoreRow{
		{Split: "train", Style: 0, Line: 0, Scores: []float32{.25, .75}},
		{Split: "train", Style: 1, Line: 0, Scores: []float32{1}, Gap: new(-1e-9), Change: new(2.5)},
		{Split: "train", Style: 0, Line: 1, Scores: nil},
		{Split: "train", Style: 0, Line: 2, Scores: []float32{-.5, 0, 1e-30}, Gap: new(0.), Change: new(-.125)},
		{Split: "test", Style: 1, Line: 0, Scores: []float32{.5, .25, .125, .125}},
	}
}

// inOrder is rows by split, style and line.
func inOrder(rows []ScoreRow) []ScoreRow {
	return slices.SortedStableFunc(slices.Values(rows), func(a, b ScoreRow) int {
		return cmp.Or(cmp.Compare(a.Split, b.Split), cmp.Compare(a.Style, b.Style), cmp.Compare(a.Line, b.Line))
	})
}

// all is the rows of a file in the same order.
func (f *ScoreFile) all() (rows []ScoreRow) {
	for p, c := range f.parts {
		for i, scores := range c.scores {
			rows = append(rows, ScoreRow{p.split, p.style, i, scores, c.gap[i], c.change[i]})
		}
	}
	return inOrder(rows)
}

func diff(want, got []ScoreRow) string {
	return gocmp.Diff(want, got, gocmp.Comparer(func(a, b []float32) bool { return slices.Equal(a, b) }))
}

func TestScoreFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.parquet")
	if err := WriteScores(path, slices.Values(someRows())); err != nil {
		t.Fatal(err)
	}
	f, err := ReadScores(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(inOrder(someRows()), f.all()); d != "" {
		t.Error(d)
	}
	got := f.Rows("train", 0)
	if len(got) != 3 || !slices.Equal(got[0], []float32{.25, .75}) || len(got[1]) != 0 || len(got[2]) != 3 {
		t.Errorf("train, style 0: %v", got)
	}
	if len(f.all()) != 5 || f.Rows("dev", 0) != nil || f.Rows("train", 2) != nil {
		t.Errorf("%d sentences, or some in parts that are not there", len(f.all()))
	}
	if &f.Rows("train", 0)[0][0] != &got[0][0] {
		t.Error("Rows copies")
	}
}

// TestScoreFileGolden: the first version of Write wrote this file from someRows. It is never
// written anew, so that files of every version stay readable.
func TestScoreFileGolden(t *testing.T) {
	f, err := ReadScores(filepath.Join("testdata", "scores.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(inOrder(someRows()), f.all()); d != "" {
		t.Error(d)
	}
}

// TestScoreFileRoundTrip also writes twice, for the same bytes, and reads the rows back out of
// order from a foreign file.
func TestScoreFileRoundTrip(t *testing.T) {
	dir := t.TempDir()
	finite := rapid.Float32().Filter(func(x float32) bool { return x-x == 0 })
	number := rapid.Ptr(rapid.Float64().Filter(func(x float64) bool { return x == x }), true)
	rapid.Check(t, func(t *rapid.T) {
		var rows []ScoreRow
		next := map[part]int{}
		for range rapid.IntRange(0, 60).Draw(t, "rows") {
			p := part{
				rapid.SampledFrom([]string{"train", "dev", "test"}).Draw(t, "split"),
				rapid.IntRange(0, 1).Draw(t, "style"),
			}
			rows = append(rows, ScoreRow{
				p.split, p.style, next[p], rapid.SliceOfN(finite, 0, 12).Draw(t, "scores"),
				number.Draw(t, "gap"), number.Draw(t, "change"),
			})
			next[p]++
		}
		path, again := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		err := errors.Join(WriteScores(path, slices.Values(rows)), WriteScores(again, slices.Values(rows)))
		if err != nil {
			t.Fatal(err)
		}
		a, _ := os.ReadFile(path)
		if b, _ := os.ReadFile(again); !slices.Equal(a, b) {
			t.Fatal("the same rows were written as other bytes")
		}
		f, err := ReadScores(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(inOrder(rows), f.all()); d != "" {
			t.Fatal(d)
		}
		var foreign []foreignRow
		for _, i := range rapid.Permutation(testkit.Indices(len(rows))).Draw(t, "order") {
			r := rows[i]
			foreign = append(
				foreign,
				foreignRow{
					r.Line * 3, r.Change, r.Split, new(int32(r.Line)), r.Gap, pointers(r.Scores), int32(r.Style),
				},
			)
		}
		if err := parquet.WriteFile(path, foreign, parquet.MaxRowsPerRowGroup(7)); err != nil {
			t.Fatal(err)
		}
		if f, err = ReadScores(path); err != nil {
			t.Fatal(err)
		}
		for p, n := range next {
			if got := f.Rows(p.split, p.style); len(got) != n {
				t.Fatalf("%v has %d of %d rows", p, len(got), n)
			}
		}
		for _, r := range rows {
			if got := f.Rows(r.Split, r.Style)[r.Line]; !slices.Equal(got, r.Scores) {
				t.Fatalf("scores %v, want %v", got, r.Scores)
			}
		}
	})
}

// foreignRow has the columns in another order, one more, and scores that could be absent, as other
// programs write them.
type foreignRow struct {
	More   int        `parquet:"more"`
	Change *float64   `parquet:"change,optional"`
	Split  string     `parquet:"split,optional"`
	Line   *int32     `parquet:"line,optional,dict"`
	Gap    *float64   `parquet:"gap,optional"`
	Scores []*float32 `parquet:"scores,list,optional"`
	Style  int32      `parquet:"style"`
}

func pointers(scores []float32) []*float32 {
	out := make([]*float32, len(scores))
	for i := range scores {
		out[i] = &scores[i]
	}
	return out
}

func TestWriteScoresRefuses(t *testing.T) {
	for want, change := range map[string]func([]ScoreRow){
		`line 0 of style 0 has no split`:                                     func(r []ScoreRow) { r[0].Split = "" },
		`line 0 of split "train" has style 64, not one from 0 to 63`:         func(r []ScoreRow) { r[1].Style = 64 },
		`style 0 of split "train" has line 2 where line 1 must follow`:       func(r []ScoreRow) { r[2].Line = 2 },
		`style 0 of split "train" has a line -1`:                             func(r []ScoreRow) { r[2].Line = -1 },
		`word 1 of line 2 of style 0 of split "train" has the score NaN`:     func(r []ScoreRow) { r[3].Scores[1] = float32(math.NaN()) },
		`word 0 of line 0 of style 1 of split "test" has the score +Inf`:     func(r []ScoreRow) { r[4].Scores[0] = float32(math.Inf(1)) },
		`style 1 of split "train" has line 1 where line 0 must follow`:       func(r []ScoreRow) { r[1].Line = 1 },
		`style 0 of split "test" has line 2 where line 0 must follow`:        func(r []ScoreRow) { r[3].Split = "test" },
		`style 0 of split "train" has line 0 where line 1 must follow`:       func(r []ScoreRow) { r[2].Line = 0 },
		`word 3 of line 0 of style 1 of split "test" has the score -Inf`:     func(r []ScoreRow) { r[4].Scores[3] = float32(math.Inf(-1)) },
		`line 0 of split "test" has style -1, not one from 0 to 63`:          func(r []ScoreRow) { r[4].Style = -1 },
		`style 1 of split "test" has line 2147483647 where line 0 must foll`: func(r []ScoreRow) { r[4].Line = math.MaxInt32 },
	} {
		path := filepath.Join(t.TempDir(), "scores.parquet")
		rows := someRows()
		change(rows)
		err := WriteScores(path, slices.Values(rows))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want %q with the path", err, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("a file is left after: %s", want)
		}
	}
}

func TestReadScoresRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.parquet")
	refused(t, path, "no such file")
	if err := os.WriteFile(path, []byte("style,line,score\n0,0,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, path, "it is not a Parquet file")

	one := float32(1)
	refusedRows(t, path, `it has no column "split"`, struct {
		A int `parquet:"a"`
	}{1})
	refusedRows(t, path, `its column "line" must hold single values of type INT32`, struct {
		Split string `parquet:"split"`
		Style int32  `parquet:"style"`
		Line  int64  `parquet:"line"`
	}{"dev", 0, 0})
	refusedRows(t, path, `its column "scores" must hold lists of values of type FLOAT`, struct {
		Split  string  `parquet:"split"`
		Style  int32   `parquet:"style"`
		Line   int32   `parquet:"line"`
		Scores float32 `parquet:"scores"`
	}{"dev", 0, 0, 1})
	refusedRows(t, path, `reading column "style": row 0 has no value`, struct {
		Split  string    `parquet:"split"`
		Style  *int32    `parquet:"style,optional"`
		Line   int32     `parquet:"line"`
		Scores []float32 `parquet:"scores,list"`
		Gap    *float64  `parquet:"gap,optional"`
		Change *float64  `parquet:"change,optional"`
	}{Split: "dev"})
	refusedRows(
		t, path, `style 0 of split "dev" has 1 rows but a line 1: rows are missing`,
		foreignRow{Split: "dev", Line: new(int32(1))},
	)
	refusedRows(t, path, `style 0 of split "dev" has line 1 twice`,
		foreignRow{
			Split: "dev", Line: new(int32(1)),
		}, foreignRow{Split: "dev", Line: new(int32(1))}, foreignRow{Split: "dev", Line: new(int32)})
	refusedRows(
		t, path, `line 0 of split "dev" has style 1000, not one from 0 to 63`, foreignRow{Split: "dev", Line: new(int32), Style: 1000},
	)
	refusedRows(t, path, `row 1 has a word without a score`,
		foreignRow{Split: "dev", Line: new(int32)}, foreignRow{
			Split: "dev", Line: new(int32(1)), Scores: []*float32{&one, nil},
		})
	refusedRows(
		t, path, `row 0 has a word without a score`,
		foreignRow{Split: "dev", Line: new(int32), Scores: []*float32{nil, &one}},
	)
}

func refusedRows[T any](t *testing.T, path, want string, rows ...T) {
	t.Helper()
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	refused(t, path, want)
}

// refused wants an error for the user that names the path and says what is wrong.
func refused(t *testing.T, path, want string) {
	t.Helper()
	f, err := ReadScores(path)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) ||
		userr.CodeOf(err) != userr.BadInput {
		t.Errorf("%v and error %v, want %q with the path", f, err, want)
	}
}

// TestReadScoresDamaged cuts the golden file at every place, and then changes each byte of it: an
// error, or what was written.
func TestReadScoresDamaged(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "scores.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "scores.parquet")
	for n := range raw {
		if f, err := decodeScores(raw[:n]); err == nil {
			t.Errorf("%d of %d bytes were read as %d sentences", n, len(raw), len(f.all()))
		}
	}
	if err := os.WriteFile(path, raw[:len(raw)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, path, "is not a complete score file: it is cut off or damaged")
	found := 0
	for i := range raw {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(raw)
			bad[i] ^= flip
			f, err := decodeScores(bad) // must not panic either
			if err != nil {
				found++
				continue
			}
			if d := diff(inOrder(someRows()), f.all()); d != "" {
				t.Errorf("byte %d changed by %#x: %s", i, flip, d)
			}
		}
	}
	t.Logf("%d of %d changes were found, the others are in statistics and names of no weight", found, 3*len(raw))
}

// FuzzDecode: no file panics, and what is taken is the same when it is written and read again.
func FuzzDecode(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "scores.parquet"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	var small bytes.Buffer
	if err := parquet.Write(&small, []foreignRow{{Split: "dev", Line: new(int32), Scores: []*float32{new(float32)}}}); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes())
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := decodeScores(raw)
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := encode(&written, slices.Values(got.all())); err != nil {
			t.Fatalf("what was read is not written: %v", err)
		}
		again, err := decodeScores(written.Bytes())
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if d := diff(got.all(), again.all()); d != "" {
			t.Error(d)
		}
	})
}
