package report

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// ExampleRow is one transferred sentence.
type ExampleRow struct {
	Dataset, From, To string // From and To: names of the styles
	System            string
	Axes              []Axis
	// words separated by single spaces; Masked is table.Absent for a system that masks nothing
	Source, Masked, Output string
}

// Names of the rows above those of the systems.
const (
	sourceRow = "source"
	maskedRow = "masked"
)

// exampleLine is a line of the table: text that the systems share, or the output of one system.
type exampleLine struct {
	*ExampleRow
	name, text string
	first      bool // the first line of a sentence
	shared     bool
}

// Examples shows sentences as the paper does: the source and the masked text once, and below them
// the output of each system. Rows with the same direction and source must be adjacent to be
// grouped. Output words that the source lacks are highlighted.
func Examples(rows []ExampleRow, about About) *table.Table {
	several := anyOf(rows, func(r *ExampleRow) bool { return r.Dataset != rows[0].Dataset })
	direction := func(l *exampleLine) string {
		text := l.From + " to " + l.To
		if several {
			return l.Dataset + ": " + text
		}
		return text
	}
	running := func(c column[exampleLine], width float64) column[exampleLine] {
		c.Width = width
		return c
	}
	sentence := running(left("Sentence", func(l *exampleLine) string { return l.text }), 11)
	sentence.Parts = []string{"Source", "Masked", "Output"}
	sentence.cell = func(l *exampleLine) table.Cell {
		c := table.Cell{Text: table.Flat(l.text)}
		if !l.shared {
			c.Parts = []string{l.Source, l.Masked, l.Output}
			c.Stress = Replaced(strings.Fields(table.Flat(l.Source)), strings.Fields(c.Text))
		}
		return c
	}
	title, lines := "Example outputs", exampleLines(rows)
	if len(rows) > 0 && !several {
		title += " for sentences of the " + rows[0].Dataset + " test set"
	}
	s := sheet[exampleLine]{
		name: "examples", title: title + ".", about: about,
		legend:  []string{"Words that the source does not have are set apart."},
		dataset: direction, // draws lines between directions
		labels: []column[exampleLine]{
			running(merged("Direction", direction), 2),
			running(left(systemHead, func(l *exampleLine) string { return l.name }), 3),
		},
		numbers: []column[exampleLine]{sentence},
	}
	t := s.table(lines)
	for i := range lines {
		t.Rows[i].Shared, t.Rows[i].Joined = lines[i].shared, !lines[i].first
	}
	return t
}

// exampleLines puts the text that systems share above their outputs: the source, then each masked
// text, with the names of its systems if there are several masked texts.
func exampleLines(rows []ExampleRow) (lines []exampleLine) {
	name := func(r *ExampleRow) string {
		if len(r.Axes) > 0 {
			return r.System + ", " + axesText(r.Axes)
		}
		return r.System
	}
	for i := 0; i < len(rows); {
		r, end := &rows[i], i
		same := func(o *ExampleRow) bool {
			return o.Dataset == r.Dataset && o.From == r.From && o.To == r.To && o.Source == r.Source
		}
		var masked []string
		of := map[string][]string{}
		for ; end < len(rows) && same(&rows[end]); end++ {
			if text := rows[end].Masked; text != table.Absent {
				masked = lists.AddOnce(masked, text)
				of[text] = append(of[text], name(&rows[end]))
			}
		}
		lines = append(lines, exampleLine{ExampleRow: r, name: sourceRow, text: r.Source, first: true, shared: true})
		for _, text := range masked {
			line := exampleLine{ExampleRow: r, name: maskedRow, text: text, shared: true}
			if len(masked) > 1 {
				line.name += " for " + strings.Join(of[text], ", ")
			}
			lines = append(lines, line)
		}
		for ; i < end; i++ {
			lines = append(lines, exampleLine{ExampleRow: &rows[i], name: name(&rows[i]), text: rows[i].Output})
		}
	}
	return lines
}

// Replaced reports for each output word whether it is new, which means outside the longest common
// subsequence with the source. If there are several such subsequences, it uses the leftmost.
func Replaced(source, output []string) []bool {
	longest := corpus.LongestCommon(source, output)
	put := make([]bool, len(output))
	for i, j := 0, 0; j < len(output); {
		switch {
		case i < len(source) && source[i] == output[j]:
			i, j = i+1, j+1
		case i < len(source) && longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			put[j] = true
			j++
		}
	}
	return put
}
