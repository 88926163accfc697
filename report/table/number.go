package table

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Decimals formats v with n decimals. NaN and infinity become Absent.
func Decimals(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Absent
	}
	s := strconv.FormatFloat(v, 'f', n, 64)
	if strings.Trim(s, "-0.") == "" { // print "0.0", not "-0.0"
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Exact returns v as text with all its digits, for programs. NaN and infinity become Absent.
func Exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Absent
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Percent formats a share from 0 to 1 in percent with one decimal, as in all tables: "8.0".
func Percent(share float64) string { return Decimals(100*share, 1) }

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

// Span returns the range of some counts, "906-1,208", or a single number if they are all equal.
func Span(n []int) string {
	least, most := Thousands(slices.Min(n)), Thousands(slices.Max(n))
	if least == most {
		return least
	}
	return least + "-" + most
}

// Short returns the value of a setting as text without trailing zeros: "0.15", "10".
func Short(v float64) string { return fmt.Sprintf("%g", v) }

// Count returns a count as text, as Thousands does, but returns Absent for 0.
func Count(n int) string {
	if n == 0 {
		return Absent
	}
	return Thousands(n)
}

// MinusText returns a minus b for two printed numbers, or Absent if either is not a number.
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

// Minus subtracts the paper's value from the number at the beginning of our printed value. The
// result has as many decimals as our number. If our value does not begin with a number, the result
// is "".
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

// The expression minus matches a hyphen that is the sign of a number, including numbers in
// intervals and differences.
var minus = regexp.MustCompile(`(^|[[( ])-([0-9.])`)

// Minuses replaces each hyphen that is the sign of a number by a minus sign.
func Minuses(s string) string { return minus.ReplaceAllString(s, "$1−$2") }
