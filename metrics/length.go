package metrics

import (
	"fmt"
)

// Metrics of sentence length. A system can raise its scores by deleting words that are hard to
// rewrite, because a style judge also accepts a short output that only states a verdict. But
// correct edits delete words too, so no table ranks by these metrics. The flaw Shortened marks
// systems that delete too much.
var (
	lengthRatio = &Metric{
		Key: "length_ratio", Head: "length\nratio", Decimals: 2, Group: GroupFluency, pooled: true,
		Note:      "length ratio: words in the outputs, divided by words in their sources.",
		signature: constant("length_ratio|of:output-words/source-words|tok:whitespace|level:micro|version:1"),
		needs:     []string{"s_bleu"},
		total: func(t *totals) float64 {
			c := countsOf(t.numbers("s_bleu")) // the only reference of s_bleu is the source
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

// shortWords is the largest number of words in a short output.
const shortWords = 2

// editedShare returns the metric for the share of words that were deleted or inserted. countEdits
// returns the number of deleted or inserted words, and countWords the number of all words.
func editedShare(key, what, words string, countEdits func(edits) int, countWords func(bleuCounts) int) *Metric {
	return &Metric{
		Key: key + "_share", Head: "words\n" + key + " %", Share: true, Decimals: 1, Group: GroupContent, Place: 1, pooled: true,
		Note: fmt.Sprintf("words %s %%: %s.", key, what),
		signature: constant(fmt.Sprintf("%s_share|of:%s|align:most-common-words,then-most-exchanged|tok:whitespace|"+
			"case:as-is|level:micro|version:1", key, words)),
		records: []record{{key, func(m *measured) [][]float64 {
			counts := make([]int, len(m.output))
			var buffer []int64
			for i := range m.output {
				var e edits
				e, buffer = editsOf(m.source[0][i].IDs, m.output[i].IDs, buffer)
				counts[i] = countEdits(e)
			}
			return single(floats(counts))
		}}},
		needs: []string{key, "s_bleu"},
		total: func(t *totals) float64 { return perWord(t.sum(key), countWords(countsOf(t.numbers("s_bleu")))) },
	}
}

// lengthShare returns the metric for the share of outputs that meet a condition on the numbers of
// words of the source and the output.
func lengthShare(key, what, rule string, condition func(source, output int) bool) *Metric {
	return &Metric{
		Key: key + "_share", Head: key + "\n%", Share: true, Decimals: 1, Group: GroupContent, Place: 1, pooled: true,
		Note:      fmt.Sprintf("%s %%: outputs %s.", key, what),
		signature: constant(fmt.Sprintf("%s_share|of:outputs|%s|tok:whitespace|level:micro|version:1", key, rule)),
		records: []record{
			flag(key, func(source, output []string) bool { return condition(len(source), len(output)) }),
		},
		needs: []string{key},
		total: meanOf(key),
	}
}

// perWord returns n / words, and n if words is 0.
func perWord(n float64, words int) float64 { return n / float64(max(1, words)) }

// edits counts the words that a source and its output have in common, and the words that are
// exchanged, deleted or inserted.
type edits struct{ Common, Exchanged, Deleted, Inserted int }

// editsOf aligns an output with its source on a longest common subsequence. If there are several,
// it chooses one with the fewest edits. Between two common words, m source words become n output
// words: min(m, n) words are exchanged one for one, max(0, m-n) are deleted and max(0, n-m)
// inserted. Unlike a Levenshtein distance, editsOf never gives up a common word to save edits. It
// reuses the buffer and returns it for the next call.
func editsOf(source, output []int32, buffer []int64) (edits, []int64) {
	const common = 1 << 32 // outweighs any number of exchanged words
	best := append(buffer[:0], make([]int64, len(output)+1)...)
	for _, x := range source {
		diagonal := int64(0) // entry of the dynamic programming table one row above and one column to the left
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

// The thresholds of Shortened.
const (
	// A system has the flaw if, in a direction, the share of outputs with at most half the words of
	// their source reaches shortenedShare. For humans, this share is at most .17, even on data in
	// which deleting words is right. For published systems, it is at most .16. For a system that
	// deletes style words and their neighbours, it is .39 or more
	// (docs/decisions/036-shortened.md).
	shortenedShare = 0.3

	// shortenedFewest is the minimum number of outputs with at most half of the source's words that
	// a system with the flaw "shortened" has. Humans also cut a few sentences by half.
	shortenedFewest = 10
)

// Halved returns the number n of outputs in the direction that have at most half as many words as
// their source. flawed reports whether these outputs are enough for the flaw Shortened. n is 0 for
// scores that were saved before this metric existed.
func (d *Direction) Halved() (n int, flawed bool) {
	return d.countShare(shortenedShare, shortenedFewest, halvedShare)
}
