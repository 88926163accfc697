package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Spec says which records a table shows, and how.
type Spec struct {
	Name  string
	Title string // "{test set}" stands for the test sets of the records
	From  string // the kind of the records, one of the constants From...
	// OnRequest means that an experiment that names no tables does not have this one.
	OnRequest bool

	Labels  []string // axes with columns; see labelColumns for "?" and "*"
	Columns []string // keys of columns; those without any value are left out
	More    []string // columns of less interest, which narrow screens and wide LaTeX tables leave out
	Minor   []string // keys in Columns that these leave out as well

	Mean    string // the axis over which values are averaged; "": none
	Each    string // Direction: one row for each direction; "": one row for each record
	ByModel bool   // the records of a model follow each other, below its name
	Short   bool   // masks and decoding are part of the system's name; settings with one value have no column
	Ranked  bool   // the best values of each data set are marked

	Paper   string   // tables of the paper that have some of the values, separated by spaces
	Printed bool     // the paper's values are rows below those of a data set
	Legend  []string // as in table.Table
	Notes   []string // likewise
	// Undefined are keys of columns that mean something else here, so they are not defined below.
	Undefined []string

	keep   func(*Record) bool           // the records that have rows; nil: all
	order  func(*Record) int            // the order of the rows of a data set; nil: as they come
	rule   func(before, r *Record) bool // where lines are, beside those between data sets and kinds; nil: nowhere
	adjust func(*builder)               // what only this table has; nil: nothing
}

// builder builds one table.
type builder struct {
	*Spec
	about  About
	rows   []*Record
	labels []column
	values []column
	*table.Table
}

// Table selects the records of the table and shows them. A table without records has no rows.
func (s *Spec) Table(records []*Record, about About) *table.Table {
	b := &builder{Spec: s, about: about, rows: s.rows(records)}
	b.Table = &table.Table{
		Name: s.Name, Title: strings.ReplaceAll(s.Title, testSet, testSetOf(b.rows)), Paper: s.Paper,
		Legend: slices.Concat(about.Legend, s.Legend), Settings: about.settings(),
		Notes: slices.Concat(about.Notes, s.Notes),
	}
	b.addColumns()
	if s.adjust != nil {
		s.adjust(b)
	}
	b.addRows()
	b.addText()
	if s.Ranked {
		b.rank()
	}
	b.addFlaws()
	if s.Printed {
		return paper.Below(b.Table)
	}
	return b.Table
}

// testSet stands for the test sets in titles.
const testSet = "{test set}"

// testSetOf names the test set of records, or says that there are several.
func testSetOf(rows []*Record) string {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(r *Record) bool { return r.Dataset() != rows[0].Dataset() }) {
		return "test sets"
	}
	return rows[0].Dataset() + " test set"
}

// rows returns the records that the table shows, in its order.
func (s *Spec) rows(records []*Record) []*Record {
	rows := lists.Filter(records, func(r *Record) bool { return r.From == s.From && (s.keep == nil || s.keep(r)) })
	if s.Short {
		rows = short(rows)
	}
	if s.Each == Direction {
		rows = eachDirection(rows)
	}
	if s.Mean != "" {
		rows = meanOver(s.Mean, rows)
	}
	ranks := []func(*Record) int{firstSeen(rows, (*Record).group)}
	if s.order != nil {
		ranks = append(ranks, s.order)
	}
	ranks = append(ranks, func(r *Record) int { return int(r.Kind) })
	if s.ByModel {
		ranks = append(ranks, firstSeen(rows, (*Record).model))
	}
	slices.SortStableFunc(rows, func(a, b *Record) int {
		for _, rank := range ranks {
			if d := rank(a) - rank(b); d != 0 {
				return d
			}
		}
		return 0
	})
	return rows
}

// model returns the system of our record, and "" for others.
func (r *Record) model() string {
	if r.Kind != Ours {
		return ""
	}
	return r.System()
}

// group returns what separates the rows of a table into groups that are ranked: the data set, with
// the direction.
func (r *Record) group() string { return r.Dataset() + "|" + r.Axis(Direction) }

// firstSeen returns a rank: records are in the order in which their keys first appear.
func firstSeen(rows []*Record, key func(*Record) string) func(*Record) int {
	keys := lists.AddOnce(nil, lists.Map(rows, key)...)
	places := map[string]int{}
	for i, k := range keys {
		places[k] = i
	}
	return func(r *Record) int { return places[key(r)] }
}

// short returns records in which the system's name tells masks and decoding, and which have no axes
// with only one value.
func short(rows []*Record) []*Record {
	values := map[string][]string{}
	for _, r := range rows {
		for _, a := range r.Axes {
			values[a.Key] = lists.AddOnce(values[a.Key], a.Value)
		}
	}
	return lists.Map(rows, func(r *Record) *Record {
		out := r.with(System, r.SystemName())
		out.Axes = lists.Filter(out.Axes, func(a Axis) bool {
			return a.Key == Dataset || a.Key == System || a.Key == Seed || !a.NamesSystem() && len(values[a.Key]) > 1
		})
		return out
	})
}

