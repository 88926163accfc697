// Package wording formats the parts of messages, such as counts, durations, sizes, quoted text, and
// suggestions of similar names, so that all commands word them in the same way.
package wording

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Choice lists names to choose from: "a", "b" or "c".
func Choice[T ~string](names []T) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = fmt.Sprintf("%q", n)
	}
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	return strings.Join(q[:len(q)-1], ", ") + " or " + q[len(q)-1]
}

// fewNames is the maximum number of known names that Suggest lists before its question.
const fewNames = 8

// Suggest returns a hint for an unknown name. The hint is fallback, a sentence that lists the known
// names, followed by a question that suggests the nearest name. With only one known name, or with
// more than fewNames, the hint is only the question. If no name is near, the hint is only fallback.
func Suggest[T ~string](name T, known []T, fallback string) string {
	n := Nearest(name, known)
	switch {
	case n == "":
		return fallback
	case fallback == "" || len(known) == 1 || len(known) > fewNames:
		return fmt.Sprintf("did you mean %q?", n)
	}
	return fmt.Sprintf("%s; did you mean %q?", fallback, n)
}

// DidYouMean returns Suggest's question after a comma and a space, or "" if no name is near.
func DidYouMean[T ~string](name T, known []T) string {
	if question := Suggest(name, known, ""); question != "" {
		return ", " + question
	}
	return ""
}

// Count returns a number and the noun in singular or plural: "1 stage", "2 stages".
func Count(n int, noun string) string { return fmt.Sprintf("%d %s", n, Plural(n, noun)) }

// Plural returns the noun in the form that fits n, without the number: "stage", "stages".
func Plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Counts says how often each name occurs, in order of first occurrence: "2 score, 1 published".
func Counts[T ~string](names []T) string {
	counted := map[T]int{}
	for _, name := range names {
		counted[name]++
	}
	var words []string
	for _, name := range names {
		if n := counted[name]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, name))
			counted[name] = 0
		}
	}
	return strings.Join(words, ", ")
}

// SomeOfThe returns the subject and verb of a sentence about n of total things, such as "the only
// point is", "1 of the 4 points is" or "3 of the 4 points are".
func SomeOfThe(n, total int, noun string) string {
	switch {
	case total == 1:
		return "the only " + noun + " is"
	case n == 1:
		return fmt.Sprintf("1 of the %d %ss is", total, noun)
	}
	return fmt.Sprintf("%d of the %d %ss are", n, total, noun)
}

// FirstLine returns a text up to its first line break.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// Quoted quotes text from outside for an error message. It keeps at most 60 bytes.
func Quoted(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "..."
	}
	return strconv.Quote(s)
}

// Clip shortens a text of more than n characters to n characters. The last character is then an
// ellipsis.
func Clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// ShortSeconds formats a number of seconds in the same way as Short.
func ShortSeconds(n float64) string { return Short(time.Duration(n * float64(time.Second))) }

// Short formats a duration to the precision that matters: 3.2s, 42s, 2m05s, 1h02m.
func Short(d time.Duration) string {
	if tenths := d.Round(100 * time.Millisecond); tenths < 10*time.Second {
		return fmt.Sprintf("%.1fs", tenths.Seconds())
	}
	s := int(d.Round(time.Second).Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
}

// Bytes formats a size to the precision that matters, in powers of 1000: 512 B, 3.2 kB, 412 MB.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	size := float64(n)
	for _, unit := range []string{"kB", "MB", "GB"} {
		switch size /= 1000; {
		case size < 9.95:
			return fmt.Sprintf("%.1f %s", size, unit)
		case size < 999.5:
			return fmt.Sprintf("%.0f %s", size, unit)
		}
	}
	return fmt.Sprintf("%.1f TB", size/1000)
}

// OneLine replaces each run of white space by one space and trims the ends.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// NoNumbers returns the message of a model whose weights are finite but give results that are NaN
// or infinite. The results are named in the plural.
func NoNumbers(results string) string {
	return results + " are not numbers: its weights are damaged or far too large; train it again, or get the pack again"
}
