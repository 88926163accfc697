// Package habits tells where two texts are written differently: tokenised or cased in another way,
// so that equal words would count as different ones.
package metrics

import (
	"fmt"
	"strings"
)

// How far apart two texts must be to be called differently written. Published outputs of systems
// that rewrite words are far below, and so are people's references but for their punctuation.
const (
	leastEvidence   = 10   // occurrences a side, so that a few sentences prove nothing
	punctuationGap  = 0.5  // difference of the shares of punctuation that is attached
	contractionGap  = 0.75 // share of contractions that are written in another way
	mostlyUpperCase = 2. / 3
	hardlyUpperCase = 0.01
)

// Differ returns a sentence of warning where the outputs look tokenised or cased differently from
// the sources, and "" where they do not. It compares four habits: whether punctuation is attached
// to words ("good.") or apart ("good ."), how contractions are written ("don't", "do n't", "don '
// t", "don t"), whether most sentences have upper case in one and hardly any in the other, and
// whether numbers are digits in one and placeholders ("_num_") in the other. Words compare as they
// are, so such outputs lose in every metric of content.
//
// It is silent unless the difference is plain on both sides: people's references, half of which
// begin in upper case, beside lower-case sources are no reason.
func Differ(sources, outputs [][]string) string {
	s, o := habitsOf(sources), habitsOf(outputs)
	var found []string
	if min(s.punctuation.of(), o.punctuation.of()) >= leastEvidence {
		if gap := s.punctuation.share(attached) - o.punctuation.share(attached); gap >= punctuationGap {
			found = append(found, fmt.Sprintf("punctuation is attached to words in the sources (%q) and apart in the "+
				"outputs (%q)", s.punctuation.example[attached], o.punctuation.example[apart]))
		} else if -gap >= punctuationGap {
			found = append(found, fmt.Sprintf("punctuation is apart from words in the sources (%q) and attached in "+
				"the outputs (%q)", s.punctuation.example[apart], o.punctuation.example[attached]))
		}
	}
	if min(s.contractions.of(), o.contractions.of()) >= leastEvidence &&
		s.contractions.distance(&o.contractions) >= contractionGap {
		found = append(found, fmt.Sprintf("contractions are written as %q in the sources and as %q in the outputs",
			s.contractions.usual(), o.contractions.usual()))
	}
	switch a, b := s.upperCase(), o.upperCase(); {
	case min(s.sentences, o.sentences) < leastEvidence:
	case a >= mostlyUpperCase && b <= hardlyUpperCase:
		found = append(found, "the sources have upper case and the outputs have none")
	case b >= mostlyUpperCase && a <= hardlyUpperCase:
		found = append(found, "the outputs have upper case and the sources have none")
	}
	if min(s.numbers.of(), o.numbers.of()) >= leastEvidence && s.numbers.distance(&o.numbers) == 1 {
		found = append(found, fmt.Sprintf("numbers are written as %q in the sources and as %q in the outputs",
			s.numbers.usual(), o.numbers.usual()))
	}
	if len(found) == 0 {
		return ""
	}
	return "the outputs look tokenised differently from the sources: " + strings.Join(found, "; ") +
		"; equal words then count as different ones, so write both alike"
}
