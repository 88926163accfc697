package human

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"pgregory.net/rapid"
)

// outputsOf makes sentences of two directions; the third system writes what the first does, but for
// letter case.
func outputsOf(n int) (out []Outputs) {
	for _, direction := range []string{"wet to dry", "dry to wet"} {
		for line := range n {
			text := fmt.Sprintf("%s %d", direction[:3], line+1)
			out = append(out, Outputs{
				Sentence: Sentence{Split: "test", Direction: direction, Line: line + 1, Words: 2},
				Source:   text, Of: []string{text + " x", text + " y", strings.ToUpper(text + " x")},
			})
		}
	}
	return out
}

// sheetRows reads a sheet.
func sheetRows(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// fill writes scores into a sheet: what is by x is flawless and best, what is by y "021".
func fill(t *testing.T, path string, items int) {
	t.Helper()
	rows := sheetRows(t, path)
	for _, row := range rows[1:] {
		if n, _ := strconv.Atoi(row[0]); n > items {
			continue
		}
		copy(row[5:], []string{"0", "2", "1", ""})
		if strings.HasSuffix(row[4], " x") {
			copy(row[5:], []string{"2", "2", "2", "x"})
		}
	}
	slices.Reverse(rows[1:]) // as a spreadsheet may sort it
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	w.Comma = ';'
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSheets: what comes back is given to the systems that wrote it, whatever letters they had.
func TestSheets(t *testing.T) {
	dir := t.TempDir()
	r := Reading{Dataset: "d", Systems: []string{"x", "y", "loud x"}, Seed: 4}
	if err := ExportSheets(t.Context(), dir, r, outputsOf(10), 2); err != nil {
		t.Fatal(err)
	}
	if is, ranked, err := IsReading(dir); !is || ranked || err != nil {
		t.Errorf("sheets are not known again: %v", err)
	}
	first, second := sheetRows(t, filepath.Join(dir, sheetFile(1))), sheetRows(t, filepath.Join(dir, sheetFile(2)))
	if len(first) != 1+20*2 || reflect.DeepEqual(first, second) {
		t.Errorf("%d rows, equal outputs being shown once, and the readers' sheets are equal: %v", len(first),
			reflect.DeepEqual(first, second))
	}
	guide, err := os.ReadFile(filepath.Join(dir, SheetGuide))
	if want := "\"wet to dry\", \"dry to wet\". If the name of a style does not say"; !strings.Contains(string(guide), want) {
		t.Errorf("the instructions (%v) do not name the directions:\n%s", err, guide)
	}
	firstLetters := 0
	for _, row := range first[1:] {
		if row[3] == "A" && strings.HasSuffix(row[4], " x") {
			firstLetters++
		}
		if row[4] != strings.ToLower(row[4]) {
			t.Errorf("letter case tells the systems apart: %q", row[4])
		}
	}
	if firstLetters < 3 || firstLetters > 17 {
		t.Errorf("x is first in %d of 20 items", firstLetters)
	}
	fails := func(want string, names ...string) {
		t.Helper()
		_, _, err := TallySheets(dir, names)
		testkit.WantError(t, err, userr.BadInput, want)
	}
	fails("sheet-1.csv has no filled item")
	fill(t, filepath.Join(dir, sheetFile(1)), 20)
	fails("sheet-2.csv has no filled item")
	empty, err := os.ReadFile(filepath.Join(dir, sheetFile(2)))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, sheetFile(2)), 5) // a part of it
	fails("3 readers are named, but", "a", "b", "c")
	fails("is empty or given twice", "a", "a")
	_, readings, err := TallySheets(dir, []string{"somebody"})
	if err != nil {
		t.Fatal(err)
	}
	if got := readings.Readers(); !slices.Equal(got, []string{"somebody", "reader 2"}) || len(readings) != 3*(20+5) {
		t.Errorf("%d ratings by %v", len(readings), got)
	}
	for _, one := range readings {
		want := Rating{Sentence: one.Sentence, System: one.System, Reader: one.Reader, Best: 1}
		want.Style, want.Content, want.Fluency = 2, 2, 2
		if one.System == "y" {
			want.Style, want.Fluency, want.Best = 0, 1, 0
		}
		if one != want {
			t.Errorf("%+v", one)
		}
	}
	again, err := ReadReadings(filepath.Join(dir, ReadingsFile))
	if err != nil || !reflect.DeepEqual(again, readings) {
		t.Errorf("the file says otherwise (%v)", err)
	}
	// A program's answers stand in the place of an empty sheet.
	answers := []Judged{{Item: 1, Scores: map[string][]int{"A": {1, 1, 1}, "B": {1, 1, 1}}, Best: []string{"A", "B"}}}
	write := func() {
		t.Helper()
		raw, err := json.Marshal(answers)
		if err != nil {
			t.Fatal(err)
		}
		testkit.WriteFile(t, filepath.Join(dir, answerFile(2)), string(raw))
	}
	write()
	fails("sheet-2.json both contain answers: keep one of the files and remove the other")
	testkit.WriteFile(t, filepath.Join(dir, sheetFile(2)), string(empty))
	if _, readings, err = TallySheets(dir, nil); err != nil || len(readings) != 3*21 ||
		readings[len(readings)-1].Best != .5 {
		t.Errorf("%d ratings, %v", len(readings), err)
	}
	for want, change := range map[string]func(){
		"item 21: the numbers must be 1 to 20":                    func() { answers[0].Item = 21 },
		`item 1: "C" is marked as best but is no letter`:          func() { answers[0].Best = []string{"C"} },
		`item 1: no rewrite is marked as best: mark at least one`: func() { answers[0].Best = nil },
		`item 1: "c" is no letter of the item: use A to B`:        func() { answers[0].Scores["c"] = nil },
		`item 1: B needs three scores of 0, 1 or 2`:               func() { answers[0].Scores["B"] = []int{2, 3, 2} },
		`item 1: A needs three scores`:                            func() { delete(answers[0].Scores, "A") },
	} {
		answers = []Judged{{Item: 1, Scores: map[string][]int{"A": {1, 1, 1}, "B": {1, 1, 1}}, Best: []string{"A"}}}
		change()
		write()
		fails(want)
	}
	testkit.WriteFile(t, filepath.Join(dir, keyFile), "{}")
	fails("the key was changed after the forms were written")
}

