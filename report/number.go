package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// decimals formats v with n decimals; not a number is Absent.
func decimals(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Absent
	}
	s := strconv.FormatFloat(v, 'f', n, 64)
	if strings.Trim(s, "-0.") == "" { // no "-0.0"
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// share formats a share of 0 to 1 the way the prototype's tables do: ".08", "1.00".
func share(v float64) string {
	return strings.TrimPrefix(decimals(v, 2), "0")
}

// thousands formats a count with commas: "107,384".
func thousands(n int) string {
	s := strconv.Itoa(n)
	digits := strings.TrimPrefix(s, "-")
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return s[:len(s)-len(digits)] + b.String()
}

// plain formats a setting without trailing zeros: "0.15", "10".
func plain(v float64) string { return fmt.Sprintf("%g", v) }

// optional formats a value that may be absent.
func optional(v *float64, format func(float64) string) Cell {
	if v == nil {
		return Cell{Text: Absent}
	}
	return Cell{Text: format(*v)}
}

// Numbers of a fixed precision, as optional takes them.
func inOne(v float64) string   { return decimals(v, 1) }
func inTwo(v float64) string   { return decimals(v, 2) }
func inThree(v float64) string { return decimals(v, 3) }
func inFour(v float64) string  { return decimals(v, 4) }
