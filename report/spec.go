package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// A Spec defines a table: which records it shows and how.
type Spec struct {
	Name  string
	Title string // "{test set}" stands for the name of the test set
	From  string // what the records measure: one of the constants From...

	Labels  []string // axes that have columns; labelColumns explains "?" and "*"
	Columns []string // keys of columns; a column without any value is left out
	More    []string // keys of less important columns, which narrow screens and wide LaTeX tables leave out
	Minor   []string // keys in Columns that narrow screens and wide LaTeX tables also leave out

	Mean    string // axis over which values are averaged, such as the seed; "" means no averaging
	ByModel bool   // group rows by model
	Short   bool   // show masks and decoding in the system's name, and leave out settings with one value
	Ranked  bool   // mark the best values of each data set

	Paper  string   // tables of the paper that have some of these values, separated by spaces
	Legend []string // as in table.Table
	Notes  []string // as in table.Table
	// Undefined lists columns whose definition is not printed, because the usual definition would
	// be wrong in this table.
	Undefined []string

	keep   func(*Record) bool // reports whether a record has a row; if nil, all records have one
	order  func(*Record) int  // sort key of the rows of a data set; nil keeps the order
	adjust func(*builder)     // further changes to this table; nil means none
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

// Table builds the table from the records that belong in it. If no records belong in the table, it
// has no rows.
func (s *Spec) Table(records []*Record, about About) *table.Table {
	b := &builder{Spec: s, about: about, rows: s.rows(records)}
	b.Table = &table.Table{
		Name: s.Name, Title: s.title(records), Paper: s.Paper,
		Legend: slices.Concat(about.Legend, s.Legend), Settings: about.Settings(),
		Notes: slices.Concat(about.Notes, s.Notes),
	}
	b.addColumns()
	if s.adjust != nil {
		s.adjust(b)
	}
	b.addOrder()
	b.addRows()
	b.addText()
	if s.Ranked {
		b.rank()
	}
	b.addFlaws()
	return b.Table
}

// title returns the title, with the number of sentences and the seeds in parentheses: "Automatic
// evaluation on the yelp test set (1,000 sentences; seeds 1, 2)."
func (s *Spec) title(records []*Record) string {
	of := lists.Filter(records, func(r *Record) bool { return r.From == s.From })
	title := strings.ReplaceAll(s.Title, testSet, testSetOf(of))
	if sample := Sample(of); sample != "" {
		return strings.TrimSuffix(title, ".") + " (" + sample + ")."
	}
	return title
}

// Sample describes the records for a caption: "1,000 sentences; seeds 1, 2". It leaves out the
// number of sentences if records do not measure sentences.
func Sample(records []*Record) string {
	var datasets, seeds, sizes, parts []string
	sentences := map[string]int{}
	for _, r := range records {
		datasets = lists.AddOnce(datasets, r.Dataset())
		sentences[r.Dataset()] = max(sentences[r.Dataset()], r.Sentences())
		if seed := r.Axis(Seed); seed != "" {
			seeds = lists.AddOnce(seeds, seed)
		}
	}
	for _, dataset := range datasets {
		if n := sentences[dataset]; n > 0 {
			size := table.Thousands(n) + " " + wording.Plural(n, "sentence")
			if len(datasets) > 1 {
				size += " of " + dataset
			}
			sizes = append(sizes, size)
		}
	}
	if len(sizes) > 0 {
		parts = append(parts, strings.Join(sizes, ", "))
	}
	if len(seeds) > 0 {
		slices.SortFunc(seeds, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		parts = append(parts, wording.Plural(len(seeds), "seed")+" "+strings.Join(seeds, ", "))
	}
	return strings.Join(parts, "; ")
}

// Sentences returns the number of sentences that a record measures, or 0 if it is unknown.
func (r *Record) Sentences() int {
	if r.Scores == nil {
		return int(r.Values["sentences"])
	}
	n := 0
	for _, d := range r.Scores.Directions {
		n += d.N
	}
	return n
}

// addOrder explains cells that show two numbers, one for each direction. The text says which number
// belongs to which direction: "a / b: gloomy to cheerful / cheerful to gloomy."
func (b *builder) addOrder() {
	var orders []string
	of := map[string][]string{} // order of directions -> data sets
	for _, r := range b.rows {
		if r.Scores == nil || len(r.Scores.Directions) != 2 {
			continue
		}
		order := strings.Join(lists.Map(r.Scores.Directions, func(d metrics.Direction) string {
			return d.From + " to " + d.To
		}), sideBySide)
		orders, of[order] = lists.AddOnce(orders, order), lists.AddOnce(of[order], r.Dataset())
	}
	for _, order := range orders {
		text := "a / b"
		if len(orders) > 1 {
			text += " on " + strings.Join(of[order], ", ")
		}
		b.Table.Order = append(b.Table.Order, text+": "+order+".")
	}
}

// testSet is the placeholder for the test sets in titles.
const testSet = "{test set}"

// testSetOf returns "yelp test set" if all records are of the data set yelp. It returns "test sets"
// if the records are of several data sets, or if there are no records.
func testSetOf(rows []*Record) string {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(r *Record) bool { return r.Dataset() != rows[0].Dataset() }) {
		return "test sets"
	}
	return rows[0].Dataset() + " test set"
}

// rows returns the records that the table shows, in the table's order.
func (s *Spec) rows(records []*Record) []*Record {
	rows := lists.Filter(records, func(r *Record) bool { return r.From == s.From && (s.keep == nil || s.keep(r)) })
	if s.Short {
		rows = short(rows)
	}
	if s.Mean != "" {
		rows = meanOver(s.Mean, rows)
	}
	ranks := []func(*Record) int{firstSeen(rows, (*Record).Dataset)}
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

// model returns the system of a record of kind Ours, or "" for a record of another kind.
func (r *Record) model() string {
	if r.Kind != Ours {
		return ""
	}
	return r.System()
}

// firstSeen returns a function for sorting records: it gives the position of a record's key in the
// order in which keys first appear in rows.
func firstSeen(rows []*Record, key func(*Record) string) func(*Record) int {
	keys := lists.AddOnce(nil, lists.Map(rows, key)...)
	places := map[string]int{}
	for i, k := range keys {
		places[k] = i
	}
	return func(r *Record) int { return places[key(r)] }
}

// The function short returns copies of the records for a narrower table. In the copies, the masks
// and the decoding are part of the system's name, and settings with only one value are left out.
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

// addColumns adds the label columns and the value columns.
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

// The method several reports whether any row is a mean of several records.
func (b *builder) several() bool {
	return slices.ContainsFunc(b.rows, func(r *Record) bool { return len(r.members) > 1 })
}

// splitDeviations gives each value column an additional CSV field for the standard deviation, and
// explains deviations in the legend.
func (b *builder) splitDeviations() {
	for j, c := range b.values {
		if c.Parts == nil {
			b.values[j].Column = c.Split("", "deviation")
		}
	}
	n := fmt.Sprint(slices.Max(lists.Map(b.rows, func(r *Record) int { return len(r.members) }))) + " "
	if slices.Contains(b.Spec.Labels, members) {
		n = ""
	}
	b.Table.Legend = append(b.Table.Legend, "Mean ± sample standard deviation over "+n+"seeds.")
	if slices.ContainsFunc(b.values, func(c column) bool { return c.Key == newWordKey }) {
		b.Defines = append(b.Defines, "most frequent new word %, of several seeds: the largest share.")
	}
}

// mergeModels makes the table print the name of a model only once for adjacent rows. It does not do
// so if the name is the last label, because nothing else would then tell the rows apart.
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
		if i > 0 {
			before := b.rows[i-1]
			row.Rule = before.Dataset() != r.Dataset() || before.Kind != r.Kind
			row.Gap = b.ByModel && len(models) < len(b.rows) && before.model() != r.model()
		}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(r))
		}
		b.Table.Rows = append(b.Table.Rows, row)
	}
}