// TestRate: whatever sentences and separators a sheet has, what is said of an item is read again,
// and all that is said of others stays.
func TestRate(t *testing.T) {
	root := t.TempDir()
	text := rapid.StringMatching(`[=+'"a-c,;\t ]{0,6}[a-z"]`)
	rapid.Check(t, func(t *rapid.T) {
		var all []Outputs
		for line := 1; line <= rapid.IntRange(1, 4).Draw(t, "sentences"); line++ {
			all = append(all, Outputs{
				Sentence: Sentence{Split: "dev", Direction: text.Draw(t, "direction"), Line: line}, Source: text.Draw(t, "source"),
				Of: []string{text.Draw(t, "x"), text.Draw(t, "y"), text.Draw(t, "z")},
			})
		}
		r := Reading{Systems: []string{"x", "y", "z"}, Seed: rapid.Uint64().Draw(t, "seed")}
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := ExportSheets(context.Background(), dir, r, all, 1); err != nil {
			t.Fatal(err)
		}
		sheet, err := OpenSheet(dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		// as a spreadsheet keeps it
		mark, comma := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark"), rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(t, "comma")
		sheet.table.mark, sheet.table.comma = []byte(mark), comma
		for range rapid.IntRange(1, 6).Draw(t, "ratings") {
			at := rapid.IntRange(0, len(sheet.Items)-1).Draw(t, "item")
			want := slices.Clone(sheet.Items)
			said := Judged{Item: want[at].Number, Scores: map[string][]int{}}
			want[at].Rewrites = slices.Clone(want[at].Rewrites)
			for k := range want[at].Rewrites {
				rewrite := &want[at].Rewrites[k]
				score := rapid.IntRange(0, 2)
				rewrite.Scores = []int{score.Draw(t, "style"), score.Draw(t, "content"), score.Draw(t, "fluency")}
				rewrite.Best = k == 0 || rapid.Bool().Draw(t, "best")
				said.Scores[rewrite.Letter] = rewrite.Scores
				if rewrite.Best {
					said.Best = append(said.Best, rewrite.Letter)
				}
			}
			if err := sheet.Rate(said); err != nil {
				t.Fatal(err)
			}
			if sheet, err = OpenSheet(dir, 1); err != nil || !reflect.DeepEqual(sheet.Items, want) {
				t.Fatalf("%v\n%+v, want\n%+v", err, sheet, want)
			}
		}
		raw, err := os.ReadFile(filepath.Join(dir, sheetFile(1)))
		head := mark + strings.Join(sheetHeader, string(comma)) + "\n"
		if err != nil || !strings.HasPrefix(string(raw), head) {
			t.Fatalf("%v: the file begins with %q, want %q", err, raw[:min(len(raw), len(head))], head)
		}
	})
}

// TestDrawOutputs: so many of each direction, none that was read before, by any of the three kinds
// of files.
func TestDrawOutputs(t *testing.T) {
	all := outputsOf(10)
	drawn := DrawOutputs(all, 4, 7, nil)
	if len(drawn) != 8 || !reflect.DeepEqual(drawn, DrawOutputs(all, 4, 7, nil)) ||
		reflect.DeepEqual(drawn, DrawOutputs(all, 4, 8, nil)) {
		t.Errorf("%+v", drawn)
	}
	dir := t.TempDir()
	if err := ExportSheets(t.Context(), dir, Reading{Systems: []string{"x", "y", "z"}}, drawn, 1); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, sheetFile(1)), 8)
	if _, _, err := TallySheets(dir, nil); err != nil {
		t.Fatal(err)
	}
	var list []map[string]int
	for _, o := range drawn {
		list = append(list, map[string]int{"style": slices.Index([]string{"wet to dry", "dry to wet"}, o.Direction), "line": o.Line - 1})
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "list.json"), string(raw))
	for _, name := range []string{keyFile, ReadingsFile, "list.json"} {
		skip, err := Skip(filepath.Join(dir, name), "test", [][]string{{"wet to dry"}, {"dry to wet"}})
		if err != nil || len(skip) != 8 {
			t.Fatalf("%s: %d, %v", name, len(skip), err)
		}
		left := DrawOutputs(all, 100, 1, skip)
		if len(left) != 12 || slices.ContainsFunc(left, func(o Outputs) bool { return skip[o.Key()] }) {
			t.Errorf("%s leaves %d", name, len(left))
		}
	}
	for text, want := range map[string]string{
		"{}": "is not a key of sheets", `[{"style":2,"line":0}]`: "entry 1 must have a style from 0 to 1", "[1]": "is not a list of",
		"a,b\n": "the first line must be split",
	} {
		testkit.WriteFile(t, filepath.Join(dir, "list.json"), text)
		_, err := Skip(filepath.Join(dir, "list.json"), "test", [][]string{{"a"}, {"b"}})
		testkit.WantError(t, err, userr.BadInput, want)
	}
}
