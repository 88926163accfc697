package masking

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"pgregory.net/rapid"
)

// someRows has two parts that alternate, a sentence without words, and completeness in some rows.
func someRows() []Row {
	return []Row{
		{Split: "train", Style: 0, Line: 0, Scores: []float32{.25, .75}},
		{Split: "train", Style: 1, Line: 0, Scores: []float32{1}, Gap: new(-1e-9), Change: new(2.5)},
		{Split: "train", Style: 0, Line: 1, Scores: nil},
		{Split: "train", Style: 0, Line: 2, Scores: []float32{-.5, 0, 1e-30}, Gap: new(0.), Change: new(-.125)},
		{Split: "test", Style: 1, Line: 0, Scores: []float32{.5, .25, .125, .125}},
	}
}

// inOrder is rows as a file yields them: part by part.
func inOrder(rows []Row) []Row {
	var order []part
	for _, r := range rows {
		if p := (part{r.Split, r.Style}); !slices.Contains(order, p) {
			order = append(order, p)
		}
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		if d := slices.Index(order, part{a.Split, a.Style}) - slices.Index(order, part{b.Split, b.Style}); d != 0 {
			return d
		}
		return a.Line - b.Line
	})
	return rows
}

func diff(want, got []Row) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b []float32) bool { return slices.Equal(a, b) }))
}

func TestScoreFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.parquet")
	if err := Write(path, slices.Values(someRows())); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(inOrder(someRows()), slices.Collect(f.All())); d != "" {
		t.Error(d)
	}
	got := f.Rows("train", 0)
	if len(got) != 3 || !slices.Equal(got[0], []float32{.25, .75}) || len(got[1]) != 0 || len(got[2]) != 3 {
		t.Errorf("train, style 0: %v", got)
	}
	if f.Len() != 5 || f.Rows("dev", 0) != nil || f.Rows("train", 2) != nil {
		t.Errorf("%d sentences, or some in parts that are not there", f.Len())
	}
	if &f.Rows("train", 0)[0][0] != &got[0][0] {
		t.Error("Rows copies")
	}
}

// TestScoreFileGolden: the first version of Write wrote this file from someRows. It is never
// written anew, so that files of every version stay readable.
func TestScoreFileGolden(t *testing.T) {
	f, err := Read(filepath.Join("testdata", "scores.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(inOrder(someRows()), slices.Collect(f.All())); d != "" {
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
		var rows []Row
		next := map[part]int{}
		for range rapid.IntRange(0, 60).Draw(t, "rows") {
			p := part{
				rapid.SampledFrom([]string{"train", "dev", "test"}).Draw(t, "split"),
				rapid.IntRange(0, 1).Draw(t, "style"),
			}
			rows = append(rows, Row{
				p.split, p.style, next[p], rapid.SliceOfN(finite, 0, 12).Draw(t, "scores"),
				number.Draw(t, "gap"), number.Draw(t, "change"),
			})
			next[p]++
		}
		path, again := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		if err := errors.Join(Write(path, slices.Values(rows)), Write(again, slices.Values(rows))); err != nil {
			t.Fatal(err)
		}
		a, _ := os.ReadFile(path)
		if b, _ := os.ReadFile(again); !slices.Equal(a, b) {
			t.Fatal("the same rows were written as other bytes")
		}
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(inOrder(rows), slices.Collect(f.All())); d != "" {
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
		if f, err = Read(path); err != nil {
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
