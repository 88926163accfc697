package human

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Outputs are what several systems wrote for one source.
type Outputs struct {
	Sentence
	Source string
	Of     []string // by system
}

// Reading is a reading as it is handed out: systems whose outputs are rated, and a sheet a reader.
type Reading struct {
	Dataset string     `json:"dataset"`
	Systems []string   `json:"read"` // as the table of results names them
	Seed    uint64     `json:"seed"`
	Items   []Sentence `json:"items"`
	Sheets  [][]Shown  `json:"sheets"` // of each reader, in the order of its items
}

// Shown says what an item of a sheet was made of.
type Shown struct {
	Item int `json:"item"` // of Reading.Items
	// Rows has, for each output that is shown, the systems that wrote it: equal outputs are shown
	// once.
	Rows [][]int `json:"rows"`
}

// SheetGuide is the file that tells readers what to do, and ReadingsFile what TallySheets writes.
const (
	SheetGuide   = "instructions.txt"
	ReadingsFile = "readings.csv"
)

func sheetFile(reader int) string  { return fmt.Sprintf("sheet-%d.csv", reader) }
func answerFile(reader int) string { return fmt.Sprintf("sheet-%d.json", reader) }

var sheetHeader = []string{
	"item", "direction", "source", "letter", "output", "style", "content", "fluency", "best",
}

// MostSystems is how many systems one sheet can have: each output has a letter.
const MostSystems = 26

func letter(row int) string { return string(rune('A' + row)) }

// DrawOutputs draws n sentences of each direction, or all where there are fewer, by the seed alone.
// Those that skip has are left out.
func DrawOutputs(all []Outputs, n int, seed uint64, skip map[Sentence]bool) []Outputs {
	rng := rand.New(rand.NewPCG(seed, 0))
	of := map[string][]Outputs{}
	var directions []string
	for _, o := range all {
		if !slices.Contains(directions, o.Direction) {
			directions = append(directions, o.Direction)
		}
		if !skip[o.Key()] {
			of[o.Direction] = append(of[o.Direction], o)
		}
	}
	var drawn []Outputs
	for _, d := range directions {
		order := rng.Perm(len(of[d]))[:min(n, len(of[d]))]
		slices.Sort(order)
		for _, i := range order {
			drawn = append(drawn, of[d][i])
		}
	}
	return drawn
}

// shown is an output as readers see it: in lower case, as letter case would tell systems apart.
func shown(output string) string { return strings.ToLower(strings.Join(strings.Fields(output), " ")) }

// rowsOf puts systems that wrote the same together, in an order of chance.
func rowsOf(o Outputs, rng *rand.Rand) [][]int {
	of := map[string]int{}
	var rows [][]int
	for _, system := range rng.Perm(len(o.Of)) {
		text := shown(o.Of[system])
		row, known := of[text]
		if !known {
			row = len(rows)
			of[text] = row
			rows = append(rows, nil)
		}
		rows[row] = append(rows[row], system)
	}
	return rows
}

// ExportSheets writes a sheet for each reader, in an order of its own, what readers are to do, the
// key, and the key's sha256, which may be shown beforehand. Where it fails or ctx ends, none of
// them is left.
func ExportSheets(ctx context.Context, dir string, r Reading, all []Outputs, readers int) error {
	var directions []string
	for _, o := range all {
		r.Items = append(r.Items, o.Sentence)
		directions = lists.AddOnce(directions, strconv.Quote(o.Direction))
	}
	contents := map[string][]byte{SheetGuide: []byte(sheetGuide(directions))}
	for k := range readers {
		rng := rand.New(rand.NewPCG(r.Seed, uint64(k+1)))
		rows := [][]string{sheetHeader}
		var sheet []Shown
		for number, item := range rng.Perm(len(all)) {
			o := all[item]
			s := Shown{Item: item, Rows: rowsOf(o, rng)}
			for row, systems := range s.Rows {
				rows = append(rows, []string{
					strconv.Itoa(number + 1), wording.Cell(o.Direction), wording.Cell(o.Source), letter(row),
					wording.Cell(shown(o.Of[systems[0]])), "", "", "", "",
				})
			}
			sheet = append(sheet, s)
		}
		r.Sheets = append(r.Sheets, sheet)
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
			return err
		}
		contents[sheetFile(k+1)] = b.Bytes()
	}
	return seal(ctx, dir, r, contents)
}

