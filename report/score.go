package report

import (
	"cmp"
	"maps"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// scoreTable is the table of one system while it is being built.
type scoreTable struct {
	*table.Table
	scores *metrics.Scores
}

// Score returns the table of one system's scores. It has one row per metric and some for collapse,
// such as the most frequent new word, and one column per direction and one for all directions.
// Unknown metrics are left out. If the outputs have a flaw, its sign, such as ‡, follows "Mean" and
// the names of the rows that show the flaw. Notes explain the signs.
func Score(s *metrics.Scores) *table.Table {
	t := &scoreTable{scores: s, Table: &table.Table{
		Name: "score", Title: "Scores of the outputs.", Labels: 1, Signatures: signatureLines(s.Signatures),
	}}
	t.addColumns()
	n := 0
	for _, d := range s.Directions {
		n += d.N
	}
	t.add(table.Cell{Text: "outputs"}, nil, table.Thousands(n), func(d *metrics.Direction) string { return table.Thousands(d.N) })
	t.addMetrics()
	t.addCollapse()
	flaws := s.Flaws()
	t.Legend = flawLegend(flaws, "; tables of results do not rank the system")
	for i, rule := range flawRules(flaws) {
		t.Notes = append(t.Notes, rule+" Here: "+shown(s, flaws[i])+".")
	}
	return t.Table
}

func (t *scoreTable) addColumns() {
	t.Columns = []table.Column{{Head: "Metric"}}
	for _, d := range t.scores.Directions {
		t.Columns = append(t.Columns, table.Column{Head: d.From + " to\n" + d.To, Align: table.Right})
	}
	all := "all"
	if len(t.scores.Directions) == 2 {
		all = "both"
	}
	t.Columns = append(t.Columns, table.Column{Head: all, Align: table.Right})
	if t.scores.Intervals != nil {
		t.Columns = append(t.Columns, table.Column{Head: "95 % interval", Align: table.Right}.Split("low", "high"))
	}
}

// add adds a row. all is the text for all directions, and the function text returns the text for
// one direction. The signs of the flaws follow the row's name.
func (t *scoreTable) add(
	name table.Cell, flaws []*metrics.Flaw, all string, text func(*metrics.Direction) string,
) *table.Row {
	name.Sign = metrics.Signs(flaws)
	row := table.Row{Cells: []table.Cell{name}}
	for _, text := range append(textOfEach(t.scores, text), all) {
		row.Cells = append(row.Cells, table.Cell{Text: text})
	}
	if t.scores.Intervals != nil {
		row.Cells = append(row.Cells, table.Cell{})
	}
	t.Rows = append(t.Rows, row)
	return &t.Rows[len(t.Rows)-1]
}

// shownBy returns those flaws of the system's outputs that a metric shows.
func (t *scoreTable) shownBy(key string) []*metrics.Flaw {
	return lists.Filter(t.scores.Flaws(), func(f *metrics.Flaw) bool { return f.Shows == key })
}

func (t *scoreTable) addMetrics() {
	known := metrics.Values{}
	maps.Copy(known, t.scores.Metrics)
	for _, d := range t.scores.Directions {
		maps.Copy(known, d.Metrics)
	}
	for i, m := range metrics.ColumnsOf(sortedKeys(known)...) {
		text := func(of metrics.Values) string { return valueCell(&Record{Values: of}, m).Text }
		flaws := t.shownBy(m.Key)
		if m.Key == meanKey {
			flaws = t.scores.Flaws()
		}
		row := t.add(headOf(m), flaws, text(t.scores.Metrics),
			func(d *metrics.Direction) string { return text(d.Metrics) })
		row.Rule = i == 0
		if v, has := t.scores.Intervals[m.Key]; has {
			low, high := table.Decimals(m.Printed(v.Low), m.Decimals), table.Decimals(m.Printed(v.High), m.Decimals)
			row.Cells[len(row.Cells)-1] = table.Cell{Text: "[" + low + ", " + high + "]", Parts: []string{low, high}}
		}
	}
}

// addCollapse adds the rows that show whether the system writes the same few words everywhere
// (collapse).
func (t *scoreTable) addCollapse() {
	t.add(table.Cell{Text: "most frequent new word"}, nil, "", func(d *metrics.Direction) string {
		return cmp.Or(d.MostFrequentNewWord, table.Absent)
	}).Rule = true
	for _, c := range directionColumns {
		var flaws []*metrics.Flaw
		if c.Key == newWordKey {
			flaws = t.shownBy("")
		}
		t.add(headOf(&c.Metric), flaws, "", func(d *metrics.Direction) string { return c.write(c.of(d)) })
	}
}
