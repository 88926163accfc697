package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// These special values of Metric.Decimals select formats without decimals.
const (
	asCount = -1 // a count with commas
	asWhole = -2 // a whole number without commas
	asText  = -3 // the text in Record.Text
)

// ownColumns are the columns whose values are not metrics of outputs, but, for example, accuracies
// of models.
var ownColumns = []*metrics.Metric{
	{Key: "dev_accuracy", Head: "dev Acc.%", Decimals: 1},
	{Key: "test_accuracy", Head: "test Acc.%", Decimals: 1},
	{Key: "epochs", Head: "epochs", Decimals: asWhole},
	{Key: "parameters", Head: "parameters", Decimals: asCount},

	{Key: "conicity", Head: "Loss_con", Decimals: 2, Note: "Loss_con (conicity): mean |cosine| between each state of a " +
		"sentence and their mean, averaged over the dev sentences."},
	{
		Key: "top_attention", Head: "top\nattention", Decimals: 2,
		Note: "top attention: mean attention on the most-attended word of a dev sentence.",
	},
	{Key: "evidence_found", Head: "evidence\nfound", Decimals: asText, Note: "evidence found: by style, how much the " +
		"selector's log odds fall without the most-attended word, as a share of the fall without the best word. Near 0, the " +
		"attention is not on style words; the training then starts again, as often as divlstm.restarts allows."},
	{Key: "restarts", Head: "restarts", Decimals: asWhole},

	{Key: "masked_share", Head: "masked\nwords %", Decimals: 1, Share: true},
	{
		Key: "none_masked", Head: "nothing\nmasked", Decimals: asCount,
		Note: "nothing masked, all masked: numbers of sentences.",
	},
	{Key: "all_masked", Head: "all\nmasked", Decimals: asCount},
	{Key: "accuracy", Head: "Acc.%", Decimals: 1},
	{Key: "masked_s_bleu", Head: "s-BLEU", Decimals: 1, Note: "s-BLEU of masked text: corpus BLEU-4 over words."},
	{Key: "char_s_bleu", Head: "char\ns-BLEU", Decimals: 1, Note: "char s-BLEU: mean sentence BLEU over characters, with " +
		"<blank> for a masked word. It is very probably the paper's s-BLEU of masked text, and must not be compared with " +
		"s-BLEU over words."},

	{
		Key: "reached", Head: "style\nreached %", Decimals: 1, Share: true,
		Note: "style reached %: outputs in the target style, by the selector (a bag of n-grams).",
	},
	{
		Key: "content_kept", Head: "content\nkept %", Decimals: 1, Share: true,
		Note: "content kept %: squared F1 of the words of source and output, each weighted by how much content it is.",
	},
	{
		Key: "fluency_kept", Head: "fluency\nkept %", Decimals: 1, Share: true,
		Note: "fluency kept %: mean of exp(-0.3 n), where n is the number of trigrams that neither the source nor the training text has.",
	},
	{
		Key: "tuning_score", Head: "score", Decimals: 1, Share: true,
		Note: "score: the mean over sentences of the selector's probability of the target style x content x fluency, in percent; an unchanged sentence counts as 0.",
	},

	{Key: "train", Head: "train", Decimals: asCount},
	{Key: "dev", Head: "dev", Decimals: asCount},
	{Key: "test", Head: "test", Decimals: asCount},
	{Key: "references", Head: "references", Decimals: asCount},

	{Key: WorstMean, Head: "worst\nMean", Decimals: 1, Note: "worst Mean: the lowest Mean of any direction."},
}

// WorstMean is the key of the column with the lowest value of the metric Mean among a system's
// directions.
const WorstMean = "worst_mean"

// directionColumn is a column whose cells show one number for each direction.
type directionColumn struct {
	metrics.Metric
	number func(*metrics.Direction) float64
}

// newWordKey is the key of the column that shows how much of all new words in outputs the most
// frequent one is.
const newWordKey = "collapse_share"

