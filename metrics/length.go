package metrics

import (
	"fmt"
)

// What a system does to the length of sentences. It may win by deleting what is hard to rewrite,
// since judges of style ask for no more than a short verdict; but right edits delete words too. So
// no table ranks by these, and Shortened is the rule for who deletes too much.
var (
	lengthRatio = &Metric{
		Key: "length_ratio", Head: "length\nratio", Decimals: 2, Group: GroupFluency, pooled: true,
		Note:      "length ratio: words in the outputs, divided by words in their sources.",
		signature: constant("length_ratio|of:output-words/source-words|tok:whitespace|level:micro|version:1"),
		needs:     []string{"s_bleu"},
		total: func(t *totals) float64 {
			c := countsOf(t.of("s_bleu")) // the one reference of an output is its source
			return perWord(float64(c.Words), c.ReferenceWords)
		},
	}
	deletedShare = editedShare("deleted", "source words without a counterpart in the output", "source-words",
		func(e edits) int { return e.Deleted }, func(c bleuCounts) int { return c.ReferenceWords })
	insertedShare = editedShare("inserted", "output words without a counterpart in the source", "output-words",
		func(e edits) int { return e.Inserted }, func(c bleuCounts) int { return c.Words })
	halvedShare = lengthShare("halved", "with at most half as many words as their source", "words<=source-words/2",
		func(source, output int) bool { return source > 0 && 2*output <= source })
	shortShare = lengthShare("short", "of at most two words whose source has more", "words<=2<source-words",
		func(source, output int) bool { return output <= shortWords && shortWords < source })
)

// shortWords are the most words of a short output.
const shortWords = 2

// editedShare fills in the share of the words, of sources or of outputs, that an edit made.
func editedShare(key, what, words string, made func(edits) int, of func(bleuCounts) int) *Metric {
	return &Metric{
		Key: key + "_share", Head: "words\n" + key + " %", Share: true, Decimals: 1, Group: GroupContent, Place: 1, pooled: true,
		Note: fmt.Sprintf("words %s %%: %s.", key, what),
		signature: constant(fmt.Sprintf("%s_share|of:%s|align:most-common-words,then-most-exchanged|tok:whitespace|"+
			"case:as-is|level:micro|version:1", key, words)),
		records: []record{{key, wholeType, func(m *measured) [][]float64 {
			counts := make([]int, len(m.output))
			var space []int64
			for i := range m.output {
				var e edits
				e, space = editsOf(m.source[0][i].IDs, m.output[i].IDs, space)
				counts[i] = made(e)
			}
			return single(floats(counts))
		}}},
		needs: []string{key, "s_bleu"},
		total: func(t *totals) float64 { return perWord(t.sum(key), of(countsOf(t.of("s_bleu")))) },
		wrong: wrongEdits,
	}
}

// lengthShare fills in the share of the outputs whose number of words is so beside its source's.
func lengthShare(key, what, rule string, is func(source, output int) bool) *Metric {
	return &Metric{
		Key: key + "_share", Head: key + "\n%", Share: true, Decimals: 1, Group: GroupContent, Place: 1, pooled: true,
		Note:      fmt.Sprintf("%s %%: outputs %s.", key, what),
		signature: constant(fmt.Sprintf("%s_share|of:outputs|%s|tok:whitespace|level:micro|version:1", key, rule)),
		records: []record{
			flag(key, func(source, output []string) bool { return is(len(source), len(output)) }),
		},
		needs: []string{key},
		total: meanOf(key),
	}
}

// perWord is 0 of no words.
func perWord(n float64, words int) float64 { return n / float64(max(1, words)) }

// edits are how an output came from its source, in words.
type edits struct{ Common, Exchanged, Deleted, Inserted int }

// editsOf returns the edits of an alignment with as many common words as there can be, in order (a
// longest common subsequence), and of such alignments one with the fewest edits. In each stretch
// between common words, of a words of the source and b of the output, as many as both have are
// exchanged one for one, so that max(0, a-b) are deleted and max(0, b-a) inserted. Unlike a
// Levenshtein distance it keeps a common word at any price. space is what it reuses and returns.
func editsOf(source, output []int32, space []int64) (edits, []int64) {
	const common = 1 << 32 // weighs more than all words that can be exchanged
	best := append(space[:0], make([]int64, len(output)+1)...)
	for _, x := range source {
		diagonal := int64(0) // of the row above, one to the left
		for j, y := range output {
			pair := diagonal + 1
			if x == y {
				pair = diagonal + common
			}
			diagonal = best[j+1]
			best[j+1] = max(pair, best[j+1], best[j])
		}
	}
	e := edits{Common: int(best[len(output)] / common), Exchanged: int(best[len(output)] % common)}
	e.Deleted, e.Inserted = len(source)-e.Common-e.Exchanged, len(output)-e.Common-e.Exchanged
	return e, best
}

// wrongEdits says what no output can have; "": nothing.
func wrongEdits(s *Sentence) string {
	deleted, inserted := s.Numbers["deleted"], s.Numbers["inserted"]
	if deleted == nil && inserted == nil {
		return ""
	}
	c := s.Numbers["s_bleu"]
	if deleted != nil && inserted != nil && c != nil {
		words, of := int(inserted[0]), countsOf(c)
		if kept := of.Words - words; words >= 0 && kept >= 0 && int(deleted[0]) == of.ReferenceWords-kept &&
			kept <= of.ReferenceWords {
			return ""
		}
	}
	return "deleted and inserted words go together and fit the counts of s_bleu"
}

// The rule of Shortened.
const (
	// shortenedShare is the share of the outputs of a direction that are halved from which on a
	// system counts as one that shortens. People halve .17 of their sentences at most, also where
	// deleting is right, and published systems .16; who deletes style words and what stands beside
	// them halves .39 and more (docs/decisions/036-shortened.md).
	shortenedShare = 0.3

	// shortenedFewest is how many outputs these must be: people halve a few of any few sentences.
	shortenedFewest = 10
)

// Halved counts the outputs of the direction that have half as many words as their source, or
// fewer, and says whether these are so many that the system shortens. Scores written before they
// were counted have none.
func (d *Direction) Halved() (n int, many bool) {
	return d.atLeast(shortenedShare, shortenedFewest, halvedShare)
}
