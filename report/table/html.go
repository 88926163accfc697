package table

import (
	_ "embed"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

//go:embed table.html.tmpl
var htmlSource string

var htmlTemplate = template.Must(template.New("table").Parse(htmlSource))

// htmlView is the data for the HTML template.
type htmlView struct {
	Name, Title string
	Heads       []htmlCell
	Rows        []htmlRow
	Notes       []string
}

type htmlRow struct {
	Rule  bool
	Cells []htmlCell
}

type htmlCell struct {
	Text  template.HTML
	Class string
	Names bool // set if the cell names its row
	Span  int  // number of rows that the cell covers
}

// htmlInto appends t as an HTML fragment that any page can include. It is a <figure class="table"
// id="tab-NAME"> with a table, its caption and a list of notes, and has no styles. The page can
// style these classes: "right" and "center" (alignment of a column), "running" (running text),
// "rule" (a row below a line), "name" (the column that names the rows), "shared" (a label that
// several rows share) and "notes" (the list). The best value of a column is <strong>.
func (t *Table) htmlInto(b *strings.Builder) {
	view := htmlView{Name: Flat(t.Name), Title: Flat(t.Title), Notes: lists.Map(t.notes(), Flat)}
	name := t.nameColumn()
	for j, c := range t.Columns {
		lines := lists.Map(strings.Split(c.head(), "\n"), func(l string) string { return html.EscapeString(clean(l)) })
		view.Heads = append(view.Heads, htmlCell{
			Text: template.HTML(strings.Join(lines, "<br>")), Class: c.htmlClass(j == name),
		})
	}
	cells := t.merged()
	for i, r := range t.Rows {
		row := htmlRow{Rule: r.Rule && i > 0}
		for j, c := range t.Columns {
			if c.Merge && t.repeats(i, j) {
				continue // the cell above spans this row
			}
			row.Cells = append(row.Cells, htmlCell{
				Text: c.html(cells[i][j]), Class: c.htmlClass(j == name), Names: j == name, Span: t.span(i, j),
			})
		}
		view.Rows = append(view.Rows, row)
	}
	if err := htmlTemplate.Execute(b, view); err != nil {
		panic(err) // cannot happen: writing to a strings.Builder never fails
	}
}

// nameColumn returns the index of the column that names the rows. This is the first column without
// Merge. If it has an empty cell, it is the column before. If all columns have Merge, it is the
// first column.
func (t *Table) nameColumn() int {
	j := max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Merge }))
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[j].Text == "" }) {
		return max(0, j-1)
	}
	return j
}

// span returns the number of rows that a cell covers.
func (t *Table) span(row, column int) int {
	n := 1
	for t.Columns[column].Merge && row+n < len(t.Rows) && t.repeats(row+n, column) {
		n++
	}
	return n
}

// html returns a cell as HTML: its escaped text with its mark and its sign.
func (c Column) html(cell Cell) template.HTML {
	if c.Align == Right {
		cell.Text = Minuses(cell.Text)
	}
	text := cell.stressed(cell.Text, html.EscapeString, "<b>", "</b>")
	if cell.Best {
		text = "<strong>" + text + "</strong>"
	}
	if cell.Sign != "" {
		text += "<sup>" + html.EscapeString(cell.Sign) + "</sup>"
	}
	return template.HTML(text)
}

// htmlClass returns the classes of the cells in a column. name is set if the column names the rows.
func (c Column) htmlClass(name bool) string {
	var classes []string
	switch {
	case c.Width > 0:
		classes = append(classes, "running")
	case c.Align == Right:
		classes = append(classes, "right")
	case c.Align == Center:
		classes = append(classes, "center")
	}
	if name {
		classes = append(classes, "name")
	}
	if c.Merge {
		classes = append(classes, "shared")
	}
	return strings.Join(classes, " ")
}
