package report

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// inDirections splits each row into one row per direction. The direction replaces the data set's
// name, or follows it if there are several data sets.
func inDirections(rows []ResultRow) (out []ResultRow) {
	datasets := len(firstSeen(rows, func(r *ResultRow) string { return r.Dataset })) > 1
	for i := range rows {
		for _, d := range rows[i].Metrics.Directions {
			row := rows[i]
			row.Dataset, row.Partial = d.From+" to "+d.To, false
			if datasets {
				row.Dataset = rows[i].Dataset + ", " + row.Dataset
			}
			row.Metrics = &metrics.Scores{
				Metrics: d.Metrics, Directions: []metrics.Direction{d}, Signatures: rows[i].Metrics.Signatures,
			}
			out = append(out, row)
		}
	}
	return out
}

// Directions returns the table of the paper's metrics in each direction: one row per direction and
// system, with the mean over seeds. Rows are ranked within their direction.
func Directions(rows []ResultRow, about About) *table.Table {
	named := named(rows)
	of := testSetOf(rows, func(r *ResultRow) string { return r.Dataset })
	s := systemSheet("directions", "Automatic evaluation in each direction on the "+of+".", seedGroups(inDirections(named)),
		func(g *seedGroup) *ResultRow { return &g.ResultRow }, about)
	s.paper, s.printed = "", nil
	s.all = func(g *seedGroup) []*ResultRow { return g.seeds }
	s.noted = named
	for i := range s.labels {
		if s.labels[i].Head == datasetHead {
			s.labels[i].Head = "Direction"
		}
	}
	absent := s.metrics(inGroup(metrics.GroupResults), overSeeds)
	several := deviations(s)
	s.numbers = append(s.numbers, mostNewWord(s.rows, func(g *seedGroup) []*ResultRow { return g.seeds }))
	s.signatures, s.hints = about.of(s.keys()...), about.hints(absent)
	s.define()
	s.defines = append(s.defines, newWordDefined)
	if several {
		s.defines = append(s.defines, largestOfSeeds)
	}
	t := s.table()
	t.Within = "direction"
	return t
}

// matrixRow is a system and a source style.
type matrixRow struct {
	seedGroup
	from string
}

// matrixMetrics are the metrics in a cell of Matrix: style transfer and content preservation.
var matrixMetrics = []string{"tst", "s_bleu"}

// Matrix returns the table of TST% and s-BLEU from each style to each other style: one row per
// system and source style, one column per target style. If any data set has more than two
// directions, the others are left out. Nothing is ranked.
func Matrix(rows []ResultRow, about About) *table.Table {
	many := lists.Where(rows, func(r ResultRow) bool { return len(r.Metrics.Directions) > fewestDirections })
	if len(many) > 0 {
		rows = lists.Where(rows, func(r ResultRow) bool {
			return slices.ContainsFunc(many, func(m ResultRow) bool { return m.Dataset == r.Dataset })
		})
	}
	var all []matrixRow
	var to []string
	for _, g := range seedGroups(named(rows)) {
		for _, d := range g.Metrics.Directions {
			to = lists.AddOnce(to, d.To)
		}
		of := func(d metrics.Direction) string { return d.From }
		for _, from := range lists.AddOnce(nil, lists.Map(g.Metrics.Directions, of)...) {
			all = append(all, matrixRow{g, from})
		}
	}
	order := sources(rows)
	slices.SortStableFunc(to, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	s := systemSheet("matrix", "Transfer from each style to each other one on the "+testSet+".", all,
		func(r *matrixRow) *ResultRow { return &r.ResultRow }, About{})
	s.paper, s.printed = "", nil
	s.all = func(r *matrixRow) []*ResultRow { return r.seeds }
	s.noted = named(rows)
	s.labels = append(s.labels, left("From", func(r *matrixRow) string { return r.from }))
	shown := metrics.ColumnsOf(matrixMetrics...)
	heads := lists.Map(shown, func(m *metrics.Metric) string { return table.Flat(m.Head) })
	for _, style := range to {
		c := right("to "+style, "", func(*matrixRow) string { return "" })
		c.cell = func(r *matrixRow) table.Cell { return r.to(style, shown) }
		c.Column = c.Split(heads...)
		s.numbers = append(s.numbers, c)
	}
	for j := range s.labels {
		if s.labels[j].Head == systemHead {
			s.labels[j].Merge = true
		}
	}
	s.gap = func(before, r *matrixRow) bool { return before.System != r.System }
	s.signatures = about.of(matrixMetrics...)
	t := s.table()
	shows := "Each cell shows " + strings.Join(heads, besideEachOther)
	if anyOf(s.rows, func(r *matrixRow) bool { return len(r.seeds) > 1 }) {
		shows += ", the mean over seeds"
	}
	if slices.ContainsFunc(t.Rows, func(r table.Row) bool {
		return slices.ContainsFunc(r.Cells, func(c table.Cell) bool { return strings.HasPrefix(c.Text, table.Absent) })
	}) {
		shows += "; " + table.Absent + ": not asked for"
	}
	t.Legend = append([]string{shows + "."}, t.Legend...)
	return t
}

// to returns the cell of a target style.
func (r *matrixRow) to(style string, shown []*metrics.Metric) table.Cell {
	has := func(d metrics.Direction) bool { return d.From == style || d.To == style }
	if style == r.from || !slices.ContainsFunc(r.Metrics.Directions, has) { // or a style of another data set
		return table.Cell{Parts: make([]string, len(shown))}
	}
	var parts []string
	for _, m := range shown {
		var values []float64
		for _, seed := range r.seeds {
			for _, d := range seed.Metrics.Directions {
				if v, known := d.Metrics[m.Key]; known && d.From == r.from && d.To == style {
					values = append(values, v)
				}
			}
		}
		text := table.Absent
		if len(values) > 0 {
			mean, _ := SeedStats(values)
			text = table.Decimals(mean, m.Decimals)
		}
		parts = append(parts, text)
	}
	return table.Cell{Text: strings.Join(parts, besideEachOther), Parts: parts}
}

// sources returns the source styles of the rows in order of first appearance.
func sources(rows []ResultRow) (styles []string) {
	for i := range rows {
		for _, d := range rows[i].Metrics.Directions {
			styles = lists.AddOnce(styles, d.From)
		}
	}
	return styles
}

// worstMean returns the column with the lowest Mean of any direction, averaged over seeds. It
// returns no column if no row has more than two directions.
func worstMean(rows []seedGroup) []column[seedGroup] {
	if mostDirections(rows, func(g *seedGroup) *metrics.Scores { return g.Metrics }) <= fewestDirections {
		return nil
	}
	m := metrics.ColumnsOf(meanKey)[0]
	return []column[seedGroup]{right("worst\n"+table.Flat(m.Head), "", func(g *seedGroup) string {
		var worst []float64
		for _, seed := range g.seeds {
			var of []float64
			for _, d := range seed.Metrics.Directions {
				if v, known := d.Metrics[meanKey]; known {
					of = append(of, v)
				}
			}
			if len(of) > 0 {
				worst = append(worst, slices.Min(of))
			}
		}
		if len(worst) == 0 {
			return table.Absent
		}
		mean, _ := SeedStats(worst)
		return table.Decimals(mean, m.Decimals)
	})}
}
