package table

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// htmlInto appends t as a fragment for any page: a <figure class="table" id="tab-NAME"> with a
// table, its caption and a list of notes. It has no styles. A page may style the classes "right"
// and "center" (alignment of a column), "running" (running text), "rule" (a row below a line),
// "name" (the column that names the rows), "shared" (a label that several rows share) and "notes"
// (the list). The best value of a column is <strong>, the second-best <u>. All text is escaped.
func (t *Table) htmlInto(b *strings.Builder) {
	b.WriteString("<figure class=\"table\" id=\"tab-" + html.EscapeString(Flat(t.Name)) + "\">\n")
	b.WriteString("<table>\n<caption>" + html.EscapeString(Flat(t.Title)) + "</caption>\n<thead>\n<tr>")
	name := t.nameColumn()
	for j, c := range t.Columns {
		lines := strings.Split(c.Head, "\n")
		for i := range lines {
			lines[i] = html.EscapeString(clean(lines[i]))
		}
		b.WriteString("<th scope=\"col\"" + c.htmlClass(j == name) + ">" + strings.Join(lines, "<br>") + "</th>")
	}
	b.WriteString("</tr>\n</thead>\n<tbody>\n")
	cells := t.merged()
	for i, r := range t.Rows {
		b.WriteString("<tr")
		if r.Rule && i > 0 {
			b.WriteString(" class=\"rule\"")
		}
		b.WriteString(">")
		for j, c := range cells[i] {
			shared := t.Columns[j].Merge
			if shared && t.repeats(i, j) {
				continue // the cell above spans this row
			}
			if t.Columns[j].Align == Right {
				c.Text = Minuses(c.Text)
			}
			text := c.stressed(c.Text, html.EscapeString, "<b>", "</b>")
			tag, attributes := "td", t.Columns[j].htmlClass(j == name)
			if j == name {
				tag, attributes = "th", ` scope="row"`+attributes
			}
			if shared {
				if attributes += t.htmlSpan(i, j); strings.Contains(attributes, "rowspan") {
					attributes = strings.Replace(attributes, `scope="row"`, `scope="rowgroup"`, 1)
				}
			}
			b.WriteString("<" + tag + attributes + ">" + htmlMarked(text, c.Mark) + htmlSign(c.Sign) + "</" + tag + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	if notes := t.notes(true); len(notes) > 0 {
		b.WriteString("<ul class=\"notes\">\n")
		for _, n := range notes {
			b.WriteString("<li>" + html.EscapeString(Flat(n)) + "</li>\n")
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("</figure>\n")
}

// nameColumn returns the column that names the rows: the first one without Merge, or the one before
// it if any row is empty there. If all columns have Merge, it is the first.
func (t *Table) nameColumn() int {
	j := max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Merge }))
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[j].Text == "" }) {
		return max(0, j-1)
	}
	return j
}

// htmlSpan returns the rowspan attribute of a label, "" if it covers only one row.
func (t *Table) htmlSpan(row, column int) string {
	n := 1
	for row+n < len(t.Rows) && t.repeats(row+n, column) {
		n++
	}
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(` rowspan="%d"`, n)
}

// htmlClass returns the class attribute for the cells of a column, or "" if they need none.
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
	if classes == nil {
		return ""
	}
	return ` class="` + strings.Join(classes, " ") + `"`
}

// htmlMarked wraps escaped text in the tags of a mark.
func htmlMarked(text string, m Mark) string {
	switch m {
	case Best:
		return "<strong>" + text + "</strong>"
	case Second:
		return "<u>" + text + "</u>"
	}
	return text
}

// htmlSign returns a sign as a superscript.
func htmlSign(sign string) string {
	if sign == "" {
		return ""
	}
	return "<sup>" + html.EscapeString(sign) + "</sup>"
}
