package report

import (
	"maps"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// scoreLine is a line of Score: a name, its value in each direction, and the overall value.
type scoreLine struct {
	name     string
	of       []string // by direction
	all      string
	interval []string        // low and high; nil: none
	group    int             // a line is drawn between groups
	flaws    []*metrics.Flaw // flaws whose signs the line has
}

// Score returns the table of one system: one row per metric, one column per direction and one for
// all, and the most frequent new word itself. Unknown metrics are left out. The signs of the
// system's flaws are on Mean and on the rows that show them. The notes explain the flaws.
func Score(r *metrics.Scores) *table.Table {
	known, n := metrics.Values{}, 0
	maps.Copy(known, r.Metrics)
	for _, d := range r.Directions {
		maps.Copy(known, d.Metrics)
		n += d.N
	}
	lines := []scoreLine{{
		name: "outputs", all: table.Thousands(n),
		of: eachDirection(r, func(d *metrics.Direction) string { return table.Thousands(d.N) }),
	}}
	flaws := r.Flaws()
	shownBy := func(key string) []*metrics.Flaw {
		return lists.Where(flaws, func(f *metrics.Flaw) bool { return f.Shows == key })
	}
	for _, m := range metrics.ColumnsOf(sortedKeys(known)...) {
		l := scoreLine{
			name: table.Flat(m.Head), all: metricCell(m, r.Metrics).Text, group: 1,
			of: eachDirection(r, func(d *metrics.Direction) string { return metricCell(m, d.Metrics).Text }),
		}
		if v, has := r.Intervals[m.Key]; has {
			l.interval = []string{
				table.Decimals(m.Shown(v.Low), m.Decimals), table.Decimals(m.Shown(v.High), m.Decimals),
			}
		}
		if l.flaws = shownBy(m.Key); m.Key == meanKey {
			l.flaws = flaws
		}
		lines = append(lines, l)
	}
	collapse := func(name string, text func(*metrics.Direction) string) {
		lines = append(lines, scoreLine{name: name, of: eachDirection(r, text), group: 2})
	}
	collapse("most frequent new word", func(d *metrics.Direction) string {
		if d.MostFrequentNewWord == "" {
			return table.Absent
		}
		return d.MostFrequentNewWord
	})
	collapse(table.Flat(newWordHead), newWordShare)
	lines[len(lines)-1].flaws = shownBy("")
	collapse("distinct new words", func(d *metrics.Direction) string { return table.Thousands(d.DistinctNewWords) })
	collapse("repeated word %", func(d *metrics.Direction) string {
		return table.Percent(d.RepeatShare)
	})

	interval := fields("95 % interval", func(l *scoreLine) table.Cell {
		if l.interval == nil {
			return table.Cell{}
		}
		return table.Cell{Text: "[" + l.interval[0] + ", " + l.interval[1] + "]", Parts: l.interval}
	}, "low", "high")
	columns := []column[scoreLine]{{Column: table.Column{Head: "Metric"}, cell: func(l *scoreLine) table.Cell {
		return table.Cell{Text: l.name, Sign: metrics.Signs(l.flaws)}
	}}}
	for k, d := range r.Directions {
		columns = append(columns, right(d.From+" to\n"+d.To, "", func(l *scoreLine) string { return l.of[k] }))
	}
	all := "all"
	if len(r.Directions) == fewestDirections {
		all = "both"
	}
	columns = append(columns, right(all, "", func(l *scoreLine) string { return l.all }))
	s := sheet[scoreLine]{
		name: "score", title: "Scores of the outputs.", dataset: func(*scoreLine) string { return "" },
		labels:     columns[:1],
		numbers:    append(columns[1:], when(r.Intervals != nil, interval)...),
		apart:      func(before, l *scoreLine) bool { return before.group != l.group },
		signatures: r.Signatures,
	}
	s.legend = flawLegend(flaws, "; tables of results do not rank the system")
	var notes []string
	for i, rule := range flawRules(flaws) {
		notes = append(notes, rule+" Here: "+shown(r, flaws[i])+".")
	}
	return s.table(lines, notes...)
}
