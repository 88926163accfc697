package table

import (
	"math"
	"strconv"
	"strings"
)

// compared writes a number with its signed difference to base, both as printed and as precise:
// "31.0 (+2.3)", "0.20 (=)". Where one is Absent there is no difference.
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

// change is text less base, with the decimals of text; known is false where one of them is no
// number. Printed numbers are subtracted, so that a reader who does so finds the same.
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

// ComparedCell is compared, and of two fields in CSV: the number and the difference.
func ComparedCell(text, base string) Cell {
	d, _ := change(text, base)
	return Cell{Text: compared(text, base), Parts: []string{text, d}}
}

// MinusText subtracts b from a, two numbers as printed; Absent where either is.
func MinusText(a, b string) string {
	v, err := strconv.ParseFloat(b, 64)
	if err != nil {
		return Absent
	}
	if text := Minus(a, v); text != "" {
		return text
	}
	return Absent
}

// Minus subtracts the paper's value from the number that ours begins with, with as many decimals as
// ours; "" where ours is Absent.
func Minus(ours string, paper float64) string {
	number := leading(ours)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return ""
	}
	_, fraction, _ := strings.Cut(number, ".")
	if d := v - paper; len(fraction) == 0 && d == float64(int(d)) {
		text := Thousands(int(d))
		if d > 0 {
			return "+" + text
		}
		return text
	}
	text := Decimals(v-paper, len(fraction))
	if !strings.HasPrefix(text, "-") && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}
