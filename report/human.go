package report

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// HumanRow is the human evaluation of one direction: how many sentences the majority of annotators
// gave each verdict.
type HumanRow struct {
	Dataset, From, To string   // From and To: names of the styles
	A, B              string   // the two systems
	ABetter, BBetter  int      // sentences
	BothGood, BothBad int      // sentences
	NoAgreement       int      // sentences on which no verdict has a majority
	Kappa             *float64 // Fleiss' kappa of the annotators' verdicts; nil: not known
	Annotators        int      // of each sentence
}

// items is the number of sentences.
func (r *HumanRow) items() int {
	return r.ABetter + r.BBetter + r.BothGood + r.BothBad + r.NoAgreement
}

// humanLegend and humanNote say what the columns are.
const (
	humanLegend = "Percent of the sentences of a direction for which most annotators gave a verdict; no agreement: no " +
		"verdict has a majority."
	humanNote = "kappa: Fleiss' kappa of the annotators' verdicts, over all directions of a data set."
)

// asPrinted puts the systems in the order of the paper, and says whether the paper has the same
// two.
func (r *HumanRow) asPrinted() (same bool) {
	printed := paper.Values().HumanSystems(r.Dataset)
	if printed == nil {
		return false
	}
	if paper.Is(r.B, printed[0]) && paper.Is(r.A, printed[1]) {
		r.A, r.B, r.ABetter, r.BBetter = r.B, r.A, r.BBetter, r.ABetter
	}
	return paper.Is(r.A, printed[0]) && paper.Is(r.B, printed[1])
}

// Human is the table of human evaluations, as the paper's: a row a direction and pair of systems.
// Where all rows are of the same two, the heads name them. The paper's two stand in its order.
func Human(rows []HumanRow, about About) *table.Table {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].asPrinted()
	}
	a, b := "A", "B"
	several := anyOf(rows, func(r *HumanRow) bool { return r.A != rows[0].A || r.B != rows[0].B })
	if !several && len(rows) > 0 {
		a, b = rows[0].A, rows[0].B
	}
	s := pointSheet("human", "Human evaluation: which system writes the better output.", func(r *HumanRow) point {
		return point{dataset: r.Dataset}
	})
	direction := func(r *HumanRow) string { return r.From + " to " + r.To }
	s.labels = append([]column[HumanRow]{datasetColumn(s.dataset), left("Direction", direction)}, when(several,
		left("A", func(r *HumanRow) string { return r.A }),
		left("B", func(r *HumanRow) string { return r.B }),
	)...)
	percent := func(head, key string, of func(*HumanRow) int) column[HumanRow] {
		return right(head, key, func(r *HumanRow) string { return percent(of(r), r.items()) })
	}
	s.numbers = []column[HumanRow]{
		percent(a+"\nbetter %", "a_better", func(r *HumanRow) int { return r.ABetter }),
		percent(b+"\nbetter %", "b_better", func(r *HumanRow) int { return r.BBetter }),
		percent("both\ngood %", "both_good", func(r *HumanRow) int { return r.BothGood }),
		percent("both\nbad %", "both_bad", func(r *HumanRow) int { return r.BothBad }),
		percent("no\nagreement %", "no_agreement", func(r *HumanRow) int { return r.NoAgreement }),
		optional("kappa", "", 2, func(r *HumanRow) *float64 { return r.Kappa }),
		integer("annotators", "annotators", func(r *HumanRow) int { return r.Annotators }),
		count("sentences", "items", (*HumanRow).items),
	}
	s.printed = func(r *HumanRow) string {
		if row := *r; row.asPrinted() {
			return direction(r)
		}
		return ""
	}
	s.legend, s.defines, s.about = []string{humanLegend}, []string{humanNote}, about
	return s.table(rows)
}

// percent formats a part of n.
func percent(part, n int) string { return table.Percent(float64(part) / float64(n)) }
