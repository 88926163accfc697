package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// tablesData is the page of tables.
type tablesData struct {
	Tables  []tableData
	Notices []string // what is missing or damaged
}

type tableData struct {
	Name, Title   string
	Legend, Notes []string
	Heads         []headData
	Bodies        []bodyData
}

// headData is the head of a column, its lines apart. Merge: a value like the one above is left
// empty, by the script, which knows what is shown in which order.
type headData struct {
	Lines []string
	Class string
	Merge bool
}

// bodyData is what sorting moves as one: a row and those that belong to it.
type bodyData struct{ Rows [][]cellData }

// cellData is a value. Number is what it is sorted by, "" where it is no number.
type cellData struct {
	Text, Sign, Class, Number string
	Best, Second              bool
	Words                     []wordData // of the text, where some are set apart
}

func (s *Server) tablesPage(_ http.ResponseWriter, r *http.Request) (*view, error) {
	found, err := s.study.tables(r.Context())
	if err != nil {
		return nil, err
	}
	d := tablesData{Notices: found.notices()}
	for _, t := range found.tables {
		d.Tables = append(d.Tables, tableOf(t))
	}
	return &view{Title: "Tables", Page: "tables", Script: "tables.js", Data: d}, nil
}

// tableFile serves a table as CSV. Its name is looked up among those of the tables.
func (s *Server) tableFile(w http.ResponseWriter, r *http.Request) (*view, error) {
	found, err := s.study.tables(r.Context())
	if err != nil {
		return nil, err
	}
	for _, t := range found.tables {
		if r.PathValue("name") != t.Name+".csv" {
			continue
		}
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", t.Name+".csv"))
		return nil, t.Write(w, "csv")
	}
	return nil, errNowhere
}

// notices say what the rows do not show.
func (f *found) notices() (out []string) {
	for _, sentence := range f.results.Lacking() {
		out = append(out, strings.ToUpper(sentence[:1])+sentence[1:]+".")
	}
	for _, d := range f.results.Damaged {
		out = append(out, fmt.Sprintf("%v; until then what rests on it is left out.", d))
	}
	return out
}

// longLabel is from where on, in letters, labels of the first column need more room than others on
// a narrow screen.
const longLabel = 32

func tableOf(t *table.Table) tableData {
	d := tableData{Name: t.Name, Title: t.Title, Legend: t.CaptionNotes(), Notes: t.Under()}
	classes := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		switch {
		case c.Width > 0:
			classes[j] = "running"
		case c.Align == table.Right:
			classes[j] = "right"
		case c.Align == table.Center:
			classes[j] = "center"
		}
		if j == 0 {
			classes[j] = strings.TrimSpace(classes[j] + " first")
			if slices.ContainsFunc(t.Rows, func(r table.Row) bool { return len(r.Cells[0].Text) > longLabel }) {
				classes[j] += " wordy"
			}
		}
		d.Heads = append(d.Heads, headData{strings.Split(c.Head, "\n"), classes[j], c.Merge})
	}
	for _, r := range t.Rows {
		var cells []cellData
		for j, c := range r.Cells {
			text := table.Flat(c.Text)
			if t.Columns[j].Align == table.Right {
				text = table.Minuses(text)
			}
			cells = append(cells, cellData{
				Text: text, Sign: c.Sign, Class: classes[j], Number: numberOf(c),
				Best: c.Mark == table.Best, Second: c.Mark == table.Second, Words: apart(c),
			})
		}
		if r.Joined && len(d.Bodies) > 0 {
			last := &d.Bodies[len(d.Bodies)-1]
			last.Rows = append(last.Rows, cells)
		} else {
			d.Bodies = append(d.Bodies, bodyData{Rows: [][]cellData{cells}})
		}
	}
	return d
}

// apart are the words of a cell in which some are set apart, else nil.
func apart(c table.Cell) (words []wordData) {
	if !slices.Contains(c.Stress, true) {
		return nil
	}
	for i, w := range strings.Split(c.Text, " ") {
		words = append(words, wordData{table.Flat(w), i < len(c.Stress) && c.Stress[i]})
	}
	return words
}

// numberOf is the number that a cell begins with, written plainly.
func numberOf(c table.Cell) string {
	text := c.Text
	if len(c.Parts) > 0 {
		text = c.Parts[0]
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
	text = strings.ReplaceAll(strings.TrimRight(text, "%*"), ",", "")
	text = strings.Replace(text, "−", "-", 1)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != v {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
