package report

import "github.com/smlm-exp/smlm-exp/report/table"

// LearnedRow says how often a number ranks the better of two outputs of a sentence first.
type LearnedRow struct {
	Number string  // a feature, or the ranker
	Right  float64 // share of pairs; equal numbers count half
}

// Learned is the table of what a ranker learned from so many pairs of outputs between which readers
// decide.
func Learned(rows []LearnedRow, pairs int, notes ...string) *table.Table {
	s := sheet[LearnedRow]{name: "learned", title: "How often a number points to the output that readers prefer."}
	s.dataset = func(*LearnedRow) string { return "" } // the file does not say
	s.labels = []column[LearnedRow]{left("Number", func(r *LearnedRow) string { return r.Number })}
	s.numbers = []column[LearnedRow]{
		right("right %", "right", func(r *LearnedRow) string { return table.Decimals(100*r.Right, 1) }),
		integer("pairs", "pairs", func(*LearnedRow) int { return pairs }),
	}
	s.legend = []string{"Percent of the pairs of outputs of a sentence whose total scores by readers differ by a point or " +
		"more. Chance is 50; below 50, a lower number is better."}
	return s.table(rows, notes...)
}
