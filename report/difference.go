package report

import (
	"math"
	"strconv"
	"strings"
)

// compared writes a number with its signed difference to base, both as printed and as precise: "31.0 (+2.3)", "0.20 (=)". Printed
// numbers are subtracted, so that a reader who does so finds the same. Where one is Absent there is no difference.
func compared(text, base string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	b, err := strconv.ParseFloat(base, 64)
	if err != nil {
		return text
	}
	_, fraction, _ := strings.Cut(text, ".")
	d := strconv.FormatFloat(math.Abs(v-b), 'f', len(fraction), 64)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(base, ".") {
		d = strings.TrimPrefix(d, "0") // shares are written without the 0
	}
	switch {
	case strings.Trim(d, "0.") == "":
		return text + " (=)"
	case v > b:
		return text + " (+" + d + ")"
	}
	return text + " (-" + d + ")"
}
