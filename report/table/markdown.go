package table

import (
	"io"
	"slices"
	"strings"
	"unicode"
)

// proseWidth is the maximum line width of text in a Markdown document. Tables have one line per
// row.
const proseWidth = 120

// markdownAll appends tables as sections of one document: GitHub tables under headings, with the
// notes as lists. Notes that several tables share are printed once, at the end. Lines between rows
// are left out, because Markdown has none.
func markdownAll(b *strings.Builder, tables []*Table) {
	notes := func(t *Table) []string { return t.notes(false) }
	shared := sharedBy(tables, notes)
	for i, t := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("## " + markdownEscape(Flat(t.Title)) + "\n\n")
		t.markdownRows(b)
		markdownList(b, slices.DeleteFunc(notes(t), func(n string) bool { return slices.Contains(shared, n) }))
	}
	if len(shared) > 0 {
		b.WriteString("\n## Notes on several of these tables\n")
		markdownList(b, shared)
	}
}

// markdownRows appends heads and rows.
func (t *Table) markdownRows(b *strings.Builder) {
	b.WriteString("|")
	for _, c := range t.Columns {
		b.WriteString(" " + markdownEscape(Flat(c.Head)) + " |")
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		switch {
		case c.Width > 0 || c.Align == Left:
			b.WriteString(" --- |")
		case c.Align == Right:
			b.WriteString(" ---: |")
		default:
			b.WriteString(" :---: |")
		}
	}
	b.WriteString("\n")
	for _, cells := range t.merged() {
		b.WriteString("|")
		for _, c := range cells {
			text := c.stressed(c.Text, markdownEscape, "**", "**")
			if c.Mark == Best {
				text = "**" + text + "**"
			}
			b.WriteString(" " + text + markdownEscape(c.Sign) + " |")
		}
		b.WriteString("\n")
	}
}

// markdownEscape escapes s for a cell, a heading or a list item. Otherwise, "<mask>" would be taken
// for an HTML tag and vanish. An underscore inside a word ("lambda_eps") has no meaning and stays.
func markdownEscape(s string) string {
	runes := []rune(s)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		switch {
		case strings.ContainsRune("\\|<>*`[]~", r),
			r == '_' && !(word(i-1) && word(i+1)),
			r == '&' && i+1 < len(runes) && (word(i+1) || runes[i+1] == '#'),
			strings.ContainsRune("#+-", r) && i == 0 && i+1 < len(runes) && runes[i+1] == ' ',
			r == '#' && i == 0:
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// MarkdownList writes plain text items as a Markdown list.
func MarkdownList(w io.Writer, items []string) error {
	var b strings.Builder
	markdownList(&b, items)
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// markdownList appends a list in lines of at most proseWidth. It escapes lines that would start a
// heading or another list.
func markdownList(b *strings.Builder, items []string) {
	if len(items) > 0 {
		b.WriteString("\n")
	}
	for _, item := range items {
		lines := strings.Split(wrap(markdownEscape(Flat(item)), proseWidth-2, false), "\n")
		for i, line := range lines {
			start := "- "
			if i > 0 {
				start = "  "
				if strings.Contains("#+-=", line[:1]) { // otherwise a heading or a list
					start += "\\"
				}
			}
			b.WriteString(start + line + "\n")
		}
	}
}