// directionColumns are the columns that reveal collapse: a collapsed system writes the same few
// words into all outputs.
var directionColumns = []directionColumn{
	{
		metrics.Metric{
			Key: newWordKey, Head: "most\nfrequent\nnew word %", Decimals: 1, Share: true,
			Note: "most frequent new word %: its share of all new words, by direction. A new word is in the output and not " +
				"in its source. Near 100, the system writes the same word everywhere.",
		},
		func(d *metrics.Direction) float64 { return d.MostFrequentNewWordShare },
	},
	{
		metrics.Metric{
			Key: "collapse_distinct", Head: "distinct\nnew words", Decimals: asCount,
			Note: "distinct new words: how many different ones, by direction.",
		},
		func(d *metrics.Direction) float64 { return float64(d.DistinctNewWords) },
	},
	{
		metrics.Metric{
			Key: "collapse_repeat", Head: "repeated\nword %", Decimals: 1, Share: true,
			Note: "repeated word %: outputs in which a word follows itself more often than in the source, by direction.",
		},
		func(d *metrics.Direction) float64 { return d.RepeatShare },
	},
}

// A column describes a column of a table. The function cell returns the cell for a record.
type column struct {
	table.Column
	better metrics.Better
	note   string // definition of the column, printed below the table
	cell   func(*Record) table.Cell
}

// valueColumns returns the columns for a key. A key that ends in "*" stands for all keys in the
// records that begin with the part before the "*". If no record has a value for a metric, the
// metric has no column, and its key is added to absent.
func valueColumns(key string, rows []*Record) (columns []column, absent []string) {
	if i := slices.IndexFunc(directionColumns, func(c directionColumn) bool { return c.Key == key }); i >= 0 {
		return []column{directionColumns[i].column(rows)}, nil
	}
	for _, m := range columnsNamed(key, rows) {
		switch {
		case len(rows) == 0 || slices.ContainsFunc(rows, func(r *Record) bool { return r.hasValue(m) }):
			columns = append(columns, valueColumn(m))
		case m.Key == key:
			absent = append(absent, key)
		}
	}
	return columns, absent
}

// columnsNamed returns the metrics for a key. A key that ends in "*" stands for several metrics.
func columnsNamed(key string, rows []*Record) []*metrics.Metric {
	prefix, several := strings.CutSuffix(key, "*")
	if !several {
		if i := slices.IndexFunc(ownColumns, func(m *metrics.Metric) bool { return m.Key == key }); i >= 0 {
			return ownColumns[i : i+1]
		}
		return metrics.ColumnsOf(key)
	}
	var keys []string
	for _, r := range rows {
		for value := range r.Values {
			if strings.HasPrefix(value, prefix) {
				keys = lists.AddOnce(keys, value)
			}
		}
	}
	if keys == nil {
		return nil
	}
	return metrics.ColumnsOf(keys...)
}

func (r *Record) hasValue(m *metrics.Metric) bool {
	_, number := r.Values[m.Key]
	_, text := r.Text[m.Key]
	return number || text
}

func valueColumn(m *metrics.Metric) column {
	c := column{
		Column: table.Column{Head: m.Head, Arrow: arrow(m), Align: table.Right, Key: m.Key},
		better: m.Better, note: m.Note,
		cell: func(r *Record) table.Cell { return valueCell(r, m) },
	}
	if m.Decimals == asText {
		c.Align = table.Left
	}
	return c
}

// The map wanted says whether higher or lower values are better, for metrics that tables do not
// rank.
var wanted = map[string]metrics.Better{
	"tst_fasttext": metrics.Higher, "perplexity": metrics.Lower,
	"distinct_2": metrics.Higher, "halved_share": metrics.Lower,
	newWordKey: metrics.Lower, "collapse_distinct": metrics.Higher, "collapse_repeat": metrics.Lower,
	WorstMean: metrics.Higher, "dev_accuracy": metrics.Higher, "test_accuracy": metrics.Higher,
	"evidence_found": metrics.Higher, "accuracy": metrics.Lower, "masked_s_bleu": metrics.Higher,
	"char_s_bleu": metrics.Higher, "reached": metrics.Higher,
	"content_kept": metrics.Higher, "fluency_kept": metrics.Higher, "tuning_score": metrics.Higher,
}

// arrow returns "↑" or "↓" if higher or lower values of a metric are better, otherwise "".
func arrow(m *metrics.Metric) string {
	return map[metrics.Better]string{metrics.Higher: "↑", metrics.Lower: "↓"}[cmp.Or(m.Better, wanted[m.Key])]
}

// headOf returns the cell with a metric's name, for tables with one row per metric. The cell has an
// arrow, except in CSV.
func headOf(m *metrics.Metric) table.Cell {
	head := table.Flat(m.Head)
	return table.Cell{Text: head + arrow(m), Parts: []string{head}}
}

