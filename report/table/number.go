package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Decimals formats v with n decimals; not a number is Absent.
func Decimals(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Absent
	}
	s := strconv.FormatFloat(v, 'f', n, 64)
	if strings.Trim(s, "-0.") == "" { // no "-0.0"
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Share formats a share of 0 to 1 the way the prototype's tables do: ".08", "1.00".
func Share(v float64) string {
	return strings.TrimPrefix(Decimals(v, 2), "0")
}

// Thousands formats a count with commas: "107,384".
func Thousands(n int) string {
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

// Short formats a setting without trailing zeros: "0.15", "10".
func Short(v float64) string { return fmt.Sprintf("%g", v) }

// Count is Thousands of what is there, else Absent.
func Count(n int) string {
	if n == 0 {
		return Absent
	}
	return Thousands(n)
}

// Number is the cell of a value with n decimals, Absent where v is nil.
func Number(v *float64, n int) Cell {
	if v == nil {
		return Cell{Text: Absent}
	}
	return Cell{Text: Decimals(*v, n)}
}
