package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// systems builds a table of transfer systems with rows R: for each data set our systems, then the
// published ones.
type systems[R any] struct {
	sheet[R]
	rows []R
	of   func(*R) *ResultRow   // the system of a row
	all  func(*R) []*ResultRow // results whose flaws count: the row, or all its seeds

	// noted are the rows that the notes on flaws may name; nil: all.
	noted []ResultRow
}

// testSet is the placeholder for the test sets in titles.
const testSet = "{test set}"

// systemSheet returns a systems table, still without columns of numbers. Its label columns are data
// set, system, swept settings and seed; data set and seed appear only if they differ. Lines
// separate models, published systems and human references.
func systemSheet[R any](name, title string, rows []R, of func(*R) *ResultRow, about About) *systems[R] {
	dataset := func(r *R) string { return of(r).Dataset }
	kind := func(r *R) int {
		switch row := of(r); {
		case row.Unranked:
			return 2
		case row.Published:
			return 1
		}
		return 0
	}
	rows = sorted(rows, seen(rows, dataset), kind)
	datasets := len(firstSeen(rows, dataset))
	title = strings.ReplaceAll(title, testSet, testSetOf(rows, dataset))
	axes := lists.Map(rows, func(r R) []Axis { return of(&r).Axes })
	return &systems[R]{
		rows: rows, of: of, all: func(r *R) []*ResultRow { return []*ResultRow{of(r)} },
		sheet: sheet[R]{
			name: name, title: title, paper: name, dataset: dataset,
			printed: func(r *R) string {
				if of(r).Guided {
					return ""
				}
				return of(r).System
			},
			apart: func(before, r *R) bool {
				return dataset(before) != dataset(r) || kind(before) != kind(r)
			},
			about: about,
			labels: slices.Concat(
				when(datasets > 1, datasetColumn(dataset)),
				[]column[R]{left(systemHead, func(r *R) string { return of(r).System })},
				axisColumns(axisKeys(axes), axes, func(r *R) []Axis { return of(r).Axes }),
				seedColumn(rows, func(r *R) uint64 { return of(r).Seed }, func(r *R) bool { return !of(r).Published }),
			),
		},
	}
}

// testSetOf names the test set of the rows, or returns "test sets" if they have several.
func testSetOf[R any](rows []R, dataset func(*R) string) string {
	if len(firstSeen(rows, dataset)) == 1 {
		return dataset(&rows[0]) + " test set"
	}
	return "test sets"
}

// byModel groups the rows of each model and prints its name once.
func (s *systems[R]) byModel() {
	dataset := func(r *R) string { return s.of(r).Dataset }
	ours := func(r *R) string {
		if row := s.of(r); !row.Published {
			return row.System
		}
		return ""
	}
	place, named := seen(s.rows, ours), firstSeen(s.rows, func(r *R) [2]string {
		return [2]string{dataset(r), s.of(r).System}
	})
	s.rows = sorted(s.rows, seen(s.rows, dataset), func(r *R) int {
		if s.of(r).Published {
			return len(s.rows)
		}
		return place(r)
	})
	for j := range len(s.labels) - 1 { // the last label tells the rows apart
		if s.labels[j].Head == systemHead {
			s.labels[j].Merge = true
		}
	}
	if len(named) < len(s.rows) { // otherwise each model has one row
		s.gap = func(before, r *R) bool { return ours(before) != ours(r) }
	}
}

// begins starts a named part of the table at the given column of numbers.
func (s *systems[R]) begins(number int, part string) {
	if number < len(s.numbers) {
		s.numbers[number].Begins = part
	}
}

// metrics adds a column for each metric that any row has, and returns the keys of the others.
func (s *systems[R]) metrics(all []*metrics.Metric, cell func(*metrics.Metric) func(*R) table.Cell) (absent []string) {
	for _, m := range all {
		has := func(r *R) bool {
			return slices.ContainsFunc(s.all(r), func(r *ResultRow) bool {
				_, known := r.Metrics.Metrics[m.Key]
				return known
			})
		}
		if len(s.rows) > 0 && !anyOf(s.rows, has) {
			absent = append(absent, m.Key)
			continue
		}
		s.numbers = append(s.numbers, metricColumn(m, cell(m)))
	}
	return absent
}