// sheetGuide is what readers are to do with sheets of these directions.
func sheetGuide(directions []string) string {
	var b strings.Builder
	b.WriteString("Each item of your sheet has a source sentence and rewrites of it, under letters. The direction says which\n" +
		"style the source has and which style is asked for; all else should stay. Directions of your sheet:\n" +
		strings.Join(directions, ", ") + ". Ask who gave you the sheet what a style means, where its\n" +
		"name does not say it. Read every rewrite, and give each three scores:\n\n")
	for _, s := range Scales {
		fmt.Fprintf(&b, "%-8s 2 %s; 1 %s; 0 %s.\n", s.Name, s.Meaning[2], s.Meaning[1], s.Meaning[0])
	}
	b.WriteString("\nA rewrite that is its source unchanged is scored like any other: content 2, fluency as the source is written,\n" +
		"and style by what the sentence says, 0 where it says nothing in the style asked for. Where the source has both\n" +
		"styles, or none, judge the rewrite alone: style 2 only where all of it has the style asked for.\n\n" +
		"Put x into the column best of the best rewrite of each item, or of several where they are truly equal. An item\n" +
		"counts when all its rewrites have three scores and one is best; items that you leave empty do not count.\n\n" +
		"Work alone. Look at nothing but your sheet: not at key.json, not at others' answers, and use no program that\n" +
		"scores. Numbers of items and letters differ from sheet to sheet, so that they tell nothing of another reader's.\n" +
		"Save the sheet under its own name, as CSV; commas, semicolons or tabs may stand between the columns.\n\n" +
		"A program that reads may leave sheet-N.csv empty and write sheet-N.json beside it, a list with one object an\n" +
		"item, whose scores are those of style, content and fluency:\n\n" +
		`    [{"item": 1, "scores": {"A": [2, 1, 2], "B": [0, 2, 2]}, "best": ["A"]}, ...]` + "\n")
	return b.String()
}

// IsReading tells whether a folder holds sheets that ExportSheets wrote, and not forms of Export.
func IsReading(dir string) (bool, error) {
	key, err := read(filepath.Join(dir, keyFile))
	if err != nil {
		return false, err
	}
	var r Reading
	return json.Unmarshal(key, &r) == nil && len(r.Sheets) > 0, nil
}

// TallySheets reads the sheets that came back to a folder, writes the ratings beside them as
// ReadingsFile, and returns them with the reading. names are those of the readers, the rest is
// called reader N. A sheet may be filled in part: an item counts where each of its outputs has all
// three scores and one at least is best. Every sheet must have one item, and be filled in as CSV or
// as JSON, not as both.
func TallySheets(dir string, names []string) (*Reading, Readings, error) {
	var r Reading
	if err := readKey(dir, &r); err != nil {
		return nil, nil, err
	}
	if len(names) > len(r.Sheets) {
		return nil, nil, userr.New(userr.BadInput, "%s are named and %q has %s", wording.Count(len(names), "reader"), dir,
			wording.Count(len(r.Sheets), "sheet"))
	}
	for i, name := range names {
		if strings.TrimSpace(name) == "" || slices.Contains(names[:i], name) {
			return nil, nil, userr.New(userr.BadInput, "the reader's name %q is empty or given twice: give each reader a name "+
				`of its own, such as "first person" and "second person"`, name)
		}
	}
	var all Readings
	for k, sheet := range r.Sheets {
		name := fmt.Sprintf("reader %d", k+1)
		if k < len(names) {
			name = names[k]
		}
		ratings, err := r.ratings(dir, k+1, name, sheet)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, ratings...)
	}
	return &r, all, files.Update(filepath.Join(dir, ReadingsFile), all.Write)
}

// judged is what a reader says of an item: scores by letter, and the letters that are best.
type judged struct {
	Item   int              `json:"item"`
	Scores map[string][]int `json:"scores"`
	Best   []string         `json:"best"`
}

// ratings reads the sheet of a reader, from 1 on.
func (r *Reading) ratings(dir string, reader int, name string, sheet []Shown) (out Readings, err error) {
	path, items, err := filledIn(dir, reader)
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, j := range items {
		wrong := func(format string, args ...any) error {
			return userr.New(userr.BadInput, "%s: item %d: %s", path, j.Item, fmt.Sprintf(format, args...))
		}
		if j.Item < 1 || j.Item > len(sheet) || seen[j.Item] {
			return nil, wrong("the number must be 1 to %d, and each once", len(sheet))
		}
		seen[j.Item] = true
		rows := sheet[j.Item-1].Rows
		if len(j.Best) == 0 {
			return nil, wrong("no rewrite is best: mark one at least")
		}
		for _, best := range j.Best {
			if !known(best, len(rows)) {
				return nil, wrong("%s is best and is no letter of the item: use A to %s", wording.Quoted(best),
					letter(len(rows)-1))
			}
		}
		for _, l := range slices.Sorted(maps.Keys(j.Scores)) {
			if !known(l, len(rows)) {
				return nil, wrong("%s is no letter of the item: use A to %s", wording.Quoted(l), letter(len(rows)-1))
			}
		}
		for row, systems := range rows {
			scores := j.Scores[letter(row)]
			if len(scores) != len(Scales) || slices.Min(scores) < 0 || slices.Max(scores) > 2 {
				return nil, wrong("%s needs three scores of 0, 1 or 2: style, content and fluency", letter(row))
			}
			for _, system := range systems {
				one := Rating{Sentence: r.Items[sheet[j.Item-1].Item], System: r.Systems[system], Reader: name}
				for k, s := range Scales {
					*s.of(&one) = scores[k]
				}
				if slices.Contains(j.Best, letter(row)) {
					one.Best = 1 / float64(len(j.Best))
				}
				out = append(out, one)
			}
		}
	}
	if len(out) == 0 {
		return nil, userr.New(userr.BadInput, "%s has no filled item: give every output of an item three scores, and mark "+
			"the best", path)
	}
	return out, nil
}

