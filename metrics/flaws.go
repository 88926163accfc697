package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Flaw is a defect that a ranked metric rewards. Tables mark a system that has a flaw with a symbol
// and do not rank it. For most flaws, a flaw in one direction is enough, because it also raises the
// mean over all directions.
type Flaw struct {
	Key  string // used in JSON
	Sign string // symbol that tables print after the system's name and its Mean
	Name string // the flaw as an adjective, such as "collapsed"
	Rule string // the criterion, in words
	// Shows is the key of the metric that reveals the flaw. It is "" for Collapsed, which no single
	// metric reveals.
	Shows string
	// count returns how many outputs of a direction are affected (0 for Collapsed), and whether the
	// direction has the flaw. It is nil if overall decides.
	count func(*Direction) (n int, flawed bool)
	// overall reports whether values over all directions have the flaw. It is nil if count decides.
	overall func(Values) bool
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
			_, _, collapsed := d.MostFrequentWord()
			return 0, collapsed
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
	LowTST = &Flaw{
		Key: "low_tst", Sign: "‖", Name: fmt.Sprintf("TST%% below %.0f", leastTST),
		Rule:  fmt.Sprintf("fewer than %.0f %% of all outputs have the target style", leastTST),
		Shows: tst.Key,
		overall: func(v Values) bool {
			share, known := v[tst.Key]
			return known && share < leastTST
		},
	}
)

// AllFlaws returns every flaw, in the order in which tables print the symbols.
func AllFlaws() []*Flaw { return []*Flaw{Collapsed, LeftUnchanged, Shortened, LowTST} }

// Ranked reports whether tables rank a system. A system may have been trained several times, with
// one random seed each. seeds holds the scores of these runs, and none of them may have a flaw.
func Ranked(seeds ...*Scores) bool {
	return !slices.ContainsFunc(seeds, func(s *Scores) bool { return len(s.Flaws()) > 0 })
}

// Flaws returns the flaws of the system.
func (s *Scores) Flaws() []*Flaw {
	return lists.Filter(AllFlaws(), func(f *Flaw) bool { return s.Has(f) })
}

// Has reports whether the system has a flaw.
func (s *Scores) Has(f *Flaw) bool {
	if f.overall != nil {
		return f.overall(s.Metrics)
	}
	return slices.ContainsFunc(s.Directions, func(d Direction) bool {
		_, flawed := f.count(&d)
		return flawed
	})
}

// countShare converts the value of m, a share of the outputs, to a number n of outputs. enough
// reports whether n is at least fewest and at least the given share of all outputs.
func (d *Direction) countShare(share float64, fewest int, m *Metric) (n int, enough bool) {
	n = int(math.Round(d.Metrics[m.Key] * float64(d.N)))
	return n, n >= fewest && float64(n) >= share*float64(d.N)
}

// Outputs returns the number of outputs in a direction that have the flaw. It returns 0 for
// Collapsed and LowTST, which do not count outputs.
func (f *Flaw) Outputs(d *Direction) int {
	if f.count == nil {
		return 0
	}
	n, _ := f.count(d)
	return n
}

// Signs returns the symbols of the flaws as one string.
func Signs(flaws []*Flaw) string {
	return strings.Join(lists.Map(flaws, func(f *Flaw) string { return f.Sign }), "")
}
