package report

import (
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// collapseNote says what the columns of collapse are.
const collapseNote = "Per direction: share of the commonest new word among all new-word occurrences, distinct new " +
	"words, share of outputs in which a word follows itself; new: in the output and not in its source. A share near " +
	"1 means one word everywhere, which the ranked columns cannot see."

// judgesNote says what the columns of single judges are.
const judgesNote = "Nat. and a name: naturalness by another judge; Mean contains that of the column Nat."

// itself is the system of a row that is one.
func itself(r *ResultRow) *ResultRow { return r }

// Results is the table of transfer results: one row a point, then the published systems of the same
// data set, data sets apart. The best and second-best value of each of the paper's metrics are
// marked among the rows of a data set that have not collapsed. Perplexity, diversity, the columns
// of collapse and the naturalness by other judges are not ranked. The data set, the swept settings
// and the seed have columns only where they differ; a metric that no row has is left out, and
// About.Missing says why.
func Results(rows []ResultRow, about About) *table.Table {
	s := systemSheet("results", "Transfer results on the test set", rows, itself)
	fluency := inGroup(metrics.GroupFluency)
	absent := append(s.metrics(inGroup(metrics.GroupResults), s.value), s.metrics(fluency, s.value)...)
	s.figures = append(s.figures, collapseColumns(itself)...)
	before := len(s.figures)
	for _, judge := range judges(rows) {
		// else it is the column Nat.
		if sign := about.Signatures[judge.Key]; sign == "" || sign != about.Signatures["naturalness"] {
			s.metrics([]*metrics.Metric{judge}, s.value)
		}
	}
	notes := about.notesOf(s.keys(), absent)
	for _, m := range metrics.ColumnsOf(s.keys()...) {
		if m.Note != "" {
			notes = append(notes, m.Note)
		}
	}
	notes = append(notes, collapseNote)
	if len(s.figures) > before {
		notes = append(notes, judgesNote)
	}
	return s.table(notes...)
}
