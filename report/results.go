package report

import "github.com/smlm-exp/smlm-exp/metrics"

// ResultRow is one system on one data set: one of ours at a point of the sweep, or a published one.
type ResultRow struct {
	Dataset, System string
	Published       bool   // stands below the line
	Unranked        bool   // shown, but never best, and outside the Pareto front: the human references, which are no system
	Axes            []Axis // the swept settings of this point; nil for a published system
	Seed            uint64 // ignored for a published system
	Metrics         *metrics.Scores
}

// meanKey is the metric that stands for a system: what is said of a row is marked there.
const meanKey = "mean"

// collapseNote says what the columns of collapse are.
const collapseNote = "Per direction: share of the commonest new word among all new-word occurrences, distinct new words, share of outputs " +
	"in which a word follows itself; new: in the output and not in its source. A share near 1 means one word everywhere, which the ranked columns cannot see."

// judgesNote says what the columns of single judges are.
const judgesNote = "Nat. and a name: naturalness by another judge; Mean contains that of the column Nat."

// Results is the table of transfer results: one row a point, then the published systems of the same data set, data sets apart.
// The best and second-best value of each of the paper's metrics are marked among the rows of a data set that have not collapsed. Perplexity,
// diversity, the columns of collapse and the naturalness by other judges are not ranked. The data set, the swept settings and the seed have
// columns only where they differ; a metric that no row has is left out, and About.Missing says why.
func Results(rows []ResultRow, about About) *Table {
	fluency := inGroup(metrics.GroupFluency)
	columns := systemColumns{ranked: inGroup(metrics.GroupResults), plain: fluency, collapse: true}
	for _, judge := range judges(rows) {
		if s := about.Signatures[judge.Key]; s == "" || s != about.Signatures["naturalness"] { // else it is the column Nat.
			columns.last = append(columns.last, judge)
		}
	}
	t, absent := systems(rows, columns)
	t.Name, t.Title, t.paper = "results", "Transfer results on the test set"+ofOnly(rows)+".", "results"
	t.Notes = about.notesOf(t, absent)
	for _, m := range fluency {
		if t.column(m.Key) >= 0 {
			t.Notes = append(t.Notes, m.Note)
		}
	}
	t.Notes = append(t.Notes, collapseNote)
	if len(columns.last) > 0 {
		t.Notes = append(t.Notes, judgesNote)
	}
	t.Notes = append(t.Notes, collapsedNotes(inSystemOrder(rows), len(datasetOrder(rows)) > 1)...)
	return t
}
