package table

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// htmlInto appends t as a fragment for any page: a <figure class="table" id="tab-NAME"> of a
// caption, a table and a list of notes. Nothing in it is styled; a page may style the classes:
// "right" and "center" (how the cells of a column stand), "running" (running text), "rule" (a row
// below a line), "name" (the column that names the rows), "shared" (a label beside the rows that
// share it), "notes" (the list). The best value of a column is <strong>, the second-best <u>. Every
// text is escaped.
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
				continue // the cell above spans this row, so that its label wraps beside all of them
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

// nameColumn is the column that names the rows: the first that is not left empty below an equal
// value, which is the data set's; or, where some row has nothing there, the one before. Else it is
// the first.
func (t *Table) nameColumn() int {
	j := max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Merge }))
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[j].Text == "" }) {
		return max(0, j-1)
	}
	return j
}

// htmlSpan is the rowspan attribute of a label, "" where it stands beside its own row alone.
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

// htmlClass is the class attribute of a column's cells, "" where they stand to the left.
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

// htmlMarked sets a mark around escaped text.
func htmlMarked(text string, m Mark) string {
	switch m {
	case Best:
		return "<strong>" + text + "</strong>"
	case Second:
		return "<u>" + text + "</u>"
	}
	return text
}

// htmlSign raises a sign.
func htmlSign(sign string) string {
	if sign == "" {
		return ""
	}
	return "<sup>" + html.EscapeString(sign) + "</sup>"
}
