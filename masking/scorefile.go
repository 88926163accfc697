// Package scorefile keeps the scores of every word of a data set in a Parquet file
// (docs/workspace.md), so that masks of any policy and lambda_eps follow from them without a
// network, and a report can show what was masked and why.
package masking

import (
	"fmt"
	"iter"
	"math"
)

// Row is one sentence of a score file: how much each of its words carries the style.
type Row struct {
	Split  string    // "train", "dev" or "test"
	Style  int       // 0 or 1
	Line   int       // of the sentence among those of its split and style, from 0
	Scores []float32 // one a word; empty for a sentence without words
	// Integrated gradients alone have the next two, others nil: the change of the output from the
	// baseline to the sentence, and how far the sum of the attributions is from it. Completeness
	// says the gap is 0 (Sundararajan et al. 2017, prop. 1).
	Gap, Change *float64
}

// part is the sentences of one style of a split.
type part struct {
	split string
	style int
}

func (p part) String() string { return fmt.Sprintf("style %d of split %q", p.style, p.split) }

// column holds the sentences of a part in the order of their lines.
type column struct {
	scores      [][]float32
	gap, change []*float64
}

// File is the scores of a data set in memory. It is not changed after it is read, so many
// goroutines may use it.
type File struct {
	order []part // as the parts first appear in the file
	parts map[part]*column
}

// Rows returns the scores of a style of a split: those of the sentence of line i at i. They are the
// file's own, not copies; nil where it has none.
func (f *File) Rows(split string, style int) [][]float32 {
	if c := f.parts[part{split, style}]; c != nil {
		return c.scores
	}
	return nil
}

// Len is the number of sentences.
func (f *File) Len() int {
	n := 0
	for _, c := range f.parts {
		n += len(c.scores)
	}
	return n
}

// All yields every sentence, part after part as the file has them, each in the order of its lines.
// Write(path, f.All()) writes a file that reads the same.
func (f *File) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, p := range f.order {
			c := f.parts[p]
			for i, scores := range c.scores {
				if !yield(Row{p.split, p.style, i, scores, c.gap[i], c.change[i]}) {
					return
				}
			}
		}
	}
}

// check refuses what no score file may hold. A score that is not a number would pass no threshold,
// and so mask nothing.
func (r *Row) check() error {
	switch {
	case r.Split == "":
		return fmt.Errorf("line %d of style %d has no split", r.Line, r.Style)
	case r.Style != 0 && r.Style != 1:
		return fmt.Errorf("line %d of split %q has style %d, not 0 or 1", r.Line, r.Split, r.Style)
	case r.Line < 0 || r.Line > math.MaxInt32:
		return fmt.Errorf("%v has a line %d", part{r.Split, r.Style}, r.Line)
	}
	for i, x := range r.Scores {
		if x-x != 0 { // infinite or not a number
			return fmt.Errorf("word %d of line %d of %v has the score %v", i, r.Line, part{r.Split, r.Style}, x)
		}
	}
	return nil
}
