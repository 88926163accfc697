package human

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Outputs are what several systems wrote for one source, or a ranker's choices.
type Outputs struct {
	Sentence
	Source string
	Of     []string // by system, or by choice
	// Notes has of each of a ranker's choices what the key keeps of it; nil where systems wrote.
	Notes []json.RawMessage
}

// Reading is a reading as it is handed out: systems whose outputs are rated, and a sheet a reader.
type Reading struct {
	Dataset string     `json:"dataset"`
	Systems []string   `json:"read,omitempty"` // as the table of results names them
	Seed    uint64     `json:"seed"`
	Items   []Sentence `json:"items"`
	Sheets  [][]Shown  `json:"sheets"` // of each reader, in the order of its items
	// Choices are the Notes of each item, where a ranker's choices are rated in place of systems.
	Choices [][]json.RawMessage `json:"choices,omitempty"`
}

// Shown says what an item of a sheet was made of.
type Shown struct {
	Item int `json:"item"` // of Reading.Items
	// Rows has, for each output that is shown, the systems that wrote it, or the choices that read
	// so: equal outputs are shown once.
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

// MostReaders is how many sheets, or forms, one folder can have: it bounds time and memory, and is
// more than studies have.
const MostReaders = 1000

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
		if o.Notes != nil {
			r.Choices = append(r.Choices, o.Notes)
		}
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

// HowToRate are the rules of rating, a paragraph each, beside what Scales say.
var HowToRate = []string{
	"A rewrite that leaves the source unchanged is scored like any other: content 2, fluency as the source " +
		"is\nwritten, and style by what the sentence says: 0 if it does not have the style asked for. If the " +
		"source has both\nstyles, or none, judge the rewrite alone: give style 2 only if all of it has the " +
		"style asked for.",
	"Mark the best rewrite of each item, or several if they are truly equal. An item counts only if all its " +
		"rewrites\nhave three scores and at least one is marked best. Items that you leave empty do not count.",
	"Work alone. Look only at your sheet, not at key.json or at others' answers, and use no program that " +
		"scores.\nThe numbers of items and the letters differ from sheet to sheet, so they do not tell which " +
		"rewrite is whose.",
}

// sheetGuide is what readers are to do with sheets of these directions.
func sheetGuide(directions []string) string {
	var b strings.Builder
	b.WriteString("Each item of your sheet has a source sentence and rewrites of it, marked with letters. The " +
		"direction says which\nstyle the source has and which style is asked for; everything else should " +
		"stay. Directions of your sheet:\n" +
		strings.Join(directions, ", ") + ". If the name of a style does not say what it means, ask the\n" +
		"person who gave you the sheet. Read every rewrite and give it three scores:\n\n")
	for _, s := range Scales {
		fmt.Fprintf(&b, "%-8s 2 %s; 1 %s; 0 %s.\n", s.Name, s.Meaning[2], s.Meaning[1], s.Meaning[0])
	}
	b.WriteString("\n" + strings.Join(HowToRate, "\n\n") + "\n\n" +
		"In the column best, mark a rewrite with x. Save the sheet under its own name, as CSV with commas, " +
		"semicolons or\n" +
		"tabs between the columns. If you have the program, `smlm-exp serve --forms FOLDER` shows the sheets " +
		"of a\n" +
		"folder as a page and writes your answers into them.\n\n" +
		"A program that reads can leave sheet-N.csv empty and write sheet-N.json beside it: a list with one " +
		"object per\n" +
		"item, with the scores for style, content and fluency:\n\n" +
		`    [{"item": 1, "scores": {"A": [2, 1, 2], "B": [0, 2, 2]}, "best": ["A"]}, ...]` + "\n")
	return b.String()
}

// IsReading tells whether a folder holds sheets that ExportSheets wrote, and not forms of Export,
// and whether a ranker's choices are rated on them, not systems.
func IsReading(dir string) (sheets, choices bool, err error) {
	key, err := read(filepath.Join(dir, keyFile))
	if err != nil {
		return false, false, err
	}
	var r Reading
	sheets = json.Unmarshal(key, &r) == nil && len(r.Sheets) > 0
	return sheets, sheets && len(r.Choices) > 0, nil
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
	readers, err := readerNames(dir, names, len(r.Sheets))
	if err != nil {
		return nil, nil, err
	}
	var all Readings
	for k, sheet := range r.Sheets {
		ratings, err := r.ratings(dir, k+1, readers[k], sheet)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, ratings...)
	}
	return &r, all, files.Update(filepath.Join(dir, ReadingsFile), all.Write)
}

