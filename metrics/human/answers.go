package human

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Judged is what a reader says of an item: by letter the scores, in the order of Scales, and the
// letters that are best.
type Judged struct {
	Item   int              `json:"item"`
	Scores map[string][]int `json:"scores"`
	Best   []string         `json:"best"`
}

// wrong says what is wrong with what is said of an item with so many rewrites; "": nothing.
func (j *Judged) wrong(rewrites int) string {
	last := letter(rewrites - 1)
	if len(j.Best) == 0 {
		return "no rewrite is marked as best: mark at least one"
	}
	for i, best := range j.Best {
		if !known(best, rewrites) {
			return fmt.Sprintf("%s is marked as best but is no letter of the item: use A to %s", wording.Quoted(best), last)
		}
		if slices.Contains(j.Best[:i], best) {
			return fmt.Sprintf("%s is named twice as best: name it once", best)
		}
	}
	for _, l := range slices.Sorted(maps.Keys(j.Scores)) {
		if !known(l, rewrites) {
			return fmt.Sprintf("%s is no letter of the item: use A to %s", wording.Quoted(l), last)
		}
	}
	for row := range rewrites {
		scores := j.Scores[letter(row)]
		if len(scores) != len(Scales) || slices.Min(scores) < 0 || slices.Max(scores) > 2 {
			return fmt.Sprintf("%s needs three scores of 0, 1 or 2: style, content and fluency", letter(row))
		}
	}
	return ""
}

func known(l string, rewrites int) bool {
	return len(l) == 1 && l[0] >= 'A' && int(l[0]-'A') < rewrites
}

// Unrated stands for a score that is not given yet.
const Unrated = -1

// Sheet is the sheet of a reader with what the reader says so far. Nothing in it says who wrote
// what: the key is not read.
type Sheet struct {
	Items []SheetItem // by number
	// Elsewhere is the file that a program wrote in place of this one, "" where there is none.
	Elsewhere string

	table *filledTable
}

// SheetItem is a source sentence with its rewrites.
type SheetItem struct {
	Number            int // from 1 on
	Direction, Source string
	Rewrites          []Rewrite // by letter
}

// Rewrite is an output as its reader sees it.
type Rewrite struct {
	Letter, Output string
	Scores         []int // of Scales, Unrated where there is none
	Best           bool
}

// judged is what is said of an item so far.
func (i *SheetItem) judged() Judged {
	j := Judged{Item: i.Number, Scores: map[string][]int{}}
	for _, r := range i.Rewrites {
		j.Scores[r.Letter] = r.Scores
		if r.Best {
			j.Best = append(j.Best, r.Letter)
		}
	}
	return j
}

// Rated tells whether all is said of an item, so that it counts.
func (i *SheetItem) Rated() bool {
	j := i.judged()
	return j.wrong(len(i.Rewrites)) == ""
}

// begun tells whether something is said of an item.
func (i *SheetItem) begun() bool {
	return slices.ContainsFunc(i.Rewrites, func(r Rewrite) bool { return r.Best || slices.Max(r.Scores) >= 0 })
}

