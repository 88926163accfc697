package wording

import "strings"

// Cell returns text for a cell of a CSV file that people open in a spreadsheet. Spreadsheets
// interpret text that begins with =, +, - or @ as a formula, so Cell puts an apostrophe before such
// text. Text that looks as if Cell had escaped it gets another apostrophe, so that OfCell can
// restore every text.
func Cell(text string) string {
	if looksLikeFormula(text) {
		return "'" + text
	}
	return text
}

// OfCell returns the text that was passed to Cell.
func OfCell(cell string) string {
	if strings.HasPrefix(cell, "'") && looksLikeFormula(cell) {
		return cell[1:]
	}
	return cell
}

// looksLikeFormula reports whether text begins with =, +, - or @. It first skips leading
// apostrophes, because Cell may have added them, and then blanks, because spreadsheets ignore them.
func looksLikeFormula(text string) bool {
	text = strings.TrimLeft(strings.TrimLeft(text, "'"), " \t\r\n")
	return text != "" && strings.ContainsRune("=+-@", rune(text[0]))
}
