package report

import (
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// contentNote says what the columns are.
const contentNote = "Outputs against the sentences they were made of, per direction, then the mean of the two; " +
	"higher keeps more of the source, so a system that changes nothing is best. METEOR, ROUGE-L: 0-1, CIDEr: 0-10, " +
	"cosines of word vectors: -1 to 1."

// Content is the table of content preservation (paper, table content-metrics): the rows of Results,
// ordered and marked as there. A metric that no row has is left out, and About.Missing says why. Of
// the signatures only those of its columns are printed.
func Content(rows []ResultRow, about About) *table.Table {
	s := systemSheet("content", "Content preservation on the test set", rows, itself)
	absent := s.metrics(inGroup(metrics.GroupContent), s.value)
	return s.table(append(about.notesOf(s.keys(), absent), contentNote)...)
}

// bleuNote says what the columns are.
const bleuNote = "s-BLEU-n: outputs against the sentences they were made of; r-BLEU-n: against the human references; " +
	"corpus BLEU up to n words, percent, per direction, then the mean of the two."

// BLEU is the table of BLEU-1 to BLEU-4 against the sources and the human references: the rows of
// Results, ordered and marked as there.
func BLEU(rows []ResultRow, about About) *table.Table {
	s := systemSheet("bleu", "BLEU-1 to BLEU-4 on the test set", rows, itself)
	s.paper = "results" // the paper prints BLEU-4 there
	var absent []string
	for _, against := range []string{"s_bleu", "r_bleu"} {
		four := *metrics.ColumnsOf(against)[0]
		four.Head += "-4" // it is called by its number where the shorter ones stand beside it
		absent = append(absent, s.metrics(append(metrics.ColumnsOf(against+"_1", against+"_2", against+"_3"), &four),
			s.value)...)
	}
	return s.table(append(about.notesOf(s.keys(), absent), bleuNote)...)
}
