package report

import (
	"maps"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// Score is the table of one system: a row a metric, a column a direction and one for both, with the commonest new word itself. Metrics that are
// not known are left out. The notes are the signatures of the metrics.
func Score(r *metrics.Scores) *Table {
	a, b := &r.Directions[0], &r.Directions[1]
	t := &Table{
		Name: "score", Title: "Scores of the outputs.", Notes: signatureLines(r.Signatures),
		Columns: []Column{{Head: "Metric"}, {Head: a.From + " to\n" + a.To, Align: Right}, {Head: b.From + " to\n" + b.To, Align: Right}, {Head: "both", Align: Right}},
	}
	if r.Intervals != nil {
		t.Columns = append(t.Columns, Column{Head: "95 % interval", Align: Right}.split("low", "high"))
	}
	add := func(name, of0, of1, both string, interval ...string) {
		cells := []Cell{{Text: name}, {Text: of0}, {Text: of1}, {Text: both}, {Parts: interval}}
		if interval != nil {
			cells[4].Text = "[" + strings.Join(interval, ", ") + "]"
		}
		t.Rows = append(t.Rows, Row{Cells: cells[:len(t.Columns)]})
	}
	add("outputs", thousands(a.N), thousands(b.N), thousands(a.N+b.N))
	known := metrics.Values{}
	for _, some := range []metrics.Values{a.Metrics, b.Metrics, r.Metrics} {
		maps.Copy(known, some)
	}
	for i, m := range metrics.ColumnsOf(sortedKeys(known)...) {
		var interval []string
		if v, ok := r.Intervals[m.Key]; ok {
			interval = []string{decimals(v.Low, m.Decimals), decimals(v.High, m.Decimals)}
		}
		add(flat(m.Head), metricCell(m, a.Metrics).Text, metricCell(m, b.Metrics).Text, metricCell(m, r.Metrics).Text, interval...)
		t.Rows[len(t.Rows)-1].Rule = i == 0
	}
	word := func(d *metrics.Direction) string {
		if d.CommonestNewWord == "" {
			return Absent
		}
		return d.CommonestNewWord
	}
	add("commonest new word", word(a), word(b), "")
	t.Rows[len(t.Rows)-1].Rule = true
	add("its share of new words", share(a.CommonestNewWordShare), share(b.CommonestNewWordShare), "")
	add("distinct new words", thousands(a.DistinctNewWords), thousands(b.DistinctNewWords), "")
	add("outputs with a word twice in a row", share(a.RepeatShare), share(b.RepeatShare), "")
	return t
}
