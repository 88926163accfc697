package report

import (
	"fmt"
	"slices"
	"strings"
)

// HumanRow is the human evaluation of one direction: how many sentences the majority of annotators gave each verdict.
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

// humanNote says what the columns are.
const humanNote = "Percent of the sentences of a direction, by the verdict of the majority of annotators; no agreement: no verdict has one. Kappa: Fleiss' kappa of the single verdicts, over all directions of a data set together."

// asPrinted returns the row with its systems in the order of the paper, where it has the same two.
func (r HumanRow) asPrinted() (row HumanRow, same bool) {
	printed := Paper().humanSystems(r.Dataset)
	if printed == nil {
		return r, false
	}
	is := func(name, printed string) bool { return strings.HasPrefix(rowName(name), rowName(printed)) } // SMLM-FT is an SMLM
	if is(r.B, printed[0]) && is(r.A, printed[1]) {
		r.A, r.B, r.ABetter, r.BBetter = r.B, r.A, r.BBetter, r.ABetter
	}
	return r, is(r.A, printed[0]) && is(r.B, printed[1])
}

// Human is the table of human evaluations, as the paper's: a row a direction and pair of systems. Where all rows are of the same two, the heads
// name them. The paper's two stand in its order.
func Human(rows []HumanRow, about About) *Table {
	t := &Table{Name: "human", Title: "Human evaluation: which system's output is better.", Notes: append(about.notes(), humanNote), paper: "human"}
	a, b, same := "A", "B", true
	rows, inPaper := slices.Clone(rows), make([]bool, len(rows))
	for i := range rows {
		rows[i], inPaper[i] = rows[i].asPrinted()
		same = same && rows[i].A == rows[0].A && rows[i].B == rows[0].B
	}
	t.Columns = []Column{{Head: "Data set", Merge: true}, {Head: "Direction"}}
	if same && len(rows) > 0 {
		a, b = rows[0].A, rows[0].B
	} else {
		t.Columns = append(t.Columns, Column{Head: "A"}, Column{Head: "B"})
	}
	t.labels = len(t.Columns)
	for _, c := range []Column{
		{Head: a + "\nbetter", key: "a_better"},
		{Head: b + "\nbetter", key: "b_better"},
		{Head: "both\ngood", key: "both_good"},
		{Head: "both\nbad", key: "both_bad"},
		{Head: "no\nagreement", key: "no_agreement"},
		{Head: "kappa"},
		{Head: "annotators", key: "annotators"},
		{Head: "sentences", key: "items"},
	} {
		c.Align = Right
		t.Columns = append(t.Columns, c)
	}
	for i, r := range rows {
		row := Row{Rule: i > 0 && r.Dataset != rows[i-1].Dataset, dataset: r.Dataset}
		row.Cells = []Cell{{Text: r.Dataset}, {Text: r.From + " to " + r.To}}
		if t.labels > 2 {
			row.Cells = append(row.Cells, Cell{Text: r.A}, Cell{Text: r.B})
		}
		for _, n := range []int{r.ABetter, r.BBetter, r.BothGood, r.BothBad, r.NoAgreement} {
			row.Cells = append(row.Cells, Cell{Text: percent(n, r.items())})
		}
		row.Cells = append(row.Cells, optional(r.Kappa, inTwo), Cell{Text: fmt.Sprint(r.Annotators)}, Cell{Text: thousands(r.items())})
		if inPaper[i] {
			row.name = r.From + " to " + r.To
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// humanSystems returns the two systems of the paper's human evaluation of a data set, nil where it has none.
func (p *Printed) humanSystems(dataset string) []string {
	for _, t := range p.Tables {
		if t.Table == "human" && strings.HasPrefix(strings.ToLower(dataset), t.Dataset) {
			return t.Systems
		}
	}
	return nil
}

// percent formats a part of n without needless zeros: "55", "33.3".
func percent(part, n int) string {
	if n == 0 {
		return Absent
	}
	return strings.TrimSuffix(decimals(100*float64(part)/float64(n), 1), ".0")
}
