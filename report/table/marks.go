package table

import "slices"

// PaperRow is the word of rows that hold the paper's values; they are joined to ours.
const PaperRow = "paper"

// The notes on the marks, for formats that show both or the best alone.
const (
	marksNote    = "Bold: the best value of a data set in a column; underlined: the second best."
	bestNote     = "Bold: the best value of a data set in a column."
	captionNote  = "Bold: best of a data set; underlined: second best."
	marksOfPaper = " Values of the rows \"" + PaperRow + "\" are not ranked."
)

// marked says whether a value of t is marked as best or second.
func (t *Table) marked() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Mark != Plain })
	})
}

// joined says whether a row belongs to the one above it.
func (t *Table) joined() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Joined })
}

// said is all that is said of the table without its marks.
func (t *Table) said() []string { return slices.Concat(t.Legend, t.Notes, t.Signatures) }

// notes are the notes for a format that shows marks, underlined ones or not, with what they mean
// where t has any.
func (t *Table) notes(underlined bool) []string {
	if !t.marked() {
		return t.said()
	}
	note := bestNote
	if underlined {
		note = marksNote
	}
	if t.joined() {
		note += marksOfPaper
	}
	return slices.Concat(t.Legend, t.Notes, []string{note}, t.Signatures)
}
