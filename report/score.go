package report

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// Score is the table of one system: a row a metric, a column a direction and one for both, with the commonest new word itself. Metrics that are
// not known are left out. The notes are the signatures of the metrics.
func Score(r *metrics.Report) *Table {
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
	shown := slices.Clone(allMetrics)
	for _, name := range judges([]ResultRow{{Metrics: r}}) {
		shown = append(shown, naturalnessBy(name))
	}
	for i, m := range known(shown, r.Metrics, a.Metrics, b.Metrics) {
		var interval []string
		if v, ok := r.Intervals[m.key]; ok {
			interval = []string{decimals(v.Low, m.decimals), decimals(v.High, m.decimals)}
		}
		add(flat(m.head), m.cell(a.Metrics).Text, m.cell(b.Metrics).Text, m.cell(r.Metrics).Text, interval...)
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

// known returns those of the metrics that any of the reports has.
func known(columns []metricColumn, of ...metrics.Metrics) []metricColumn {
	return filter(columns, func(c metricColumn) bool {
		return slices.ContainsFunc(of, func(m metrics.Metrics) bool { return c.of(m) != nil })
	})
}
