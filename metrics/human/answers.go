package human

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Answer is a reader's answer to one item: a source sentence and its rewrites. The files
// sheet-N.json contain answers as JSON.
type Answer struct {
	Item   int              `json:"item"`
	Scores map[string][]int `json:"scores"` // letter -> scores in the order of Scales
	Best   []string         `json:"best"`   // letters of the best rewrites; empty if none is good, nil if not answered
}

// problem describes a mistake in the answer, or returns "" if there is none. rewrites is the number
// of rewrites of the item.
func (a *Answer) problem(rewrites int) string {
	var letters []string
	for k := range rewrites {
		letters = append(letters, letter(k))
	}
	last := letters[rewrites-1]
	for _, l := range slices.Concat(a.Best, slices.Sorted(maps.Keys(a.Scores))) {
		if !slices.Contains(letters, l) {
			return fmt.Sprintf("%s is not a letter of this item: use A to %s", wording.Quoted(l), last)
		}
	}
	for k, l := range a.Best {
		if slices.Contains(a.Best[:k], l) {
			return l + " is marked as best twice: mark it once"
		}
	}
	for _, l := range letters {
		if s := a.Scores[l]; len(s) != len(Scales) || slices.Min(s) < 0 || slices.Max(s) > 2 {
			return l + " needs three scores of 0, 1 or 2: style, content and fluency"
		}
	}
	if a.Best == nil {
		return "no rewrite is marked as best: mark one, or say that none is good"
	}
	return ""
}

// Tally reads a folder of sheets with answers and writes the ratings to AnswersFile. The first
// readers get the given names, and the other readers are called "reader N". The result without
// lists the readers who gave no answers. Tally ignores items without any answer, but a partly
// answered item is an error.
func Tally(dir string, names []string) (ratings Ratings, without []string, err error) {
	raw, err := read(filepath.Join(dir, keyFile), "name a folder that `smlm-exp human sheets` wrote")
	if err != nil {
		return nil, nil, err
	}
	var key Key
	if err := json.Unmarshal(raw, &key); err != nil || len(key.Sheets) == 0 || len(key.Systems) == 0 {
		return nil, nil, userr.New(userr.BadInput, "%q is not the key of a folder that `smlm-exp human sheets` wrote: "+
			"name another folder", filepath.Join(dir, keyFile))
	}
	readers, err := readerNames(dir, names, len(key.Sheets))
	if err != nil {
		return nil, nil, err
	}
	for i, shown := range key.Sheets {
		path, answers, err := answersOf(dir, i+1)
		if err != nil {
			return nil, nil, err
		}
		if len(answers) == 0 {
			without = append(without, readers[i])
		}
		rated, err := key.ratings(path, shown, answers, readers[i])
		if err != nil {
			return nil, nil, err
		}
		ratings = append(ratings, rated...)
	}
	if len(ratings) == 0 {
		return nil, nil, userr.New(userr.BadInput, "no sheet in %q has answers: put the readers' files sheet-N.csv or "+
			"sheet-N.json there", dir)
	}
	return ratings, without, files.Update(filepath.Join(dir, AnswersFile), ratings.Write)
}

// ratings turns a reader's answers into ratings of the systems, in the order of the key.
func (key *Key) ratings(path string, shown []Shown, answers []Answer, reader string) (out Ratings, err error) {
	byItem := map[int]Answer{} // by index in key.Items
	for _, a := range answers {
		problem := fmt.Sprintf("the numbers must be 1 to %d, each once", len(shown))
		if a.Item >= 1 && a.Item <= len(shown) {
			item := shown[a.Item-1]
			if _, seen := byItem[item.Item]; !seen {
				problem = a.problem(len(item.Rewrites))
			}
			byItem[item.Item] = a
		}
		if problem != "" {
			return nil, userr.New(userr.BadInput, "%s: item %d: %s", path, a.Item, problem)
		}
	}
	for i, item := range key.Items {
		a, answered := byItem[i]
		if !answered {
			continue
		}
		for system, name := range key.Systems {
			rewrites := shown[a.Item-1].Rewrites
			l := letter(slices.IndexFunc(rewrites, func(by []int) bool { return slices.Contains(by, system) }))
			rating := Rating{Dataset: key.Dataset, Sentence: item.Sentence, System: name, Reader: reader}
			copy(rating.Scores[:], a.Scores[l])
			if slices.Contains(a.Best, l) {
				rating.Best = 1 / float64(len(a.Best))
			}
			out = append(out, rating)
		}
	}
	return out, nil
}

// answersOf reads the answers of a reader. It also returns the path of the file that contains these
// answers. Readers are numbered from 1.
func answersOf(dir string, reader int) (path string, answers []Answer, err error) {
	sheet := filepath.Join(dir, fmt.Sprintf(sheetPattern, reader))
	saved := filepath.Join(dir, fmt.Sprintf(savedPattern, reader))
	_, noSheet := os.Stat(sheet)
	_, noSaved := os.Stat(saved)
	if noSheet == nil {
		if answers, err = sheetAnswers(sheet); err != nil {
			return "", nil, err
		}
	}
	switch {
	case noSaved != nil:
		return sheet, answers, nil
	case len(answers) > 0:
		return "", nil, userr.New(userr.BadInput, "%s and %s both contain answers: keep one of the files", sheet, saved)
	}
	raw, err := read(saved, "change its permissions")
	if err != nil {
		return "", nil, err
	}
	if err := json.Unmarshal(raw, &answers); err != nil {
		return "", nil, userr.New(userr.BadInput, "%s is not a list of answers (%w): %s describes it", saved, err, guideFile)
	}
	return saved, answers, nil
}

