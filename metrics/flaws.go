package metrics

import (
	"fmt"
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
	has  func(*Direction) bool
}

// The flaws.
var (
	Collapsed = &Flaw{
		Key: "collapsed", Sign: "‡", Name: "collapsed",
		Rule: share(fmt.Sprintf("one word is at least %.2f of all new words of a direction, "+
			"or of all words that outputs have more often than their sources, of which there are %d or more "+
			"(with fewer than %d outputs: half as many as outputs, and at least %d)",
			collapsedShare, collapsedWords, 2*collapsedWords, collapsedFewest)),
		has: func(d *Direction) bool {
			_, _, everywhere := d.MostFrequentWord()
			return everywhere
		},
	}
	LeftUnchanged = &Flaw{
		Key: "left_unchanged", Sign: "§", Name: "left unchanged",
		Rule: share(fmt.Sprintf("at least %.2f of the outputs of a direction, %d or more, are their sources word for word",
			leftShare, leftFewest)),
		has: func(d *Direction) bool {
			_, most := d.Unchanged()
			return most
		},
	}
)

// AllFlaws returns every flaw, in the order of signs.
func AllFlaws() []*Flaw { return []*Flaw{Collapsed, LeftUnchanged} }

// share writes a share as tables do, without the zero before the point.
func share(text string) string { return strings.Replace(text, "0.", ".", 1) }

// Flaws returns those that a system has; none: it may be ranked.
func (s *Scores) Flaws() []*Flaw {
	return lists.Where(AllFlaws(), func(f *Flaw) bool { return s.Has(f) })
}

// Has says whether a system has a flaw.
func (s *Scores) Has(f *Flaw) bool {
	return slices.ContainsFunc(s.Directions, func(d Direction) bool { return f.has(&d) })
}

// Flawed says whether a system has any.
func (s *Scores) Flawed() bool { return len(s.Flaws()) > 0 }

// Signs are those of some flaws, one behind the other.
func Signs(flaws []*Flaw) string {
	return strings.Join(lists.Map(flaws, func(f *Flaw) string { return f.Sign }), "")
}
