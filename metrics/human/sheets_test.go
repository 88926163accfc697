package human

import (
	"bytes"
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

// itemsOf returns n sentences of each of two directions, with the outputs of three systems. The
// outputs of the third system differ from those of the first only in letter case.
func itemsOf(n int) (out []Item) {
	for _, direction := range []string{"wet to dry", "dry to wet"} {
		for line := range n {
			text := fmt.Sprintf("%s %d", direction[:3], line+1)
			out = append(out, Item{
				Sentence: Sentence{"test", direction, line + 1}, Source: text,
				Outputs: []string{text + " x", text + " y", strings.ToUpper(text + " x")},
			})
		}
	}
	return out
}

var threeSystems = []string{"x", "y", "loud x"}

func export(t *testing.T, dir string, items []Item, readers int) {
	t.Helper()
	if err := Export(dir, Key{Dataset: "d", Systems: threeSystems, Items: items}, readers, 4); err != nil {
		t.Fatal(err)
	}
}

func sheetRows(t *testing.T, path string) [][]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// fill answers the first items of a sheet. It saves the sheet as a spreadsheet program may save it:
// with a byte order mark, semicolons and another order of the rows. Rewrites by the system y get
// the scores 0, 2 and 1. All other rewrites get 2, 2 and 2 and the mark for best, or "None" in
// every third item.
func fill(t *testing.T, path string, items int) {
	t.Helper()
	rows := sheetRows(t, path)
	for _, row := range rows[1:] {
		n, _ := strconv.Atoi(row[0])
		switch {
		case n > items:
		case strings.HasSuffix(row[4], " y"):
			copy(row[5:], []string{"0", "2", "1", ""})
		case n%3 == 0:
			copy(row[5:], []string{"2", "2", "2.0", "None"})
		default:
			copy(row[5:], []string{"2", "2", "2", "x"})
		}
	}
	slices.Reverse(rows[1:]) // the order of the rows must not matter
	var b bytes.Buffer
	b.WriteString("\ufeff")
	w := csv.NewWriter(&b)
	w.Comma = ';'
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, path, b.String())
}

func save(t *testing.T, dir string, reader int, answers any) {
	t.Helper()
	raw, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, filepath.Join(dir, fmt.Sprintf(savedPattern, reader)), string(raw))
}