// OpenSheet reads the sheet of a reader, from 1 on.
func OpenSheet(dir string, reader int) (*Sheet, error) {
	s, err := readSheet(filepath.Join(dir, sheetFile(reader)))
	if err != nil {
		return nil, err
	}
	if len(s.Items) == 0 {
		return nil, userr.New(userr.BadInput, "%s has no item: give a sheet that `smlm-exp human sheets` wrote", s.table.path)
	}
	for i := range s.Items {
		for row, r := range s.Items[i].Rewrites {
			if r.Letter != letter(row) {
				return nil, userr.New(userr.BadInput, "%s: item %d has the letter %s where %s should be: do "+
					"not change that column", s.table.path, s.Items[i].Number, wording.Quoted(r.Letter), letter(row))
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, answerFile(reader))); err == nil {
		s.Elsewhere = answerFile(reader)
	}
	return s, nil
}

// readSheet reads a sheet, whose rows may stand in another order.
func readSheet(path string) (*Sheet, error) {
	t, err := openTable(path, sheetHeader)
	if err != nil {
		return nil, err
	}
	of := map[int]*SheetItem{}
	for i, row := range t.rows {
		for k := range row {
			row[k] = strings.TrimSpace(row[k])
		}
		number, err := strconv.Atoi(row[0])
		if err != nil {
			return nil, userr.New(userr.BadInput, "%s: row %d has the item %q, which is not a number: do not "+
				"change that column",
				path, i+2, row[0])
		}
		item := of[number]
		if item == nil {
			item = &SheetItem{Number: number, Direction: wording.OfCell(row[1]), Source: wording.OfCell(row[2])}
			of[number] = item
		}
		rewrite := Rewrite{Letter: row[3], Output: wording.OfCell(row[4])}
		if slices.ContainsFunc(item.Rewrites, func(r Rewrite) bool { return r.Letter == rewrite.Letter }) {
			return nil, userr.New(userr.BadInput, "%s: item %d has the letter %q twice: do not change that "+
				"column", path,
				number, rewrite.Letter)
		}
		for k, s := range Scales {
			score, text := Unrated, row[5+k]
			if text != "" {
				score, err = strconv.Atoi(strings.TrimSuffix(text, ".0"))
				if err != nil || score < 0 || score > 2 {
					return nil, userr.New(userr.BadInput, "%s: item %d, %s: %s is %q, but must be 0, 1 or 2", path, number,
						rewrite.Letter, s.Name, text)
				}
			}
			rewrite.Scores = append(rewrite.Scores, score)
		}
		best := strings.ToLower(row[8])
		rewrite.Best = best != "" && best != "0" && best != "no"
		item.Rewrites = append(item.Rewrites, rewrite)
	}
	s := &Sheet{table: t}
	for _, number := range slices.Sorted(maps.Keys(of)) {
		slices.SortFunc(of[number].Rewrites, func(a, b Rewrite) int { return strings.Compare(a.Letter, b.Letter) })
		s.Items = append(s.Items, *of[number])
	}
	return s, nil
}

// Free refuses a sheet that a program has answered elsewhere: answers in both may differ.
func (s *Sheet) Free() error {
	if s.Elsewhere == "" {
		return nil
	}
	return userr.New(userr.BadInput, "a program has answered this sheet in %s: remove that file to rate here",
		s.Elsewhere)
}

// Rate writes all that is said of an item into the sheet's file, whose rows stay where they are.
func (s *Sheet) Rate(j Judged) error {
	if err := s.Free(); err != nil {
		return err
	}
	at := slices.IndexFunc(s.Items, func(i SheetItem) bool { return i.Number == j.Item })
	if at < 0 {
		return userr.New(userr.BadInput, "there is no item %d: the sheet has %d", j.Item, len(s.Items))
	}
	item := &s.Items[at]
	if wrong := j.wrong(len(item.Rewrites)); wrong != "" {
		return userr.New(userr.BadInput, "item %d: %s", j.Item, wrong)
	}
	for k := range item.Rewrites {
		r := &item.Rewrites[k]
		r.Scores, r.Best = j.Scores[r.Letter], slices.Contains(j.Best, r.Letter)
	}
	for _, row := range s.table.rows {
		if number, err := strconv.Atoi(row[0]); err != nil || number != j.Item {
			continue
		}
		for k, score := range j.Scores[row[3]] {
			row[5+k] = strconv.Itoa(score)
		}
		row[8] = ""
		if slices.Contains(j.Best, row[3]) {
			row[8] = "x"
		}
	}
	return s.table.save()
}

// filledIn returns what a reader, from 1 on, says of the items, and the file that has it: the
// sheet, or the JSON that a program wrote in its place. Answers in both may differ, and nobody
// knows which are meant.
func filledIn(dir string, reader int) (path string, items []Judged, err error) {
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
		return "", nil, userr.New(userr.BadInput, "%s and %s both contain answers: keep one of the files and "+
			"remove the other", sheet, path)
	}
	items, err = answersOf(path)
	return path, items, err
}

// answersOf reads what a program wrote.
func answersOf(path string) (items []Judged, err error) {
	raw, err := read(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, userr.New(userr.BadInput, "%s is not a list of answers (%w): %s describes the form", path, err, SheetGuide)
	}
	return items, nil
}

// sheetAnswers reads a filled sheet. Items of which nothing is filled in are left out.
func sheetAnswers(path string) (out []Judged, err error) {
	s, err := readSheet(path)
	if err != nil {
		return nil, err
	}
	for i := range s.Items {
		if s.Items[i].begun() {
			out = append(out, s.Items[i].judged())
		}
	}
	return out, nil
}

// SheetReader is a reader whose sheet a folder has.
type SheetReader struct {
	Number int // from 1 on
	Name   string
}

// SheetReaders are the readers whose sheets a folder has, by their numbers; names are those of the
// first ones, as TallySheets takes them. Of a reader's own folder that may be one sheet of any
// number.
func SheetReaders(dir string, names []string) ([]SheetReader, error) {
	found, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, userr.New(userr.BadInput, "the folder %q cannot be read (%w): name a folder that "+
			"`smlm-exp human sheets` wrote", dir, err)
	}
	var numbers []int
	for _, f := range found {
		middle, _ := strings.CutPrefix(f.Name(), "sheet-")
		n, err := strconv.Atoi(strings.TrimSuffix(middle, ".csv"))
		if err == nil && n > 0 && n <= MostReaders && f.Name() == sheetFile(n) {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	slices.Sort(numbers)
	all, err := readerNames(dir, names, numbers[len(numbers)-1])
	if err != nil {
		return nil, err
	}
	var out []SheetReader
	for _, n := range numbers {
		out = append(out, SheetReader{n, all[n-1]})
	}
	return out, nil
}

// readerNames names the readers of so many sheets: as names has them, and the rest reader N.
func readerNames(dir string, names []string, sheets int) ([]string, error) {
	if len(names) > sheets {
		return nil, userr.New(userr.BadInput, "%s are named, but %q has %s", wording.Count(len(names), "reader"), dir,
			wording.Count(sheets, "sheet"))
	}
	all := slices.Clone(names)
	for k := len(names); k < sheets; k++ {
		all = append(all, fmt.Sprintf("reader %d", k+1))
	}
	seen := map[string]bool{}
	for _, name := range all {
		if strings.TrimSpace(name) == "" || seen[name] {
			return nil, userr.New(userr.BadInput, "the reader's name %q is empty or given twice: give each "+
				`reader another name, such as "first person" and "second person"`, name)
		}
		seen[name] = true
	}
	return all, nil
}
