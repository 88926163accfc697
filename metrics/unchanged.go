package metrics

import (
	"slices"
)

// unchanged is the share of the outputs, 0-1, that are their source: the same words in the same
// order and case, which is how s-BLEU compares too. Such an output has s-BLEU 100 and the
// naturalness and the perplexity of a person's sentence, so that a system that writes nothing but
// sources has a Mean that many systems do not reach.
var unchanged = &Metric{
	Key: "unchanged_share", Head: "unchanged\n%", Share: true, Decimals: 1, Group: GroupFluency, pooled: true,
	Note:      "unchanged %: outputs that equal their source word for word.",
	signature: constant("unchanged_share|of:outputs|equal:all-words-to-own-source|tok:whitespace|case:as-is|level:micro|version:1"),
	records:   []record{flag("unchanged", slices.Equal[[]string])},
	needs:     []string{"unchanged"},
	total:     meanOf("unchanged"),
}

// The rule of LeftUnchanged.
const (
	// leftShare is the share of the outputs of a direction from which on a system counts as one
	// that leaves its sources unchanged: from there on what its metrics say is more of the sources
	// than of what it writes. Of 28 published systems one has it, whose TST% is 8; the others have
	// .35 at most, and people who rewrite for a style next to the source's .41 (docs/metrics.md).
	leftShare = 0.5

	// leftFewest is how many outputs these must be: of a few sentences half are soon right as they
	// are.
	leftFewest = 5
)

// Unchanged counts the outputs of the direction that are their source, and says whether these are
// so many that the system leaves its sources unchanged. Scores written before they were counted
// have none.
func (d *Direction) Unchanged() (n int, most bool) {
	return d.atLeast(leftShare, leftFewest, unchanged)
}