// TestSheets checks that sheets differ between readers, show equal outputs once and do not reveal
// the systems.
func TestSheets(t *testing.T) {
	dir := t.TempDir()
	export(t, dir, itemsOf(10), 2)
	first, second := sheetRows(t, filepath.Join(dir, "sheet-1.csv")), sheetRows(t, filepath.Join(dir, "sheet-2.csv"))
	if len(first) != 1+20*2 || reflect.DeepEqual(first, second) {
		t.Errorf("%d rows, and the sheets of both readers are equal: %v", len(first), reflect.DeepEqual(first, second))
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
	form, err := os.ReadFile(filepath.Join(dir, "sheet-1.html"))
	if err != nil || strings.Contains(string(form), "loud") {
		t.Errorf("the form names a system (%v)", err)
	}
	for _, row := range first[1:] {
		for _, want := range []string{row[3] + ": " + row[4] + "<", ">Item " + row[0] + ": " + row[1] + "<"} {
			if !strings.Contains(string(form), want) {
				t.Errorf("the form has no %q", want)
			}
		}
	}
	if n := strings.Count(string(form), `type="radio"`); n != 20*2*9 {
		t.Errorf("the form has %d scores to choose from", n)
	}
}

// TestTally checks that answers are assigned to the systems that wrote the rewrites, whatever
// letters the rewrites had in the sheet.
func TestTally(t *testing.T) {
	dir := t.TempDir()
	export(t, dir, itemsOf(10), 3)
	fails := func(want string, names ...string) {
		t.Helper()
		_, _, err := Tally(dir, names)
		testkit.WantError(t, err, userr.BadInput, want)
	}
	fails("no sheet in ")
	empty, err := os.ReadFile(filepath.Join(dir, "sheet-2.csv"))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, "sheet-1.csv"), 20)
	fill(t, filepath.Join(dir, "sheet-2.csv"), 5)
	fails("4 readers are named, but", "a", "b", "c", "d")
	fails("is empty or given twice", "a", "a")
	fails("is empty or given twice", "reader 2")
	ratings, without, err := Tally(dir, []string{"somebody"})
	if err != nil {
		t.Fatal(err)
	}
	if got := ratings.Readers(); !slices.Equal(got, []string{"somebody", "reader 2"}) || len(ratings) != 3*(20+5) ||
		!slices.Equal(without, []string{"reader 3"}) {
		t.Errorf("%d ratings by %v, none by %v", len(ratings), got, without)
	}
	none := map[string]int{}
	for _, one := range ratings {
		want := Rating{
			Dataset: "d", Sentence: one.Sentence, System: one.System, Reader: one.Reader, Scores: [3]int{2, 2, 2}, Best: 1,
		}
		if one.System == "y" {
			want.Scores, want.Best = [3]int{0, 2, 1}, 0
		} else if one.Best == 0 {
			none[one.Reader]++
			want.Best = 0
		}
		if one != want {
			t.Errorf("%+v", one)
		}
	}
	if want := map[string]int{"somebody": 2 * 6, "reader 2": 2 * 1}; !reflect.DeepEqual(none, want) {
		t.Errorf("none is good %v times, want %v", none, want)
	}
	again, err := ReadRatings(filepath.Join(dir, AnswersFile))
	if err != nil || !reflect.DeepEqual(again, ratings) {
		t.Errorf("the file has others (%v)", err)
	}

	// If the sheet is empty, Tally reads the answers that the form saved.
	answers := []Answer{{Item: 1, Scores: map[string][]int{"A": {1, 1, 1}, "B": {1, 1, 1}}, Best: []string{"A", "B"}}}
	save(t, dir, 2, answers)
	fails("sheet-2.json both contain answers: keep one of the files")
	testkit.WriteFile(t, filepath.Join(dir, "sheet-2.csv"), string(empty))
	if ratings, _, err = Tally(dir, nil); err != nil || len(ratings) != 3*21 || ratings[len(ratings)-1].Best != .5 {
		t.Errorf("%d ratings, %v", len(ratings), err)
	}
	for want, change := range map[string]func(*Answer){
		"item 21: the numbers must be 1 to 20":                    func(a *Answer) { a.Item = 21 },
		`item 1: "C" is not a letter of this item: use A to B`:    func(a *Answer) { a.Best = []string{"C"} },
		"item 1: A is marked as best twice":                       func(a *Answer) { a.Best = []string{"A", "A"} },
		"item 1: no rewrite is marked as best: mark one, or say ": func(a *Answer) { a.Best = nil },
		`item 1: "c" is not a letter of this item: use A to B`:    func(a *Answer) { a.Scores["c"] = nil },
		"item 1: B needs three scores of 0, 1 or 2":               func(a *Answer) { a.Scores["B"] = []int{2, 3, 2} },
		"item 1: A needs three scores":                            func(a *Answer) { delete(a.Scores, "A") },
	} {
		a := Answer{Item: 1, Scores: map[string][]int{"A": {1, 1, 1}, "B": {1, 1, 1}}, Best: []string{"A"}}
		change(&a)
		save(t, dir, 2, []Answer{a})
		fails(want)
	}
	save(t, dir, 2, "nothing")
	fails("sheet-2.json is not a list of answers")
	testkit.WriteFile(t, filepath.Join(dir, keyFile), "{}")
	fails("is not the key of a folder")
}

