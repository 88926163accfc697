package report

import "github.com/smlm-exp/smlm-exp/metrics"

// contentNote says what the columns are.
const contentNote = "Outputs against the sentences they were made of, per direction, then the mean of the two; higher keeps more of the source, " +
	"so a system that changes nothing is best. METEOR, ROUGE-L: 0-1, CIDEr: 0-10, cosines of word vectors: -1 to 1."

// Content is the table of content preservation (paper, table content-metrics): the rows of Results, ordered and marked as there. A metric that
// no row has is left out, and About.Missing says why. Of the signatures only those of its columns are printed.
func Content(rows []ResultRow, about About) *Table {
	t, absent := systems(rows, systemColumns{ranked: inGroup(metrics.GroupContent)})
	t.Name, t.Title, t.paper = "content", "Content preservation on the test set"+ofOnly(rows)+".", "content"
	t.Notes = append(about.notesOf(t, absent), contentNote)
	t.Notes = append(t.Notes, collapsedNotes(inSystemOrder(rows), len(datasetOrder(rows)) > 1)...)
	return t
}

// bleuMetrics are the columns of the table of BLEU. BLEU-4 is called by its number where the shorter ones stand beside it.
func bleuMetrics() (out []*metrics.Metric) {
	for _, against := range []string{"s_bleu", "r_bleu"} {
		four := *metrics.ColumnsOf(against)[0]
		four.Head += "-4"
		out = append(append(out, metrics.ColumnsOf(against+"_1", against+"_2", against+"_3")...), &four)
	}
	return out
}

// bleuNote says what the columns are.
const bleuNote = "s-BLEU-n: outputs against the sentences they were made of; r-BLEU-n: against the human references; corpus BLEU up to n words, percent, per direction, then the mean of the two."

// BLEU is the table of BLEU-1 to BLEU-4 against the sources and the human references: the rows of Results, ordered and marked as there.
func BLEU(rows []ResultRow, about About) *Table {
	t, absent := systems(rows, systemColumns{ranked: bleuMetrics()})
	t.Name, t.Title, t.paper = "bleu", "BLEU-1 to BLEU-4 on the test set"+ofOnly(rows)+".", "results" // the paper prints BLEU-4 there
	t.Notes = append(about.notesOf(t, absent), bleuNote)
	t.Notes = append(t.Notes, collapsedNotes(inSystemOrder(rows), len(datasetOrder(rows)) > 1)...)
	return t
}
