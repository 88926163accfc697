package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// When outputs are said not to belong to their sources. Those of systems that rewrite words share
// most of what is rare with their source, and human rewrites a third or more.
const (
	hardlyShared  = 0.12 // of the words of an output, weighed, with its own source
	muchShared    = 0.5  // with another source
	otherSources  = 0.2  // share of the outputs that belong to another line from which on it is said
	likeAnyOther  = 1.5  // times what outputs share with any other line
	everyLine     = 0.9  // share of outputs that begin or end with the same word
	fewSources    = 0.1  // share of sources that have this word
	mostCompared  = 500  // outputs, so that no comparison takes seconds
	piecesOfWords = 0.1  // share of outputs that have words in pieces
)

// Warnings returns what makes outputs look as if they could not be compared with the sources line
// for line and word for word, a sentence each: another tokenisation, another order, and what is no
// word.
func Warnings(sources, outputs [][]string) (out []string) {
	for _, warning := range []func(sources, outputs [][]string) string{
		TokenisationWarning, AlignmentWarning, ResidueWarning,
	} {
		if sentence := warning(sources, outputs); sentence != "" {
			out = append(out, sentence)
		}
	}
	return out
}

// ReferenceWarnings is Warnings of human rewrites in the place of outputs.
func ReferenceWarnings(sources, references [][]string) []string {
	out := Warnings(sources, references)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "outputs", "references")
	}
	return out
}

// AlignmentWarning returns a sentence of warning where the outputs seem not to belong line for line
// to the sources, and "" where they do: where they share hardly a word with their own source, or
// more with another line's. Such outputs were written in another order or for another file, and all
// metrics of content compare what does not belong together.
func AlignmentWarning(sources, outputs [][]string) string {
	n := len(sources)
	if n != len(outputs) || n < leastEvidence {
		return ""
	}
	a := newAligner(sources)
	step := (n + mostCompared - 1) / mostCompared
	own, any, lines, elsewhere, first, firstOther := 0.0, 0.0, 0, 0, 0, 0
	shifts := map[int]int{}
	for i := 0; i < n; i += step {
		shared, all := a.shared(outputs[i])
		if all == 0 {
			continue // nothing was written
		}
		lines++
		best, sum := 0, 0.0
		for j, s := range shared {
			if sum += s; s > shared[best] {
				best = j
			}
		}
		own += shared[i] / all
		any += (sum - shared[i]) / all / float64(n-1)
		if shared[best] >= muchShared*all && shared[i] < shared[best]/3 {
			if elsewhere++; elsewhere == 1 {
				first, firstOther = i+1, best+1
			}
			shifts[best-i]++
		}
	}
	if lines < leastEvidence {
		return ""
	}
	own, any = own/float64(lines), any/float64(lines)
	switch {
	case float64(elsewhere) >= otherSources*float64(lines):
		order := ""
		for shift, of := range shifts {
			if 2*of > lines && shift != 0 {
				order = fmt.Sprintf("; most are %s off", wording.Count(max(shift, -shift), "line"))
			}
		}
		return fmt.Sprintf("of %d outputs, %d share almost no word with their own source but many with that "+
			"of another line (line %d with source line %d%s): line i of one must belong to line i of the "+
			"other, so write the outputs in the order of the sources", lines, elsewhere, first, firstOther, order)
	case own < hardlyShared && own < max(likeAnyOther*any, hardlyShared/4):
		return fmt.Sprintf("the outputs share almost no word with their own sources (%.0f %% of their words, "+
			"weighted by rarity), no more than with any other line: check that they belong to these sources "+
			"and to this direction", 100*own)
	}
	return ""
}

// aligner weighs the words of the sources by how rare they are.
type aligner struct {
	lines  map[string][]int // in which each word is, once
	n      int
	shares []float64
}

func newAligner(sources [][]string) *aligner {
	a := &aligner{lines: map[string][]int{}, n: len(sources), shares: make([]float64, len(sources))}
	for i, words := range sources {
		for _, w := range words {
			w = bareWord(w)
			if in := a.lines[w]; w != "" && (len(in) == 0 || in[len(in)-1] != i) {
				a.lines[w] = append(in, i)
			}
		}
	}
	return a
}

