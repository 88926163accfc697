package report

import "github.com/smlm-exp/smlm-exp/metrics"

// contentMetrics are the ranked columns of the content table, in the paper's order.
var contentMetrics = []rankedMetric{
	{"ROUGE-L", func(m metrics.Metrics) *float64 { return m.RougeL }, 3},
	{"CIDEr", func(m metrics.Metrics) *float64 { return m.CIDEr }, 3},
}

// ofContent tells the signatures of contentMetrics.
func ofContent(key string) bool { return key == "rouge_l" || key == "cider" }

// contentNote says what the columns are.
const contentNote = "ROUGE-L (0-1) and CIDEr (0-10): outputs against the sentences they were made of, per direction, then the mean of the two; " +
	"higher keeps more of the source, so a system that changes nothing is best."

// Content is the table of content preservation (paper, table content-metrics): the rows of Results, ordered and marked as there. Of the
// signatures only those of its columns are printed.
func Content(rows []ResultRow, about About) *Table {
	about.Signatures = only(about.Signatures, ofContent)
	t := systems(rows, contentMetrics, nil, nil)
	t.Name, t.Title, t.Notes = "content", "Content preservation on the test set"+ofOnly(rows)+".", append(about.notes(), contentNote)
	return t
}

// withoutContent leaves out the signatures of contentMetrics, for tables that do not show them.
func (a About) withoutContent() About {
	a.Signatures = only(a.Signatures, func(key string) bool { return !ofContent(key) })
	return a
}