func metricColumn[R any](m *metrics.Metric, cell func(*R) table.Cell) column[R] {
	return column[R]{Column: table.Column{Head: m.Head, Align: table.Right, Key: m.Key}, cell: cell, better: m.Better}
}

// metricCell returns the cell of a metric, Absent if it is unknown.
func metricCell(m *metrics.Metric, of metrics.Values) table.Cell {
	v, known := of[m.Key]
	if !known {
		return table.Cell{Text: table.Absent}
	}
	v = m.Shown(v)
	return table.Number(&v, m.Decimals)
}

// keys returns the keys of the columns that have one.
func (s *systems[R]) keys() []string {
	var keys []string
	for _, c := range slices.Concat(s.labels, s.numbers) {
		if c.Key != "" {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// value returns a function from a row to the cell of a metric.
func (s *systems[R]) value(m *metrics.Metric) func(*R) table.Cell {
	return func(r *R) table.Cell { return metricCell(m, s.of(r).Metrics.Metrics) }
}

// table builds the table. It marks the best and second-best values among the rows that may be
// ranked. Rows with a flaw get its sign and are not ranked.
func (s *systems[R]) table(notes ...string) *table.Table {
	t := s.sheet.table(s.rows, notes...)
	competes := func(i int) bool {
		row := s.of(&s.rows[i])
		return !row.Unranked && !row.Partial && len(flawsOf(s.all(&s.rows[i])...)) == 0
	}
	for j, c := range s.numbers {
		if c.better != metrics.Neither {
			t.Rank(len(s.labels)+j, c.better == metrics.Lower, competes)
		}
	}
	rows := s.noted
	var systems []*ResultRow
	for i := range s.rows {
		if s.noted == nil {
			rows = append(rows, *s.of(&s.rows[i]))
		}
		of := s.all(&s.rows[i])
		systems = append(systems, of...)
		name := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Head == systemHead })
		for _, j := range []int{name, t.Column(meanKey)} {
			if j >= 0 {
				t.Rows[i].Cells[j].Sign += metrics.Signs(flawsOf(of...))
			}
		}
	}
	if slices.ContainsFunc(systems, func(r *ResultRow) bool { return r.Unranked }) {
		t.Unmarked = "Human references are not ranked."
	}
	t.Legend = append(t.Legend, flawLegend(flawsOf(systems...), notRanked)...)
	t.Notes = append(t.Notes, flawNotes(rows, t.Columns[0].Head != systemHead)...)
	return t
}

// systemHead is the head of the column that names systems.
const systemHead = "System"

// meanKey is the main metric of a system. It carries the signs of flaws.
const meanKey = "mean"

// inGroup returns the metrics of a group for tables with one row per system.
func inGroup(group metrics.Group) []*metrics.Metric {
	return slices.DeleteFunc(metrics.Columns(), func(m *metrics.Metric) bool { return m.Group != group || m.Aside })
}

// judges returns the naturalness metrics of all judges in table order, or nil if there are fewer
// than two.
func judges(rows []ResultRow) []*metrics.Metric {
	all := metricsWhere(rows, metrics.IsByJudge)
	if len(all) < 2 {
		return nil
	}
	return all
}

// metricsWhere returns the metrics that any row has and whose key satisfies is, in table order.
func metricsWhere(rows []ResultRow, is func(key string) bool) []*metrics.Metric {
	keys := map[string]bool{}
	for _, r := range rows {
		for key := range r.Metrics.Metrics {
			if is(key) {
				keys[key] = true
			}
		}
	}
	return metrics.ColumnsOf(sortedKeys(keys)...)
}

// define adds the definitions of the metric columns, except those with a key in but.
func (s *systems[R]) define(but ...string) {
	for _, m := range metrics.ColumnsOf(s.keys()...) {
		if m.Note != "" && !slices.Contains(but, m.Key) {
			s.defines = lists.AddOnce(s.defines, m.Note)
		}
	}
}

// title names a row in running text: "yelp SMLM (lambda_eps 0.5, seed 1)".
func (r *ResultRow) title(withData bool) string {
	name, more := r.System, []string{}
	if withData {
		name = r.Dataset + " " + name
	}
	if len(r.Axes) > 0 {
		more = append(more, axesText(r.Axes))
	}
	if !r.Published {
		more = append(more, fmt.Sprintf("seed %d", r.Seed))
	}
	if len(more) > 0 {
		name += " (" + strings.Join(more, ", ") + ")"
	}
	return name
}
