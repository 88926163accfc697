package report

import (
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// ExampleRow is one transferred sentence.
type ExampleRow struct {
	Dataset, From, To string // From and To: names of the styles
	System            string
	Axes              []Axis
	// words with one space between; Masked is table.Absent for a system that masks nothing
	Source, Masked, Output string
}

// Examples shows sentences as the paper does, source, masked and output, in the order given: rows
// of one direction and of one source sentence should stand together. Words of an output that the
// source has not are set apart.
func Examples(rows []ExampleRow, about About) *table.Table {
	several := anyOf(rows, func(r *ExampleRow) bool { return r.Dataset != rows[0].Dataset })
	direction := func(r *ExampleRow) string {
		text := r.From + " to " + r.To
		if several {
			return r.Dataset + ": " + text
		}
		return text
	}
	running := func(c column[ExampleRow], width float64) column[ExampleRow] {
		c.Width = width
		return c
	}
	output := running(left("Output", func(r *ExampleRow) string { return r.Output }), 3.7)
	output.cell = func(r *ExampleRow) table.Cell {
		text := table.Flat(r.Output)
		return table.Cell{Text: text, Stress: Replaced(strings.Fields(table.Flat(r.Source)), strings.Fields(text))}
	}
	s := sheet[ExampleRow]{
		name: "examples", title: "Examples from the test set.",
		legend:  []string{"Set apart in an output: the words that its source has not."},
		dataset: direction, // lines stand between directions
		numbers: []column[ExampleRow]{
			running(merged("Direction", direction), 1.9),
			running(merged("Source", func(r *ExampleRow) string { return r.Source }), 3.7),
			running(left("System", func(r *ExampleRow) string {
				if len(r.Axes) > 0 {
					return r.System + ", " + axesText(r.Axes)
				}
				return r.System
			}), 2.4),
			running(left("Masked", func(r *ExampleRow) string { return r.Masked }), 3.7),
			output,
		},
	}
	return s.table(rows, about.notes()...)
}

// Replaced says of each word of an output whether it was put there: the words that no longest
// common subsequence with the source has, the leftmost one of several.
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