// TestBadSheets checks that the error for a mistake in a sheet names the line or the item.
func TestBadSheets(t *testing.T) {
	dir := t.TempDir()
	export(t, dir, itemsOf(1), 1)
	path := filepath.Join(dir, "sheet-1.csv")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string][2]string{
		"sheet-1.csv:1: the first line must name the columns item, ":        {"letter", "who"},
		`sheet-1.csv:2: the item is "one", which is not a number`:           {"\n1,", "\none,"},
		`sheet-1.csv:3: item 1 has the letter "A" twice`:                    {",B,", ",A,"},
		`sheet-1.csv:2: content is "3", but must be 0, 1 or 2`:              {",,,,\n", ",2,3,1,x\n"},
		"sheet-1.csv: item 1: A needs three scores of 0, 1 or 2: style, ":   {",,,,\n", ",2,,1,x\n"},
		"sheet-1.csv: item 1: B needs three scores of 0, 1 or 2: style, ":   {",,,,\n", ",2,1,1,x\n"},
		`sheet-1.csv: item 1: the column best has both a mark and "none": `: {",,,,\n1,", ",2,1,1,x\n1,,,C,,2,1,1,none\n1,"},
		"is not CSV": {",A,", ",\"A,"},
	} {
		testkit.WriteFile(t, path, strings.Replace(string(raw), change[0], change[1], 1))
		_, _, err := Tally(dir, nil)
		testkit.WantError(t, err, userr.BadInput, want)
	}
	for path, want := range map[string]string{
		t.TempDir(): "key.json\" does not exist: name a folder that `smlm-exp human sheets` wrote",
		path:        "cannot be read",
	} {
		_, _, err := Tally(path, nil)
		testkit.WantError(t, err, userr.BadInput, want)
	}
}

// TestSheetsKeepTexts checks, with random texts, that a sheet keeps its texts when it is written
// and read back, and that no cell of the sheet begins like a formula.
func TestSheetsKeepTexts(t *testing.T) {
	text := rapid.StringMatching(`[=+'"a-c,;][=+'"a-c,;\t ]{0,5}[a-z"]`)
	rapid.Check(t, func(t *rapid.T) {
		item := Item{
			Sentence: Sentence{"dev", text.Draw(t, "direction"), 1}, Source: text.Draw(t, "source"),
			Outputs: []string{text.Draw(t, "x"), text.Draw(t, "y")},
		}
		key := Key{Systems: []string{"x", "y"}, Items: []Item{item}}
		raw, err := key.sheet([]Shown{{0, [][]int{{0}, {1}}}}).csv()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := parseTable("sheet-1.csv", raw, sheetColumns)
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range rows {
			if row.field["source"] != item.Source || row.field["direction"] != item.Direction ||
				row.field["rewrite"] != displayed(item.Outputs[k]) {
				t.Fatalf("%+v became %+v", item, row)
			}
		}
		cells, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range slices.Concat(cells...) {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "+") {
				t.Fatalf("%q is a formula", cell)
			}
		}
	})
}

// TestDraw checks that the requested number of sentences is drawn for each direction. It also
// checks that sentences which were already rated are not drawn again, for each of the three kinds
// of files that list them.
func TestDraw(t *testing.T) {
	all := itemsOf(10)
	drawn := Draw(all, 4, 7, nil)
	if len(drawn) != 8 || !reflect.DeepEqual(drawn, Draw(all, 4, 7, nil)) ||
		reflect.DeepEqual(drawn, Draw(all, 4, 8, nil)) {
		t.Errorf("%+v", drawn)
	}
	dir := t.TempDir()
	export(t, dir, drawn, 1)
	fill(t, filepath.Join(dir, "sheet-1.csv"), 8)
	if _, _, err := Tally(dir, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{keyFile, AnswersFile} {
		skip, err := Skip(filepath.Join(dir, name))
		if err != nil || len(skip) != 8 {
			t.Fatalf("%s: %d, %v", name, len(skip), err)
		}
		left := Draw(all, 100, 1, skip)
		if len(left) != 12 || slices.ContainsFunc(left, func(item Item) bool { return skip[item.Sentence] }) {
			t.Errorf("%s leaves %d", name, len(left))
		}
	}
	for text, want := range map[string]string{
		"{}":    "is not a key of sheets",
		"[1]":   "is not a key of sheets: give key.json or answers.csv",
		"a,b\n": "the first line must name the columns split, ",
	} {
		testkit.WriteFile(t, filepath.Join(dir, "other"), text)
		_, err := Skip(filepath.Join(dir, "other"))
		testkit.WantError(t, err, userr.BadInput, want)
	}
}