// valueCell returns the cell with a record's value. If the record is a mean of several records, the
// cell also has the standard deviation.
func valueCell(r *Record, m *metrics.Metric) table.Cell {
	if m.Decimals == asText {
		text := r.Text[m.Key]
		if text == "" {
			text = table.Absent
		}
		return table.Cell{Text: text}
	}
	v, known := r.Values[m.Key]
	if !known {
		return table.Cell{Text: table.Absent}
	}
	cell := table.Cell{Text: numberText(m.Printed(v), m.Decimals), Parts: []string{exactText(m.Printed(v), m.Decimals)}}
	if values := valuesOf(r.members, m.Key); len(values) > 1 {
		_, deviation := SeedStats(values)
		cell.Text += " ± " + table.Decimals(m.Printed(deviation), m.Decimals)
		cell.Parts = append(cell.Parts, table.Exact(m.Printed(deviation)))
	}
	return cell
}

// numberText formats a number with the given number of decimals, or as a count.
func numberText(v float64, decimals int) string {
	switch decimals {
	case asCount:
		return table.Thousands(int(v))
	case asWhole:
		return strconv.Itoa(int(v))
	}
	return table.Decimals(v, decimals)
}

// exactText formats a number for programs. A count is written without an exponent.
func exactText(v float64, decimals int) string {
	if decimals < 0 {
		return strconv.Itoa(int(v))
	}
	return table.Exact(v)
}

// column returns the table column for these records. A cell shows the numbers of two directions
// side by side, or the range of the numbers of more directions. CSV has one field per direction.
func (d *directionColumn) column(rows []*Record) column {
	n := 2
	for _, r := range rows {
		n = max(n, len(d.numbers(r)))
	}
	return column{
		Column: numbered(table.Column{Head: d.Head, Arrow: arrow(&d.Metric), Align: table.Center, Key: d.Key}, n),
		note:   d.Note,
		cell: func(r *Record) table.Cell {
			numbers := d.numbers(r)
			if numbers == nil {
				return table.Cell{Text: table.Absent}
			}
			return table.Cell{Text: d.text(numbers), Parts: lists.Map(numbers, d.exact)}
		},
	}
}

// The function numbered gives a column n CSV fields, whose heads end in 1 to n.
func numbered(c table.Column, n int) table.Column {
	endings := make([]string, n)
	for k := range endings {
		endings[k] = strconv.Itoa(k + 1)
	}
	return c.Split(endings...)
}

// byStyle returns a copy of the column whose cells have one text per style, side by side. CSV has
// one field per style.
func (c column) byStyle(rows []*Record) column {
	texts := func(r *Record) []string { return strings.Split(r.Text[c.Key], sideBySide) }
	n := 1
	for _, r := range rows {
		n = max(n, len(texts(r)))
	}
	cell := c.cell
	c.Column = numbered(c.Column, n)
	c.Align = table.Right
	c.cell = func(r *Record) table.Cell {
		shown := cell(r)
		shown.Parts = texts(r)
		return shown
	}
	return c
}

// numbers returns one number per direction. If the record is a mean of several records, the number
// of a direction is the largest number that these records have for it.
func (d *directionColumn) numbers(r *Record) (numbers []float64) {
	for _, member := range r.all() {
		if member.Scores == nil {
			continue
		}
		for k := range member.Scores.Directions {
			v := d.of(&member.Scores.Directions[k])
			if k == len(numbers) {
				numbers = append(numbers, v)
			}
			numbers[k] = max(numbers[k], v)
		}
	}
	return numbers
}

// The method of returns the number of a direction, in the unit that tables print.
func (d *directionColumn) of(direction *metrics.Direction) float64 {
	return d.Printed(d.number(direction))
}

// write returns a direction's number as text for tables.
func (d *directionColumn) write(v float64) string { return numberText(v, d.Decimals) }

// exact returns a direction's number as text for programs.
func (d *directionColumn) exact(v float64) string { return exactText(v, d.Decimals) }

// text returns one or two numbers side by side, or the range of more numbers.
func (d *directionColumn) text(numbers []float64) string {
	if len(numbers) <= 2 {
		return strings.Join(lists.Map(numbers, d.write), sideBySide)
	}
	least, most := d.write(slices.Min(numbers)), d.write(slices.Max(numbers))
	if least == most {
		return least
	}
	return least + " to " + most
}

// sideBySide separates several values in one cell.
const sideBySide = " / "

