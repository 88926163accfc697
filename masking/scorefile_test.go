package masking

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

// someRows returns rows of two splits and two styles in mixed order. One row has no words.
func someRows() []ScoreRow {
	return []ScoreRow{
		{Split: "train", Style: 0, Line: 0, Scores: []float32{.25, .75}},
		{Split: "train", Style: 1, Line: 0, Scores: []float32{1}},
		{Split: "train", Style: 0, Line: 1, Scores: nil},
		{Split: "train", Style: 0, Line: 2, Scores: []float32{-.5, 0, 1e-30}},
		{Split: "test", Style: 1, Line: 0, Scores: []float32{.5, .25, .125, .125}},
	}
}

// someLines has the rows of someRows in the format of a score file.
const someLines = `{"split":"train","style":0,"line":0,"scores":[0.25,0.75]}
{"split":"train","style":1,"line":0,"scores":[1]}
{"split":"train","style":0,"line":1,"scores":[]}
{"split":"train","style":0,"line":2,"scores":[-0.5,0,1e-30]}
{"split":"test","style":1,"line":0,"scores":[0.5,0.25,0.125,0.125]}
`

// TestScoreFile also reads a file as version 0.1.0 wrote it for integrated gradients, with two more
// keys.
func TestScoreFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	if err := WriteScores(path, slices.Values(someRows())); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(someLines, string(text)); d != "" {
		t.Error(d)
	}
	testkit.WriteFile(t, path, strings.ReplaceAll(someLines, "]}", `],"gap":-1e-9,"change":2.5}`))
	f, err := ReadScores(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[part][][]float32{
		{"train", 0}: {{.25, .75}, {}, {-.5, 0, 1e-30}}, {"train", 1}: {{1}}, {"test", 1}: {{.5, .25, .125, .125}},
	}
	if d := gocmp.Diff(want, f.parts); d != "" {
		t.Error(d)
	}
	if f.Rows("dev", 0) != nil || f.Rows("train", 2) != nil || f.Styles() != 2 {
		t.Errorf("parts that are not there, or %d styles", f.Styles())
	}
	if &f.Rows("train", 0)[0][0] != &f.parts[part{"train", 0}][0][0] {
		t.Error("Rows copies")
	}
}

// TestScoreFileRoundTrip checks that every float32 is read back with its bits, including the sign
// of a zero, and that the same rows give the same bytes.
func TestScoreFileRoundTrip(t *testing.T) {
	dir := t.TempDir()
	bits := rapid.Custom(func(t *rapid.T) float32 { return math.Float32frombits(rapid.Uint32().Draw(t, "bits")) })
	finite := bits.Filter(func(x float32) bool { return x-x == 0 })
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
		for p, n := range next {
			if got := f.Rows(p.split, p.style); len(got) != n {
				t.Fatalf("%v has %d of %d rows", p, len(got), n)
			}
		}
		for _, r := range rows {
			same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
			if got := f.Rows(r.Split, r.Style)[r.Line]; !slices.EqualFunc(got, r.Scores, same) {
				t.Fatalf("scores %v, want %v", got, r.Scores)
			}
		}
	})
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
		path := filepath.Join(t.TempDir(), "scores.jsonl")
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

// TestReadScoresRefuses checks that ReadScores refuses missing and damaged files with a
// userr.BadInput that contains the path.
func TestReadScoresRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	refused := func(want string) {
		t.Helper()
		f, err := ReadScores(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) ||
			userr.CodeOf(err) != userr.BadInput {
			t.Errorf("%v and error %v, want %q with the path", f, err, want)
		}
	}
	refused("no such file")
	for text, want := range map[string]string{
		"style,line,score\n0,0,1\n":                                 "invalid character",
		someLines[:len(someLines)/2]:                                "unexpected EOF",
		`{"split":"dev","style":0,"line":0,"scores":["a"]}`:         "cannot unmarshal string",
		`{"split":"dev","style":0,"line":1,"scores":[]}`:            `style 0 of split "dev" has line 1 where line 0 must follow`,
		`{"split":"dev","style":1000,"line":0,"scores":[]}`:         `line 0 of split "dev" has style 1000, not one from 0 to 63`,
		strings.Repeat(`{"split":"dev","style":0,"scores":[1]}`, 2): `has line 0 where line 1 must follow`,
		`{"split":"dev","style":0,"line":0,"scores":[1e39]}`:        "cannot unmarshal number 1e39",
	} {
		testkit.WriteFile(t, path, text)
		refused(want)
	}
}