// sheetAnswers reads the answers from a sheet, whose rows may be in any order. It leaves out items
// without any mark.
func sheetAnswers(path string) (answers []Answer, err error) {
	t, err := readTable(path, sheetColumns)
	if err != nil {
		return nil, err
	}
	byItem := map[int]*Answer{}
	begun, noneIsGood := map[int]bool{}, map[int]bool{}
	for _, row := range t {
		number, err := strconv.Atoi(row.field["item"])
		if err != nil {
			return nil, row.errorf("the item is %s, which is not a number: do not change that column",
				wording.Quoted(row.field["item"]))
		}
		if byItem[number] == nil {
			byItem[number] = &Answer{Item: number, Scores: map[string][]int{}}
		}
		a, l := byItem[number], row.field["letter"]
		if a.Scores[l] != nil {
			return nil, row.errorf("item %d has the letter %s twice: do not change that column", number, wording.Quoted(l))
		}
		a.Scores[l] = []int{}
		for _, scale := range Scales {
			text := row.field[scale.Name]
			if text == "" {
				continue
			}
			begun[number] = true
			score, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
			if err != nil || score < 0 || score > 2 {
				return nil, row.errorf("%s is %s, but must be 0, 1 or 2", scale.Name, wording.Quoted(text))
			}
			a.Scores[l] = append(a.Scores[l], score)
		}
		switch best := strings.ToLower(row.field["best"]); best {
		case "", "0", "no":
		case noneMark:
			begun[number], noneIsGood[number] = true, true
		default:
			begun[number] = true
			a.Best = append(a.Best, l)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(byItem)) {
		a := byItem[number]
		switch {
		case noneIsGood[number] && a.Best != nil:
			return nil, userr.New(userr.BadInput, "%s: item %d: the column best has both a mark and %q: keep one", path, number,
				noneMark)
		case noneIsGood[number]:
			a.Best = []string{}
		}
		if begun[number] {
			answers = append(answers, *a)
		}
	}
	return answers, nil
}

// readerNames returns a name for each reader: first the given names, then "reader N".
func readerNames(dir string, names []string, sheets int) ([]string, error) {
	if len(names) > sheets {
		return nil, userr.New(userr.BadInput, "%s are named, but %q has %s", wording.Count(len(names), "reader"), dir,
			wording.Count(sheets, "sheet"))
	}
	all := slices.Clone(names)
	for k := len(names); k < sheets; k++ {
		all = append(all, fmt.Sprintf("reader %d", k+1))
	}
	for k, name := range all {
		if strings.TrimSpace(name) == "" || slices.Contains(all[:k], name) {
			return nil, userr.New(userr.BadInput, "the reader's name %q is empty or given twice: give each reader another "+
				"name", name)
		}
	}
	return all, nil
}

// read returns the content of a file. The message of an error ends with the given advice.
func read(path, advice string) ([]byte, error) {
	raw, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "%q does not exist: %s", path, advice)
	} else if err != nil {
		return nil, userr.New(userr.BadInput, "%q cannot be read (%w): %s", path, files.Cause(err), advice)
	}
	return raw, nil
}

// row is a line of a CSV file, with its fields by column name.
type row struct {
	path  string
	line  int
	field map[string]string
}

func (r *row) errorf(format string, args ...any) error {
	return userr.New(userr.BadInput, "%s:%d: %s", r.path, r.line, fmt.Sprintf(format, args...))
}

// readTable reads a CSV file that has at least the given columns. It accepts what spreadsheets
// save: a byte order mark, and semicolons or tabs instead of commas.
func readTable(path string, columns []string) (rows []row, err error) {
	raw, err := read(path, "give a file that `smlm-exp human` wrote")
	if err != nil {
		return nil, err
	}
	return parseTable(path, raw, columns)
}

func parseTable(path string, raw []byte, columns []string) (rows []row, err error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	c := csv.NewReader(bytes.NewReader(raw))
	header, _, _ := bytes.Cut(raw, []byte("\n"))
	for _, sign := range ";\t" {
		if bytes.ContainsRune(header, sign) {
			c.Comma = sign
		}
	}
	all, err := c.ReadAll()
	if err != nil {
		return nil, userr.New(userr.BadInput, "%s is not CSV (%w): save it as CSV", path, err)
	}
	if len(all) == 0 {
		all = [][]string{nil}
	}
	for _, name := range columns {
		if !slices.Contains(all[0], name) {
			return nil, userr.New(userr.BadInput, "%s:1: the first line must name the columns %s", path,
				strings.Join(columns, ", "))
		}
	}
	for i, fields := range all[1:] {
		r := row{path: path, line: i + 2, field: map[string]string{}}
		for k, text := range fields {
			r.field[all[0][k]] = wording.OfCell(strings.TrimSpace(text))
		}
		rows = append(rows, r)
	}
	return rows, nil
}
