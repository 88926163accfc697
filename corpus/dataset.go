// Package corpus holds the text side of the study: data sets of two styles, the word vocabulary,
// batches of sentences of equal length, raw user text cut into words, the counts of the data
// report, and the embedded demo corpus. It knows nothing of tensors and builds without libtorch.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus/demo"
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
	// Refs[k][i] is a human rewrite of Text[Test][k][i] in the other style, in raw case; both
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

// Demo returns the embedded corpus: 4,000 training, 400 dev and 200 test sentences each of the
// styles gloomy (0) and cheerful (1), with a reference for every test sentence. It is the same
// every time and on every machine.
func Demo() *Dataset {
	c := demo.Generate(demo.Seed)
	return &Dataset{
		Name:   "demo",
		Labels: demo.Labels,
		Text:   [3][2][]Sentence{Train: c.Train, Dev: c.Dev, Test: c.Test},
		Refs:   c.Refs,
	}
}

// InTraining counts, by style, the test sentences that are training sentences too, of either style.
func (d *Dataset) InTraining() (n [2]int) {
	type some struct {
		first, middle string
		words         int
	}
	someOf := func(words Sentence) some { return some{words[0], words[len(words)/2], len(words)} }
	type place struct{ style, at int }
	tests := map[some][]place{} // a map of whole sentences would cost each plan of a large corpus much more
	var seen [2][]bool
	for style, text := range d.Text[Test] {
		seen[style] = make([]bool, len(text))
		for i, words := range text {
			tests[someOf(words)] = append(tests[someOf(words)], place{style, i})
		}
	}
	for _, text := range d.Text[Train] {
		for _, words := range text {
			for _, p := range tests[someOf(words)] {
				if !seen[p.style][p.at] && slices.Equal(words, d.Text[Test][p.style][p.at]) {
					seen[p.style][p.at] = true
					n[p.style]++
				}
			}
		}
	}
	return n
}