// filledIn returns what a reader, from 1 on, says of the items, and the file that has it: the
// sheet, or the JSON that a program wrote in its place. Answers in both may differ, and nobody
// knows which are meant.
func filledIn(dir string, reader int) (path string, items []judged, err error) {
	sheet, path := filepath.Join(dir, sheetFile(reader)), filepath.Join(dir, answerFile(reader))
	if _, err := os.Stat(path); err != nil {
		items, err = sheetAnswers(sheet)
		return sheet, items, err
	}
	if _, err := os.Stat(sheet); err == nil {
		if items, err = sheetAnswers(sheet); err != nil {
			return "", nil, err
		}
	}
	if len(items) > 0 {
		return "", nil, userr.New(userr.BadInput, "%s and %s both have answers: keep the ones that are meant, and take the "+
			"other file away", sheet, path)
	}
	items, err = answersOf(path)
	return path, items, err
}

func known(l string, rows int) bool { return len(l) == 1 && l[0] >= 'A' && int(l[0]-'A') < rows }

// answersOf reads what a program wrote.
func answersOf(path string) (items []judged, err error) {
	raw, err := read(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, userr.New(userr.BadInput, "%s is no list of answers (%w): %s says what is wanted", path, err, SheetGuide)
	}
	return items, nil
}

// sheetAnswers reads a filled sheet, whose rows may stand in another order. Items of which nothing
// is filled in are left out.
func sheetAnswers(path string) ([]judged, error) {
	raw, err := read(path)
	if err != nil {
		return nil, err
	}
	rows, err := tableRows(path, raw, sheetHeader)
	if err != nil {
		return nil, err
	}
	of := map[int]*judged{}
	filled := map[int]bool{}
	for i, row := range rows {
		for k := range row {
			row[k] = strings.TrimSpace(row[k])
		}
		number, err := strconv.Atoi(row[0])
		if err != nil {
			return nil, userr.New(userr.BadInput, "%s: row %d has the item %q, which is no number: leave that column as it was",
				path, i+2, row[0])
		}
		j := of[number]
		if j == nil {
			j = &judged{Item: number, Scores: map[string][]int{}}
			of[number] = j
		}
		l := row[3]
		if _, twice := j.Scores[l]; twice {
			return nil, userr.New(userr.BadInput, "%s: item %d has the letter %q twice: leave that column as it was", path,
				number, l)
		}
		j.Scores[l] = nil
		for k, s := range Scales {
			text := row[5+k]
			if text == "" {
				continue
			}
			filled[number] = true
			score, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
			if err != nil || score < 0 || score > 2 {
				return nil, userr.New(userr.BadInput, "%s: item %d, %s: %s is %q and must be 0, 1 or 2", path, number, l, s.Name,
					text)
			}
			j.Scores[l] = append(j.Scores[l], score)
		}
		if best := strings.ToLower(row[8]); best != "" && best != "0" && best != "no" {
			filled[number] = true
			j.Best = append(j.Best, l)
		}
	}
	var out []judged
	for _, number := range slices.Sorted(maps.Keys(of)) {
		if filled[number] {
			out = append(out, *of[number])
		}
	}
	return out, nil
}

// Skip reads which sentences were read before: of a key, of a file of readings, or of a list of
// {"style": 0, "line": 0}, counted from 0, whose sentences are of the split.
func Skip(path, split string, directions []string) (map[Sentence]bool, error) {
	raw, err := files.Read(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "the file of sentences to leave out, %q, cannot be read (%w): correct the path",
			path, files.Cause(err))
	}
	out := map[Sentence]bool{}
	var r Reading
	var list []struct {
		Style *int `json:"style"`
		Line  *int `json:"line"`
	}
	switch text := bytes.TrimSpace(raw); {
	case bytes.HasPrefix(text, []byte("{")):
		if err := json.Unmarshal(text, &r); err != nil || len(r.Items) == 0 {
			return nil, userr.New(userr.BadInput, "%q is no key of sheets: give key.json, readings.csv, or a list of "+
				`{"style": 0, "line": 0}`, path)
		}
		for _, s := range r.Items {
			out[s.Key()] = true
		}
	case bytes.HasPrefix(text, []byte("[")):
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, userr.New(userr.BadInput, `%q is no list of {"style": 0, "line": 0} (%w): correct it`, path, err)
		}
		for i, one := range list {
			if one.Style == nil || one.Line == nil || *one.Style < 0 || *one.Style >= len(directions) || *one.Line < 0 {
				return nil, userr.New(userr.BadInput, "%q: entry %d must have a style, 0 to %d, and a line, from 0 on", path, i+1,
					len(directions)-1)
			}
			out[Sentence{Split: split, Direction: directions[*one.Style], Line: *one.Line + 1}] = true
		}
	default:
		ratings, err := parseReadings(path, string(raw))
		if err != nil {
			return nil, err
		}
		for i := range ratings {
			out[ratings[i].Key()] = true
		}
	}
	return out, nil
}
