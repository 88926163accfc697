package table

import (
	"io"
	"slices"
	"strings"
)

// proseWidth is how wide lines of a Markdown document are; a table has one line a row.
const proseWidth = 120

// markdownDocument appends tables as sections of one document. A note that several tables have
// stands once, below them all.
func markdownDocument(b *strings.Builder, tables []*Table) {
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
		b.WriteString("\n## Of several of these tables\n")
		markdownList(b, shared)
	}
}

// MarkdownList writes items, plain text, as a list of Markdown.
func MarkdownList(w io.Writer, items []string) error {
	var b strings.Builder
	markdownList(&b, items)
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// markdownList appends a list in lines of proseWidth, of which none begins as a block of Markdown.
func markdownList(b *strings.Builder, items []string) {
	if len(items) > 0 {
		b.WriteString("\n")
	}
	for _, item := range items {
		lines := strings.Split(wrap(markdownEscape(Flat(item)), proseWidth-2), "\n")
		for i, line := range lines {
			start := "- "
			if i > 0 {
				start = "  "
				if strings.Contains("#+-=", line[:1]) { // else a heading or a list
					start += "\\"
				}
			}
			b.WriteString(start + line + "\n")
		}
	}
}
