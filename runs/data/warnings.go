package data

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// warnOf adds a warning about a file, unless it is "".
func (d *Set) warnOf(file, sentence string) {
	if sentence != "" {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s: %s", file, sentence))
	}
}

// suspectReferences warns about references that are tokenised differently from their sources.
func (d *Set) suspectReferences(set *corpus.Dataset) {
	for of, refs := range set.References() {
		d.warnOf("datasets."+d.Name+": "+corpus.RefName(set.Labels, of),
			metrics.TokenisationWarning("references", set.Text[corpus.Test][of.From], refs))
	}
}

// suspectTest warns about test sentences that are also training or dev sentences. Every corpus has
// a few.
func (d *Set) suspectTest(set *corpus.Dataset) {
	for style, n := range set.TestAlsoIn(corpus.Train) {
		if all := len(set.Text[corpus.Test][style]); 2*n > all {
			d.warnOf("datasets."+d.Name, fmt.Sprintf("%d of %s in the style %s are also training sentences, "+
				"so results include what was learnt by heart: remove them from the training text, or test on "+
				"others", n,
				wording.Count(all, "test sentence"), set.Labels[style]))
		}
	}
	if inDev := testOverlap(set, corpus.Dev); inDev.Suspect() {
		d.warnOf("datasets."+d.Name, fmt.Sprintf("%d of %s are also dev sentences, so settings chosen on the "+
			"dev set are measured on the same sentences: remove them from the dev set (`smlm-exp data report` "+
			"compares all splits)", inDev.Equal,
			wording.Count(inDev.Sentences, "test sentence")))
	}
}

// testOverlap counts the test sentences that are also in a split.
func testOverlap(set *corpus.Dataset, split corpus.Split) corpus.Overlap {
	in := corpus.Overlap{Sentences: set.Size(corpus.Test)}
	for _, n := range set.TestAlsoIn(split) {
		in.Equal += n
		in.Folded += n
	}
	return in
}
