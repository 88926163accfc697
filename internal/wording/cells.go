package wording

import "strings"

// Cell is a text as a cell of a CSV file that people open. A spreadsheet takes what begins with
// = + - or @ for a formula, so an apostrophe stands before it; and before the apostrophes of a text
// that looks escaped already, so that OfCell returns every text.
func Cell(text string) string {
	if looksLikeFormula(text) {
		return "'" + text
	}
	return text
}

// OfCell is the text that Cell was given.
func OfCell(cell string) string {
	if strings.HasPrefix(cell, "'") && looksLikeFormula(cell) {
		return cell[1:]
	}
	return cell
}

// looksLikeFormula says so of a text that begins with such a sign, after blanks, which spreadsheets
// pass over, and after apostrophes of an earlier Cell.
func looksLikeFormula(text string) bool {
	text = strings.TrimLeft(strings.TrimLeft(text, "'"), " \t\r\n")
	return text != "" && strings.ContainsRune("=+-@", rune(text[0]))
}