// eachDirection returns a record for each direction of each record.
func eachDirection(rows []*Record) (out []*Record) {
	for _, r := range rows {
		for _, d := range r.Scores.Directions {
			one := *r
			one.Partial, one.Values = false, d.Metrics
			one.Axes = append(slices.Clone(r.Axes), Axis{Key: Direction, Value: d.From + " to " + d.To})
			one.Scores = &metrics.Scores{
				Metrics: d.Metrics, Directions: []metrics.Direction{d}, Signatures: r.Scores.Signatures,
			}
			out = append(out, &one)
		}
	}
	return out
}

// addColumns adds the columns of labels and of values.
func (b *builder) addColumns() {
	for _, key := range b.Spec.Labels {
		b.labels = append(b.labels, labelColumns(key, b.Spec.Labels, b.rows)...)
	}
	if b.ByModel {
		b.mergeModels()
	}
	for i, key := range slices.Concat(b.Spec.Columns, b.More) {
		columns, absent := valueColumns(key, b.rows)
		b.Hints = lists.AddOnce(b.Hints, b.about.hints(absent)...)
		for _, c := range columns {
			c.Minor = i >= len(b.Spec.Columns) || slices.Contains(b.Minor, c.Key)
			b.values = append(b.values, c)
		}
	}
	if b.several() {
		b.splitDeviations()
	}
}

// several reports whether any row is the mean of several records.
func (b *builder) several() bool {
	return slices.ContainsFunc(b.rows, func(r *Record) bool { return len(r.members) > 1 })
}

// splitDeviations adds a CSV field for the deviation to the columns that have one.
func (b *builder) splitDeviations() {
	for j, c := range b.values {
		if c.Parts == nil {
			b.values[j].Column = c.Split("", "deviation")
		}
	}
	n := fmt.Sprint(slices.Max(lists.Map(b.rows, func(r *Record) int { return len(r.members) })))
	if slices.Contains(b.Spec.Labels, members) {
		n = members
	}
	b.Table.Legend = append(b.Table.Legend, "Mean ± sample standard deviation over "+n+" seeds.")
	if slices.ContainsFunc(b.values, func(c column) bool { return c.Key == newWordKey }) {
		b.Defines = append(b.Defines, "most frequent new word %, of several seeds: the largest share.")
	}
}

// mergeModels prints the name of a model once, unless the name alone tells its rows apart.
func (b *builder) mergeModels() {
	for j := range len(b.labels) - 1 {
		if b.labels[j].Head == labels[System].head {
			b.labels[j].Merge = true
		}
	}
}

// addRows adds a row for each record.
func (b *builder) addRows() {
	columns := slices.Concat(b.labels, b.values)
	b.Table.Columns = lists.Map(columns, func(c column) table.Column { return c.Column })
	b.Table.Labels = len(b.labels)
	models := lists.AddOnce(nil, lists.Map(b.rows, func(r *Record) string { return r.Dataset() + "|" + r.System() })...)
	for i, r := range b.rows {
		row := table.Row{Dataset: r.Dataset(), Name: r.Paper}
		if b.Each != "" {
			row.Dataset = r.group()
		}
		if i > 0 {
			before := b.rows[i-1]
			row.Rule = before.group() != r.group() || before.Kind != r.Kind || b.rule != nil && b.rule(before, r)
			row.Gap = b.ByModel && len(models) < len(b.rows) && before.model() != r.model()
		}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(r))
		}
		b.Table.Rows = append(b.Table.Rows, row)
	}
}

// addText adds the definitions and signatures of the columns.
func (b *builder) addText() {
	var keys []string
	for _, c := range b.values {
		if keys = append(keys, c.Key); c.note != "" && !slices.Contains(b.Undefined, c.Key) {
			b.Defines = lists.AddOnce(b.Defines, c.note)
		}
	}
	b.Signatures = signatureLines(b.about.of(keys...))
}

// rank marks the best and second-best values of the columns for which more or less is better.
func (b *builder) rank() {
	for j, c := range b.values {
		if c.better != metrics.Neither {
			b.Rank(len(b.labels)+j, c.better == metrics.Lower, func(i int) bool { return b.rows[i].ranked() })
		}
	}
}

// addFlaws puts the signs of flaws on names and on Mean, and explains them.
func (b *builder) addFlaws() {
	var all []*Record
	for i, r := range b.rows {
		if r.Scores == nil {
			return
		}
		all = append(all, r.all()...)
		for j, c := range b.Table.Columns {
			if c.Head == labels[System].head || c.Key == meanKey {
				b.Table.Rows[i].Cells[j].Sign += metrics.Signs(r.flaws())
			}
		}
	}
	if slices.ContainsFunc(b.rows, func(r *Record) bool { return r.Kind == People }) {
		b.Unmarked = "Human references are not ranked."
	}
	b.Table.Legend = append(b.Table.Legend, flawLegend(FlawsOf(all...), notRanked)...)
	b.Table.Notes = append(b.Table.Notes, flawNotes(all, b.labels[0].Head != labels[System].head)...)
}

// meanKey is the main metric of a system. It carries the signs of flaws.
const meanKey = "mean"

// any reports whether a condition holds for any record.
func (b *builder) any(holds func(*Record) bool) bool { return slices.ContainsFunc(b.rows, holds) }

// of returns the signatures of the columns with the given keys. A signature describes the column
// with its name, or the family of columns whose keys begin with it, such as "collapse".
func (a About) of(keys ...string) map[string]string {
	some := maps.Clone(a.Signatures)
	maps.DeleteFunc(some, func(name, _ string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool {
			return name == key || strings.HasPrefix(key, name+"_")
		})
	})
	return some
}
