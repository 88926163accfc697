package metrics

import "slices"

// unchanged is the share of the outputs, 0-1, that equal their source: the same words in the same
// order and case. An unchanged output has the naturalness and perplexity of human text
// and mostly an s-BLEU of 100. So a system that copies its input has a higher Mean than many other
// systems.
var unchanged = &Metric{
	Key: "unchanged_share", Head: "unchanged\n%", Share: true, Decimals: 1, Group: GroupFluency, pooled: true,
	Note:      "unchanged %: outputs that equal their source word for word.",
	signature: constant("unchanged_share|of:outputs|equal:all-words-to-own-source|tok:whitespace|case:as-is|level:micro|version:2"),
	records:   []record{flag("unchanged", slices.Equal)},
	needs:     []string{"unchanged"},
	total:     meanOf("unchanged"),
}

// The thresholds of LeftUnchanged.
const (
	// A system has the flaw if its share of unchanged outputs in a direction reaches leftShare. Its
	// metrics then describe the sources more than the system. Of 28 published systems, only one is
	// above this share, and its TST% is 8. The other systems leave at most .35 of the sources
	// unchanged. Humans who rewrite into a neighbouring style leave .41 unchanged
	// (docs/decisions/031-left-unchanged.md).
	leftShare = 0.5

	// A system with fewer than leftFewest unchanged outputs does not have the flaw. If a direction
	// has only a few sentences, half of them may rightly stay unchanged.
	leftFewest = 5
)

// Unchanged returns the number n of outputs in the direction that equal their source. flawed
// reports whether these outputs are enough for the flaw LeftUnchanged. n is 0 for scores that were
// saved before this metric existed.
func (d *Direction) Unchanged() (n int, flawed bool) {
	return d.countShare(leftShare, leftFewest, unchanged)
}
