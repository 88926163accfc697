package report

import (
	"math"
	"strconv"
	"strings"
)

// compared writes a number with its signed difference to base, both as printed and as precise: "31.0 (+2.3)", "0.20 (=)". Where one is
// Absent there is no difference.
func compared(text, base string) string {
	d, known := change(text, base)
	switch {
	case !known:
		return text
	case strings.Trim(d, "0.") == "":
		return text + " (=)"
	case strings.HasPrefix(d, "-"):
		return text + " (" + d + ")"
	}
	return text + " (+" + d + ")"
}

// change is text less base, with the decimals of text; known is false where one of them is no number. Printed numbers are subtracted, so that a
// reader who does so finds the same.
func change(text, base string) (d string, known bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", false
	}
	b, err := strconv.ParseFloat(base, 64)
	if err != nil {
		return "", false
	}
	_, fraction, _ := strings.Cut(text, ".")
	d = strconv.FormatFloat(math.Abs(v-b), 'f', len(fraction), 64)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(base, ".") {
		d = strings.TrimPrefix(d, "0") // shares are written without the 0
	}
	if v < b && strings.Trim(d, "0.") != "" {
		d = "-" + d
	}
	return d, true
}

// comparedCell is compared as a cell of comparedColumn.
func comparedCell(text, base string) Cell {
	d, _ := change(text, base)
	return Cell{Text: compared(text, base), Parts: []string{text, d}}
}

// comparedColumn makes a column of such cells two fields in CSV.
func comparedColumn(c Column) Column { return c.split("", "difference") }
