package metrics

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Lines of a file are probably missing or doubled if at least minShifted lines, and at least
// shiftedShare of all lines, fit the source of the line above or below better.
const (
	minShifted   = 10
	shiftedShare = 0.1
)

// ShiftWarning returns a warning if many texts ("outputs" or "references") fit the source of the
// line above or below much better than their own source, and otherwise "". Then a line is probably
// missing or doubled, which makes all scores against the sources wrong.
func ShiftWarning(texts string, sources, outputs [][]string) string {
	first, shifted := 0, 0
	for i, output := range outputs {
		beside := max(sharedWords(output, lineAt(sources, i-1)), sharedWords(output, lineAt(sources, i+1)))
		if beside < 0.5 || beside < 2*sharedWords(output, lineAt(sources, i)) {
			continue
		}
		if shifted++; shifted == 1 {
			first = i + 1
		}
	}
	if shifted < minShifted || float64(shifted) < shiftedShare*float64(len(outputs)) {
		return ""
	}
	return fmt.Sprintf("%s of the %s fit the source of the line above or below better than their own, first line %d: is "+
		"a line missing or doubled?", wording.Count(shifted, "line"), texts, first)
}

// lineAt returns a line of a text, or nil above its first line and below its last one.
func lineAt(text [][]string, i int) []string {
	if i < 0 || i >= len(text) {
		return nil
	}
	return text[i]
}

// sharedWords returns the share of a text's words, 0 to 1, that also occur in the source. Letter
// case does not matter. For an empty text, the share is 0.
func sharedWords(text, source []string) float64 {
	known := map[string]bool{}
	for _, w := range source {
		known[strings.ToLower(w)] = true
	}
	n := 0
	for _, w := range text {
		if known[strings.ToLower(w)] {
			n++
		}
	}
	return perWord(float64(n), len(text))
}
