// Package corpus reads and writes data sets, cuts text into words, builds the vocabulary, encodes
// and batches sentences, and counts what `data report` shows. It does not use tensors, so
// that parts of the program without models, such as planning, can use it too.
package corpus

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Split is one of the three parts of a data set.
type Split int

// The splits, in the order in which they are read, written and reported.
const (
	Train Split = iota
	Dev
	Test
)

// Splits lists all splits.
var Splits = [3]Split{Train, Dev, Test}

// String returns the name that files and tables use for the split.
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

// Dataset is non-parallel text in several styles.
type Dataset struct {
	Name   string
	Labels Styles
	Text   [3][][]Sentence // by split, then style
	// Refs[k][i] is the human rewrite, in raw case, of a test sentence. Direction k gives the
	// source and target style (see Labels.Directions), and i is the index of the sentence in the
	// source style. Refs[k] is nil if direction k has no references, and Refs is nil if no
	// direction has any.
	Refs [][]Sentence
}

// NewDataset returns an empty data set with these styles.
func NewDataset(name string, labels Styles) *Dataset {
	d := &Dataset{Name: name, Labels: labels}
	for s := range d.Text {
		d.Text[s] = make([][]Sentence, labels.N())
	}
	return d
}

// HasRefs reports whether the test sentences have references.
func (d *Dataset) HasRefs() bool { return d.Refs != nil }

// References yields, in order, each direction that has references, and its references.
func (d *Dataset) References() iter.Seq2[Direction, []Sentence] {
	return func(yield func(Direction, []Sentence) bool) {
		for k, direction := range d.Labels.Directions() {
			if k < len(d.Refs) && d.Refs[k] != nil && !yield(direction, d.Refs[k]) {
				return
			}
		}
	}
}

// Size returns the number of sentences of a split, all styles together.
func (d *Dataset) Size(s Split) int {
	n := 0
	for _, sentences := range d.Text[s] {
		n += len(sentences)
	}
	return n
}

// Sample draws at most maxTrain training sentences of each style at random and keeps only these, or
// all if maxTrain is 0. It returns the removed sentences by style, in file order. Dev and test
// sentences are not changed.
func (d *Dataset) Sample(maxTrain int, seed uint64) (rest [][]Sentence) {
	rest = make([][]Sentence, d.Labels.N())
	for style, all := range d.Text[Train] {
		if maxTrain <= 0 || len(all) <= maxTrain {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(style)))
		drawn := rng.Perm(len(all))
		pick := func(places []int) []Sentence {
			slices.Sort(places)
			return lists.Map(places, func(k int) Sentence { return all[k] })
		}
		d.Text[Train][style], rest[style] = pick(drawn[:maxTrain]), pick(drawn[maxTrain:])
	}
	return rest
}

// TestOverlap counts the test sentences, of all styles, that also occur in another split. It finds
// only exact copies, so the fields Folded and Equal of the result are the same.
func (d *Dataset) TestOverlap(other Split) Overlap {
	in := Overlap{Split: Test.String(), In: other.String(), Sentences: d.Size(Test)}
	for _, n := range d.TestAlsoIn(other) {
		in.Equal += n
		in.Folded += n
	}
	return in
}

// TestAlsoIn counts, by style, the test sentences that also occur in another split, in any style.
func (d *Dataset) TestAlsoIn(other Split) []int {
	n, known := make([]int, d.Labels.N()), setOf(d.Text[other])
	for style, text := range d.Text[Test] {
		for _, words := range text {
			if known.has(words) {
				n[style]++
			}
		}
	}
	return n
}
