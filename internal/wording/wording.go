// Package wording formats the parts of messages: counts, durations, sizes, quoted text, and
// suggestions of similar names. So all commands word them in the same way.
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

// few is the most names that a sentence lists besides a suggestion.
const few = 8

// Suggest returns a hint for an unknown name: the sentence otherwise, which lists the known names,
// and a question that suggests the nearest one. It is only the question if known has one name, or
// more than few, and only otherwise if no name is near.
func Suggest[T ~string](name T, known []T, otherwise string) string {
	n := Nearest(name, known)
	switch {
	case n == "":
		return otherwise
	case otherwise == "" || len(known) == 1 || len(known) > few:
		return fmt.Sprintf("did you mean %q?", n)
	}
	return fmt.Sprintf("%s; did you mean %q?", otherwise, n)
}

// DidYouMean returns Suggest's question after a comma, or "" if no name is near.
func DidYouMean[T ~string](name T, known []T) string {
	if ask := Suggest(name, known, ""); ask != "" {
		return ", " + ask
	}
	return ""
}

// Count returns a number of things: "1 stage", "2 stages".
func Count(n int, what string) string { return fmt.Sprintf("%d %s", n, Plural(n, what)) }

// Plural returns the word for n things without the number: "stage", "stages".
func Plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// Counts counts equal names, in order of first occurrence: "2 score, 1 published".
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

// OfThe words n of all things, with the verb: "the only point is", "1 of the 4 points is", "3 of
// the 4 points are".
func OfThe(n, all int, what string) string {
	switch {
	case all == 1:
		return "the only " + what + " is"
	case n == 1:
		return fmt.Sprintf("1 of the %d %ss is", all, what)
	}
	return fmt.Sprintf("%d of the %d %ss are", n, all, what)
}

// FirstLine returns a text up to its first line break.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// Quoted quotes foreign text for an error message, at most 60 bytes of it.
func Quoted(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "..."
	}
	return strconv.Quote(s)
}

// Clip cuts a text of more than n characters, ending it with an ellipsis.
func Clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// ShortSeconds is Short for a number of seconds.
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
