package table

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// latexItem is the LaTeX code before each item of a list.
const latexItem = "\\par\\hangindent1em\\noindent "

// latexSection is a section of the appendix. Its text is LaTeX.
type latexSection struct {
	Head  string
	Lines []string
}

// latexAppendix appends the text that LaTeX does not print below each table: column definitions,
// settings, notes and signatures. Text that several tables share appears once. A document includes
// the appendix with \input after \appendix.
func latexAppendix(b *strings.Builder, tables []*Table) {
	label := "app:tables"
	if len(tables) > 0 && tables[0].Study != "" {
		label = "app:" + tables[0].Study
	}
	named := func(said func(*Table) []string) []string { return lists.Map(saidBy(tables, said), latexNamed) }
	signatures := lists.Map(saidBy(tables, func(t *Table) []string { return t.Signatures }), func(s string) string {
		return latexItem + latexNamed(s) + signedIn(tables, s)
	})
	if slices.Sort(signatures); len(signatures) > 0 {
		signatures = slices.Insert(signatures, 0, "Numbers with different signatures must not be compared.")
	}
	latexExecute(b, "appendix", map[string]any{"Label": label, "Sections": []latexSection{
		{"Columns.", named(func(t *Table) []string { return t.Defines })},
		{"Data and settings.", named(func(t *Table) []string { return t.Settings })},
		{"Notes.", latexNotes(tables)},
		{"Signatures.", signatures},
	}})
}

// signedIn returns references to the tables with a signature, if other tables have another
// signature of the same metric, else "".
func signedIn(tables []*Table, signature string) string {
	name, _, _ := strings.Cut(signature, ": ")
	var with []string
	others := false
	for _, t := range tables {
		others = others || slices.ContainsFunc(t.Signatures, func(s string) bool {
			return s != signature && strings.HasPrefix(s, name+": ")
		})
		if slices.Contains(t.Signatures, signature) {
			with = append(with, "\\ref{"+t.label()+"}")
		}
	}
	if !others {
		return ""
	}
	return " Tables: " + strings.Join(with, ", ") + "."
}

// latexNotes returns first the notes that several tables share, then the other notes of each table.
func latexNotes(tables []*Table) []string {
	shared := sharedBy(tables, func(t *Table) []string { return t.Notes })
	notes := lists.Map(shared, latexNamed)
	for _, t := range tables {
		own := lists.Filter(t.Notes, func(n string) bool { return !slices.Contains(shared, n) })
		if own = lists.Map(own, latexNamed); len(own) > 0 {
			own[0] = "Table~\\ref{" + t.label() + "}: " + own[0]
		}
		notes = append(notes, own...)
	}
	return notes
}

// maxName is the maximum length of a name that a note defines. If the text before a colon is
// longer, it is not taken for a name.
const maxName = 40

// latexNamed returns a sentence as LaTeX. If the sentence defines a name, as in "TST%: outputs that
// have the style", the name is in italics.
func latexNamed(s string) string {
	name, text, found := strings.Cut(Flat(s), ": ")
	if !found || utf8.RuneCountInString(name) > maxName {
		return latexProse(Flat(s))
	}
	return "\\textit{" + latexProse(name) + "}: " + latexProse(text)
}

// saidBy calls the function said for each table and returns all sentences, without duplicates.
func saidBy(tables []*Table, said func(*Table) []string) (all []string) {
	for _, t := range tables {
		all = lists.AddOnce(all, said(t)...)
	}
	return all
}

// sharedBy calls the function said for each table and returns the sentences that more than one
// table has, in order of first appearance.
func sharedBy(tables []*Table, said func(*Table) []string) []string {
	count := map[string]int{}
	for _, t := range tables {
		for _, s := range said(t) {
			count[s]++
		}
	}
	return lists.Filter(saidBy(tables, said), func(s string) bool { return count[s] > 1 })
}