// shared returns the weight of the words that a sentence has in common with each source, until the
// next call, and that of all its words.
func (a *aligner) shared(sentence []string) (with []float64, all float64) {
	clear(a.shares)
	seen := map[string]bool{}
	for _, w := range sentence {
		if w = bareWord(w); w == "" || seen[w] {
			continue
		}
		seen[w] = true
		in := a.lines[w]
		weight := math.Log(float64(a.n+1) / float64(len(in)+1))
		all += weight
		for _, i := range in {
			a.shares[i] += weight
		}
	}
	return a.shares, all
}

// bareWord is a word without case and the punctuation that is attached to it, which people write in
// references; "" where nothing is left.
func bareWord(w string) string {
	return strings.ToLower(strings.Trim(w, marks+`"'()`))
}

// ResidueWarning returns a sentence of warning where outputs have what a model or a script left in
// them, and "" where they have nothing of it: the same first or last word in nearly every line, or
// the line's number, that no source has, and words in pieces ("@@", "##", "▁").
func ResidueWarning(sources, outputs [][]string) string {
	var found []string
	firstWord := func(words []string) string { return words[0] }
	lastWord := func(words []string) string { return words[len(words)-1] }
	for _, of := range []struct {
		verb string
		word func([]string) string
	}{{"begin", firstWord}, {"end", lastWord}} {
		w, n, lines := commonEdge(outputs, of.word)
		has := func(words []string) bool { return slices.Contains(words, w) }
		if lines >= leastEvidence && float64(n) >= everyLine*float64(lines) && !repeated(outputs) &&
			float64(count(sources, has)) <= fewSources*float64(len(sources)) {
			found = append(found, fmt.Sprintf("%d of %d lines %s with %q, which almost no source does", n, lines, of.verb, w))
		}
	}
	if numbered(outputs) && !numbered(sources) {
		found = append(found, "every line begins with its number")
	}
	for _, piece := range []struct {
		sign string
		is   func(w string) bool
	}{
		{"@@", func(w string) bool { return len(w) > 2 && strings.HasSuffix(w, "@@") }},
		{"##", func(w string) bool { return len(w) > 2 && strings.HasPrefix(w, "##") }},
		{"▁", func(w string) bool { return strings.HasPrefix(w, "▁") }},
		{"Ġ", func(w string) bool { return strings.HasPrefix(w, "Ġ") }},
	} {
		has := func(words []string) bool { return slices.ContainsFunc(words, piece.is) }
		n := count(outputs, has)
		if n >= leastEvidence && float64(n) >= piecesOfWords*float64(len(outputs)) && count(sources, has) == 0 {
			i := slices.IndexFunc(outputs, has)
			found = append(found, fmt.Sprintf("%d of %d lines contain words cut into pieces, marked %s (%q)", n, len(outputs), piece.sign,
				outputs[i][slices.IndexFunc(outputs[i], piece.is)]))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "the outputs seem to contain something that is not part of their text: " + strings.Join(found, "; ") +
		"; it counts in every metric, so remove it"
}

func count(sentences [][]string, is func([]string) bool) (n int) {
	for _, words := range sentences {
		if is(words) {
			n++
		}
	}
	return n
}

// commonEdge returns the most frequent of one word of each sentence, in how many it is, and how
// many there are that have words.
func commonEdge(sentences [][]string, word func([]string) string) (most string, n, all int) {
	counts := map[string]int{}
	for _, words := range sentences {
		if len(words) == 0 {
			continue
		}
		all++
		w := word(words)
		if counts[w]++; counts[w] > n {
			most, n = w, counts[w]
		}
	}
	return most, n, all
}

// repeated tells whether fewer than half of the sentences are different.
func repeated(sentences [][]string) bool {
	different := map[string]bool{}
	for _, words := range sentences {
		different[strings.Join(words, " ")] = true
	}
	return 2*len(different) < len(sentences)
}

// numbered tells whether nearly every sentence begins with its number, from whichever on.
func numbered(sentences [][]string) bool {
	from := map[int]int{}
	for i, words := range sentences {
		if len(words) == 0 {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimRight(words[0], ".:)")); err == nil {
			from[n-i]++
		}
	}
	for _, n := range from {
		if n >= leastEvidence && float64(n) >= everyLine*float64(len(sentences)) {
			return true
		}
	}
	return false
}
