package report

import "github.com/smlm-exp/smlm-exp/metrics"

// ResultRow is one system on one data set: one of ours at a point of the sweep, or a published one.
type ResultRow struct {
	Dataset, System string
	Published       bool   // stands below the line
	Unranked        bool   // shown, but never best, and outside the Pareto front: the human references, which are no system
	Axes            []Axis // the swept settings of this point; nil for a published system
	Seed            uint64 // ignored for a published system
	Metrics         *metrics.Report
}

// resultMetrics are the ranked columns, in the paper's order.
var resultMetrics = []metricColumn{colTST, colRBLEU, colSBLEU, colNaturalness, colMean}

// fluencyMetrics show what those cannot see: fluency by a language model, and outputs that are all alike.
var fluencyMetrics = []metricColumn{colPerplexity, colUnknownShare, colSelfBLEU, colDistinct2}

// collapseNote says what the columns of collapse are.
const collapseNote = "Per direction: share of the commonest new word among all new-word occurrences, distinct new words, share of outputs " +
	"in which a word follows itself; new: in the output and not in its source. A share near 1 means one word everywhere, which the ranked columns cannot see."

// fluencyNotes say what the columns of fluencyMetrics are.
var fluencyNotes = map[string]string{
	"perplexity":    "PPL: perplexity of the outputs by an independent language model, per token; lower is more fluent, and a copied source is fluent too.",
	"unknown_share": "unk.: share of the outputs' words that the language model does not know; these cost little, so read PPL beside it.",
	"self_bleu":     "self-BLEU: BLEU-4 of each output against all others of its direction; the higher, the more alike.",
	"distinct_2":    "dist-2: different pairs of neighbouring words over all pairs of the outputs; the lower, the more alike.",
}

// judgesNote says what the columns of single judges are.
const judgesNote = "Nat. and a name: naturalness by another judge; Mean contains that of the column Nat."

// Results is the table of transfer results: one row a point, then the published systems of the same data set, data sets apart.
// The best and second-best value of each of the paper's metrics are marked among the rows of a data set that have not collapsed. Perplexity,
// diversity, the columns of collapse and the naturalness by other judges are not ranked. The data set, the swept settings and the seed have
// columns only where they differ; a metric that no row has is left out, and About.Missing says why.
func Results(rows []ResultRow, about About) *Table {
	columns := systemColumns{ranked: resultMetrics, plain: fluencyMetrics, collapse: true}
	for _, name := range judges(rows) {
		if s := about.Signatures[byJudge+name]; s == "" || s != about.Signatures[colNaturalness.key] { // else it is the column Nat.
			columns.last = append(columns.last, naturalnessBy(name))
		}
	}
	t, absent := systems(rows, columns)
	t.Name, t.Title, t.paper = "results", "Transfer results on the test set"+ofOnly(rows)+".", "results"
	t.Notes = about.notesOf(t, absent)
	for _, m := range fluencyMetrics {
		if t.column(m.key) >= 0 {
			t.Notes = append(t.Notes, fluencyNotes[m.key])
		}
	}
	t.Notes = append(t.Notes, collapseNote)
	if len(columns.last) > 0 {
		t.Notes = append(t.Notes, judgesNote)
	}
	t.Notes = append(t.Notes, collapsedNotes(inSystemOrder(rows), len(datasetOrder(rows)) > 1)...)
	return t
}