// withInterval returns a copy of the column that also shows the bootstrap interval of each value:
// "60.8 [58.9, 62.7]".
func (c column) withInterval() column {
	m := metrics.ColumnsOf(c.Key)[0]
	c.Column, c.better = c.Split("", "low", "high"), metrics.Neither
	c.cell = func(r *Record) table.Cell {
		v, known := r.Scores.Intervals[m.Key]
		if !known {
			return table.Cell{Text: table.Absent}
		}
		return intervalCell(m.Printed(v.Value), m.Printed(v.Low), m.Printed(v.High), m.Decimals)
	}
	return c
}

// intervalCell shows a value and its interval. If the interval is unknown (NaN), it shows only the
// value.
func intervalCell(v, low, high float64, decimals int) table.Cell {
	text := table.Decimals(v, decimals)
	if !math.IsNaN(low) {
		text += fmt.Sprintf(" [%s, %s]", table.Decimals(low, decimals), table.Decimals(high, decimals))
	}
	return table.Cell{Text: text, Parts: []string{table.Exact(v), table.Exact(low), table.Exact(high)}}
}

// A label describes the column of an axis, such as the data set or the seed.
type label struct {
	head  string
	align table.Align
	merge bool                // print a label only once for adjacent rows that share it
	text  func(string) string // formats a value; nil means unchanged
}

// The map labels describes the columns of the axes that it lists. All other axes are settings, and
// the function settingColumn makes their columns.
var labels = map[string]label{
	Dataset:  {head: "Data set", merge: true},
	System:   {head: "System"},
	Seed:     {head: "seed", align: table.Right},
	"model":  {head: "Model", text: PartName},
	"method": {head: "Method", text: methodName},
	"policy": {head: "policy"},
	"style":  {head: "Style"},

	"tried_mask":       {head: "masks"},
	"tried_style_cost": {head: "style\ncost", align: table.Right},
	"tried_style":      {head: "style", align: table.Right},
}

// labelColumns returns the columns for a key of Spec.Labels. Usually the key names an axis. A key
// that ends in "?" gives a column only if the records have different values on that axis. The keys
// "*" and "*?" stand for all swept settings that are not themselves in the list keys.
func labelColumns(key string, keys []string, rows []*Record) (columns []column) {
	key, ifDifferent := strings.CutSuffix(key, "?")
	if key == "*" {
		own := append([]string{Dataset, System, Seed}, lists.Map(keys, func(k string) string {
			return strings.TrimSuffix(k, "?")
		})...)
		settings := lists.Filter(axisKeys(rows), func(k string) bool { return !slices.Contains(own, k) })
		if ifDifferent {
			settings = Differing(rows, own...)
		}
		return lists.Map(settings, func(k string) column { return settingColumn(k, rows) })
	}
	if key == members {
		return membersColumn(rows)
	}
	var values []string
	for _, r := range rows {
		if v := r.Axis(key); v != "" && v != table.Absent {
			values = lists.AddOnce(values, v)
		}
	}
	if ifDifferent && len(values) < 2 {
		return nil
	}
	own, known := labels[key]
	if !known {
		return []column{settingColumn(key, rows)}
	}
	c := column{Column: table.Column{Head: own.head, Align: own.align, Merge: own.merge, Setting: key == Seed}}
	c.cell = func(r *Record) table.Cell {
		text := r.Axis(key)
		if own.text != nil {
			text = own.text(text)
		}
		return table.Cell{Text: text}
	}
	return []column{c}
}

// members is the key and the head of the column that shows how many records were averaged in a row.
const members = "seeds"

// membersColumn returns the column that shows how many records were averaged in each row. It
// returns no column if no row is a mean of several records.
func membersColumn(rows []*Record) []column {
	if !slices.ContainsFunc(rows, func(r *Record) bool { return len(r.members) > 1 }) {
		return nil
	}
	return []column{{
		Column: table.Column{Head: members, Align: table.Right, Setting: true},
		cell:   func(r *Record) table.Cell { return table.Cell{Text: strconv.Itoa(len(r.members))} },
	}}
}

// settingColumn returns the column of a swept setting. Numbers are right-aligned, text is
// left-aligned.
func settingColumn(key string, rows []*Record) column {
	text := func(r *Record) string { return recipe.Answer(r.Axis(key)) }
	c := column{
		Column: table.Column{Head: key, Align: table.Right, Key: key, Setting: true},
		cell:   func(r *Record) table.Cell { return table.Cell{Text: text(r)} },
	}
	for _, r := range rows {
		if v := text(r); v != "" && v != table.Absent {
			if _, err := strconv.ParseFloat(v, 64); err != nil {
				c.Align = table.Left
			}
		}
	}
	return c
}
