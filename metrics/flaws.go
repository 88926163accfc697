package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Flaw is what the ranked metrics reward though it is no transfer: a system that has it in any
// direction has a sign in tables and figures, and is ranked in no metric. One direction is enough,
// since it alone lifts the means over all.
type Flaw struct {
	Key  string // in JSON
	Sign string // behind its name and its Mean
	Name string // "collapsed"
	Rule string // which systems have it, in words
	// Shows is the key of the metric that counts the outputs which show it; "": the columns of
	// collapse show it.
	Shows string
	// count counts them in a direction, 0 where Shows is "", and says whether it has the flaw.
	count func(*Direction) (n int, has bool)
}

// The flaws.
var (
	Collapsed = &Flaw{
		Key: "collapsed", Sign: "‡", Name: "collapsed",
		Rule: fmt.Sprintf("in one direction a single word makes up at least %.0f %% of the new words, or of the words that the "+
			"outputs use more often than their sources; at least %d such words are needed "+
			"(with fewer than %d outputs: half as many as there are outputs, and at least %d)",
			100*collapsedShare, collapsedWords, 2*collapsedWords, collapsedFewest),
		count: func(d *Direction) (int, bool) {
			_, _, everywhere := d.MostFrequentWord()
			return 0, everywhere
		},
	}
	LeftUnchanged = &Flaw{
		Key: "left_unchanged", Sign: "§", Name: "left unchanged",
		Rule: fmt.Sprintf("in one direction at least %.0f %% of the outputs, and at least %d, equal their source word for word",
			100*leftShare, leftFewest),
		Shows: unchanged.Key,
		count: (*Direction).Unchanged,
	}
	Shortened = &Flaw{
		Key: "shortened", Sign: "¶", Name: "shortened",
		Rule: fmt.Sprintf("in one direction at least %.0f %% of the outputs, and at least %d, have at most half as many words as "+
			"their source", 100*shortenedShare, shortenedFewest),
		Shows: halvedShare.Key,
		count: (*Direction).Halved,
	}
)

// AllFlaws returns every flaw, in the order of signs.
func AllFlaws() []*Flaw { return []*Flaw{Collapsed, LeftUnchanged, Shortened} }

// Flaws returns those that a system has; none: it may be ranked.
func (s *Scores) Flaws() []*Flaw {
	return lists.Where(AllFlaws(), func(f *Flaw) bool { return s.Has(f) })
}

// Has says whether a system has a flaw.
func (s *Scores) Has(f *Flaw) bool {
	return slices.ContainsFunc(s.Directions, func(d Direction) bool {
		_, has := f.count(&d)
		return has
	})
}

// atLeast counts the outputs of a direction of which a metric is the share, and says whether they
// are at least such a share and so many.
func (d *Direction) atLeast(share float64, fewest int, m *Metric) (n int, are bool) {
	n = int(math.Round(d.Metrics[m.Key] * float64(d.N)))
	return n, n >= fewest && float64(n) >= share*float64(d.N)
}

// Outputs counts the outputs of a direction that show the flaw, where Shows names a metric.
func (f *Flaw) Outputs(d *Direction) int {
	n, _ := f.count(d)
	return n
}

// Flawed says whether a system has any.
func (s *Scores) Flawed() bool { return len(s.Flaws()) > 0 }

// Signs are those of some flaws, one behind the other.
func Signs(flaws []*Flaw) string {
	return strings.Join(lists.Map(flaws, func(f *Flaw) string { return f.Sign }), "")
}
