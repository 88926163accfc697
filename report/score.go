package report

import (
	"maps"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// scoreLine is a line of Score: a name, what it is of each direction and of both.
type scoreLine struct {
	name, of0, of1, both string
	interval             []string // low and high; nil: none
	group                int      // lines stand between groups
}

// Score is the table of one system: a row a metric, a column a direction and one for both, with
// the most frequent new word itself. Metrics that are not known are left out. The notes are the
// signatures of the metrics.
func Score(r *metrics.Scores) *table.Table {
	a, b := &r.Directions[0], &r.Directions[1]
	known := metrics.Values{}
	for _, some := range []metrics.Values{a.Metrics, b.Metrics, r.Metrics} {
		maps.Copy(known, some)
	}
	lines := []scoreLine{{
		name: "outputs", of0: table.Thousands(a.N), of1: table.Thousands(b.N),
		both: table.Thousands(a.N + b.N),
	}}
	for _, m := range metrics.ColumnsOf(sortedKeys(known)...) {
		l := scoreLine{
			name: table.Flat(m.Head), of0: metricText(m, a.Metrics), of1: metricText(m, b.Metrics), both: metricText(m,
				r.Metrics), group: 1,
		}
		if v, has := r.Intervals[m.Key]; has {
			l.interval = []string{table.Decimals(v.Low, m.Decimals), table.Decimals(v.High, m.Decimals)}
		}
		lines = append(lines, l)
	}
	collapse := func(name string, text func(*metrics.Direction) string) {
		lines = append(lines, scoreLine{name: name, of0: text(a), of1: text(b), group: 2})
	}
	collapse("most frequent new word", func(d *metrics.Direction) string {
		if d.MostFrequentNewWord == "" {
			return table.Absent
		}
		return d.MostFrequentNewWord
	})
	collapse("its share of new words", newWordShare)
	collapse("distinct new words", func(d *metrics.Direction) string { return table.Thousands(d.DistinctNewWords) })
	collapse("outputs with a word twice in a row", func(d *metrics.Direction) string {
		return table.Share(d.RepeatShare)
	})

	interval := fields("95 % interval", func(l *scoreLine) table.Cell {
		if l.interval == nil {
			return table.Cell{}
		}
		return table.Cell{Text: "[" + l.interval[0] + ", " + l.interval[1] + "]", Parts: l.interval}
	}, "low", "high")
	s := sheet[scoreLine]{
		name: "score", title: "Scores of the outputs.", dataset: func(*scoreLine) string { return "" },
		numbers: append([]column[scoreLine]{
			left("Metric", func(l *scoreLine) string { return l.name }),
			right(a.From+" to\n"+a.To, "", func(l *scoreLine) string { return l.of0 }),
			right(b.From+" to\n"+b.To, "", func(l *scoreLine) string { return l.of1 }),
			right("both", "", func(l *scoreLine) string { return l.both }),
		}, when(r.Intervals != nil, interval)...),
		apart:      func(before, l *scoreLine) bool { return before.group != l.group },
		signatures: r.Signatures,
	}
	return s.table(lines)
}
