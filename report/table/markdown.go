package table

import (
	"slices"
	"strings"
	"unicode"
)

// proseWidth is the maximum line width of text in a Markdown document. It does not apply to table
// rows, which are one line each.
const proseWidth = 120

// markdownAll appends tables as sections of one document. Each section has a heading, a GitHub
// table and a list of notes. Notes that several tables share are printed once, at the end. A
// Markdown table cannot have lines between rows, so these lines are left out.
func markdownAll(b *strings.Builder, tables []*Table) {
	notes := (*Table).notes
	shared := sharedBy(tables, notes)
	for i, t := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("## " + markdownEscape(Flat(t.Title)) + "\n\n" + t.markdown() + "\n")
		markdownList(b, slices.DeleteFunc(notes(t), func(n string) bool { return slices.Contains(shared, n) }))
	}
	if len(shared) > 0 {
		b.WriteString("\n## Notes on several of these tables\n")
		markdownList(b, shared)
	}
}

// markdown renders the heads and rows as a GitHub table.
func (t *Table) markdown() string {
	return t.writer(
		func(head string) string { return markdownEscape(Flat(head)) },
		func(c Cell) string {
			text := c.stressed(c.Text, markdownEscape, "**", "**")
			if c.Best {
				text = "**" + text + "**"
			}
			return text + markdownEscape(c.Sign)
		},
	).RenderMarkdown()
}

// markdownEscape escapes s for a cell, a heading or a list item. Otherwise "<mask>" would be taken
// for an HTML tag and vanish. It does not escape "|", because go-pretty escapes "|" in cells. An
// underscore inside a word ("lambda_eps") has no meaning in Markdown and stays.
func markdownEscape(s string) string {
	runes := []rune(s)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		switch {
		case strings.ContainsRune("\\<>*`[]~", r),
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

// markdownList appends a list whose lines have at most proseWidth characters. It escapes lines that
// would otherwise start a heading or another list.
func markdownList(b *strings.Builder, items []string) {
	if len(items) > 0 {
		b.WriteString("\n")
	}
	for _, item := range items {
		lines := strings.Split(wrap(markdownEscape(Flat(item)), proseWidth-2), "\n")
		b.WriteString("- " + lines[0] + "\n")
		for _, line := range lines[1:] {
			if strings.Contains("#+-=", line[:1]) {
				line = "\\" + line
			}
			b.WriteString("  " + line + "\n")
		}
	}
}