// ratings reads the sheet of a reader, from 1 on.
func (r *Reading) ratings(dir string, reader int, name string, sheet []Shown) (out Readings, err error) {
	err = eachRated(dir, reader, sheet, func(item, system int, scores []int, best float64) {
		one := Rating{Sentence: r.Items[item], System: r.Systems[system], Reader: name, Best: best}
		for k, s := range Scales {
			*s.of(&one) = scores[k]
		}
		out = append(out, one)
	})
	return out, err
}

// eachRated reads the sheet of a reader, from 1 on, and calls do with each output that is rated on
// it: the number of its item in the key, that of its system or choice, its scores, and the reader's
// vote for it as Rating.Best has it.
func eachRated(dir string, reader int, sheet []Shown, do func(item, of int, scores []int, best float64)) error {
	path, items, err := filledIn(dir, reader)
	if err != nil {
		return err
	}
	seen := map[int]bool{}
	for _, j := range items {
		wrong := ""
		if j.Item < 1 || j.Item > len(sheet) || seen[j.Item] {
			wrong = fmt.Sprintf("the numbers must be 1 to %d, each once", len(sheet))
		} else {
			wrong = j.wrong(len(sheet[j.Item-1].Rows))
		}
		if wrong != "" {
			return userr.New(userr.BadInput, "%s: item %d: %s", path, j.Item, wrong)
		}
		seen[j.Item] = true
		for row, all := range sheet[j.Item-1].Rows {
			best := 0.0
			if slices.Contains(j.Best, letter(row)) {
				best = 1 / float64(len(j.Best))
			}
			for _, of := range all {
				do(sheet[j.Item-1].Item, of, j.Scores[letter(row)], best)
			}
		}
	}
	if len(seen) == 0 {
		return userr.New(userr.BadInput, "%s has no filled item: give every output of an item three scores, and mark "+
			"the best", path)
	}
	return nil
}

// Skip reads which sentences were read before: of a key, of a file of readings, or of a list of
// {"style": 0, "line": 0}, counted from 0, whose sentences are of the split. from has the
// directions of each style's sentences.
func Skip(path, split string, from [][]string) (map[Sentence]bool, error) {
	raw, err := files.Read(path)
	if err != nil {
		return nil, userr.New(userr.BadInput, "the file of sentences to leave out, %q, cannot be read (%w): "+
			"correct the path",
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
			return nil, userr.New(userr.BadInput, "%q is not a key of sheets: give key.json, readings.csv, or "+
				`a list of {"style": 0, "line": 0}`, path)
		}
		for _, s := range r.Items {
			out[s.Key()] = true
		}
	case bytes.HasPrefix(text, []byte("[")):
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, userr.New(userr.BadInput, `%q is not a list of {"style": 0, "line": 0} (%w): correct `+
				"it", path, err)
		}
		for i, one := range list {
			if one.Style == nil || one.Line == nil || *one.Style < 0 || *one.Style >= len(from) || *one.Line < 0 {
				return nil, userr.New(userr.BadInput, "%q: entry %d must have a style from 0 to %d, and a "+
					"line, counted from 0", path, i+1,
					len(from)-1)
			}
			for _, direction := range from[*one.Style] {
				out[Sentence{Split: split, Direction: direction, Line: *one.Line + 1}] = true
			}
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
