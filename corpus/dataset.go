package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Split is one of the three parts of a data set.
type Split int

// The splits, in the order in which they are read, written and reported.
const (
	Train Split = iota
	Dev
	Test
)

// Splits lists them for loops.
var Splits = [3]Split{Train, Dev, Test}

// String is the name used in files and tables.
func (s Split) String() string {
	switch s {
	case Train:
		return "train"
	case Dev:
		return "dev"
	case Test:
		return "test"
	}
	return fmt.Sprintf("Split(%d)", int(s))
}

// Dataset is non-parallel text in two styles, 0 and 1.
type Dataset struct {
	Name   string
	Labels [2]string        // names of the styles
	Text   [3][2][]Sentence // by split, then style
	// Refs[k][i] is a person's rewrite of Text[Test][k][i] in the other style, in raw case; both
	// nil when there are none
	Refs [2][]Sentence
}

// HasRefs reports whether the test sentences have references.
func (d *Dataset) HasRefs() bool { return d.Refs[0] != nil }

// Size returns the number of sentences of a split, both styles together.
func (d *Dataset) Size(s Split) int { return len(d.Text[s][0]) + len(d.Text[s][1]) }

// Sample keeps at most maxTrain training sentences of each style, drawn by seed; their order stays
// that of the file. 0 keeps all. Dev and test are never touched.
func (d *Dataset) Sample(maxTrain int, seed uint64) {
	if maxTrain <= 0 {
		return
	}
	for style, all := range d.Text[Train] {
		if len(all) <= maxTrain {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(style)))
		kept := rng.Perm(len(all))[:maxTrain]
		slices.Sort(kept)
		sample := make([]Sentence, maxTrain)
		for i, k := range kept {
			sample[i] = all[k]
		}
		d.Text[Train][style] = sample
	}
}
