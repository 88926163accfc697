package table

import "slices"

// PaperRow is the word of rows that hold the paper's values; they are joined to ours.
const PaperRow = "paper"

// The notes on the marks, for formats that show both or the best alone.
const (
	marksNote    = "Bold: the best value of a data set in a column; underlined: the second best."
	bestNote     = "Bold: the best value of a data set in a column."
	marksOfPaper = " Values of the rows \"" + PaperRow + "\" are not ranked."
)

// notes are the notes for a format that shows marks, underlined ones or not, with what they mean
// where t has any.
func (t *Table) notes(underlined bool) []string {
	if !slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Mark != Plain })
	}) {
		return t.Notes
	}
	note := bestNote
	if underlined {
		note = marksNote
	}
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Joined }) {
		note += marksOfPaper
	}
	return append(slices.Clone(t.Notes), note)
}