// addText adds the definitions and the signatures of the columns.
func (b *builder) addText() {
	var keys []string
	for _, c := range b.values {
		if keys = append(keys, c.Key); c.note != "" && !slices.Contains(b.Undefined, c.Key) {
			b.Defines = lists.AddOnce(b.Defines, c.note)
		}
	}
	b.Signatures = signatureLines(b.about.of(keys...))
}

// rank marks the best values of each column. It skips columns in which neither
// higher nor lower values are better.
func (b *builder) rank() {
	flawed := b.flawed()
	for j, c := range b.values {
		if c.better != metrics.Neither {
			b.Rank(len(b.labels)+j, c.better == metrics.Lower, func(i int) bool {
				r := b.rows[i]
				return r.Kind != People && !r.Partial && !flawed[r.withoutSeed()]
			})
		}
	}
	var unmarked []string
	if b.any(func(r *Record) bool { return r.Kind == People }) {
		unmarked = append(unmarked, "References are not ranked.")
	}
	if b.any(func(r *Record) bool { return flawed[r.withoutSeed()] && len(r.flaws()) == 0 }) {
		unmarked = append(unmarked, "A system with a sign in one row is not ranked in any row.")
	}
	b.Unmarked = strings.Join(unmarked, " ")
}

// The method flawed returns the systems whose outputs have a flaw in any row, and so with any seed.
// The keys are those that withoutSeed returns.
func (b *builder) flawed() map[string]bool {
	flawed := map[string]bool{}
	for _, r := range b.rows {
		if !metrics.Ranked(lists.Map(r.all(), func(r *Record) *metrics.Scores { return r.Scores })...) {
			flawed[r.withoutSeed()] = true
		}
	}
	return flawed
}

// addFlaws adds the signs of flaws, such as ‡, after the names of systems and after values of Mean,
// and explains the signs.
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
	b.Table.Legend = append(b.Table.Legend, flawLegend(FlawsOf(all...), notRanked(b.several()))...)
	b.Table.Notes = append(b.Table.Notes, flawNotes(all, b.labels[0].Head != labels[System].head)...)
}

// meanKey is the key of Mean, a system's main metric.
const meanKey = "mean"

// The method any reports whether holds(r) is true for at least one record r of the table.
func (b *builder) any(holds func(*Record) bool) bool { return slices.ContainsFunc(b.rows, holds) }

// The method of returns the signatures of the columns with the given keys. The name of a signature
// is the key of a column, or the common beginning of the keys of several columns, such as
// "collapse".
func (a About) of(keys ...string) map[string]string {
	some := maps.Clone(a.Signatures)
	maps.DeleteFunc(some, func(name, _ string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool {
			return name == key || strings.HasPrefix(key, name+"_")
		})
	})
	return some
}
