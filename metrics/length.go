package metrics

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
	halvedShare = &Metric{
		Key: "halved_share", Head: "halved\n%", Share: true, Decimals: 1, Group: GroupContent, Place: 1, pooled: true,
		Note:      "halved %: outputs with at most half as many words as their source.",
		signature: constant("halved_share|of:outputs|words<=source-words/2|tok:whitespace|level:micro|version:1"),
		records: []record{flag("halved", func(source, output []string) bool {
			return len(source) > 0 && 2*len(output) <= len(source)
		})},
		needs: []string{"halved"},
		total: meanOf("halved"),
	}
)

// perWord returns n / words, and n if words is 0.
func perWord(n float64, words int) float64 { return n / float64(max(1, words)) }

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
