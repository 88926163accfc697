// Package paper holds the values that the paper on SMLM prints (the file paper.toml), and adds
// these values as rows to our tables. It marks doubtful values: those that contradict something
// that can be checked.
package paper

import (
	_ "embed" // embeds paper.toml
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// Printed is the content of paper.toml: the values that the paper prints.
type Printed struct {
	Tables  []printedTable
	Curves  []Curve
	Notes   []printedNote
	Reasons []printedReason
}

// printedTable holds the values in one of the paper's tables for one data set.
type printedTable struct {
	Table   string   // the name of our table with the same content
	Label   string   // the paper's label for its table
	Dataset string   // "yelp", "amazon", "imdb" or "snli"
	Systems []string // the two systems that the human evaluation compares; nil for other tables
	Columns []string // keys as in package metrics
	Rows    []printedRow
}

// printedRow is one row of a printedTable.
type printedRow struct {
	Name     string
	Also     []string           // other names of the row, such as the paper's
	Values   []float64          // one per column, as printed
	Settings map[string]float64 // settings of the row: lambda_eps, lambda_con, items, readers
}

// Curve shows how masked sentences of one data set change with lambda_eps. The paper only draws the
// curve. The numbers come from the authors' notebook. s-BLEU is very probably metrics.CharBLEU, as
// in the paper's table of attribution methods.
type Curve struct {
	Label     string
	Dataset   string
	LambdaEps []float64 `toml:"lambda_eps"`
	SBLEU     []float64 `toml:"s_bleu"`   // in percent, for each lambda_eps
	Accuracy  []float64 `toml:"accuracy"` // in percent, for each lambda_eps
}

// printedNote is a note on a whole table.
type printedNote struct{ Table, Note string }

// printedReason says why some cells are doubtful: what their values contradict. An empty Row means
// all rows, and an empty Dataset means all data sets.
type printedReason struct {
	Table, Dataset, Row string
	Columns             []string
	Reason              string // the reason, as one sentence
}

// Curve returns the curve for a data set. name must begin with the paper's name of the data set, in
// any letter case.
func (p *Printed) Curve(name string) (Curve, bool) {
	i := slices.IndexFunc(p.Curves, func(c Curve) bool { return strings.HasPrefix(strings.ToLower(name), c.Dataset) })
	if i < 0 {
		return Curve{}, false
	}
	return p.Curves[i], true
}

// Value returns the value of one cell and the reasons why the value may be wrong. table and column
// are keys. dataset must begin with the paper's name of the data set: "yelp-small" is "yelp". row
// is any name of the row. Upper and lower case do not matter, nor does text in parentheses: the row
// "SMLM (copied)" is "SMLM".
func (p *Printed) Value(table, dataset, row, column string) (value float64, reasons []string, ok bool) {
	t, r := p.row(table, dataset, row)
	if r == nil {
		return 0, nil, false
	}
	k := slices.Index(t.Columns, column)
	if k < 0 {
		return 0, nil, false
	}
	for i := range p.Reasons {
		if p.Reasons[i].covers(t, r, column) {
			reasons = append(reasons, p.Reasons[i].Reason)
		}
	}
	return r.Values[k], reasons, true
}

// row returns a row and its table, or nil if there is no such row.
func (p *Printed) row(table, dataset, row string) (*printedTable, *printedRow) {
	dataset, row = strings.ToLower(dataset), rowName(row)
	for i := range p.Tables {
		t := &p.Tables[i]
		if t.Table != table || !strings.HasPrefix(dataset, t.Dataset) {
			continue
		}
		for k := range t.Rows {
			r := &t.Rows[k]
			if rowName(r.Name) == row || slices.ContainsFunc(r.Also, func(also string) bool {
				return rowName(also) == row
			}) {
				return t, r
			}
		}
	}
	return nil, nil
}

// rowName normalises the name of a row for comparison. It lower-cases the name and removes text in
// parentheses.
func rowName(name string) string {
	name, _, _ = strings.Cut(name, " (")
	return strings.ToLower(strings.TrimSpace(name))
}

// covers reports whether a reason applies to a cell.
func (r *printedReason) covers(t *printedTable, row *printedRow, column string) bool {
	return r.Table == t.Table && (r.Dataset == "" || r.Dataset == t.Dataset) && (r.Row == "" || r.Row == row.Name) &&
		slices.Contains(r.Columns, column)
}

// HumanSystems returns the two systems that the paper's human evaluation compares on a data set. It
// returns nil if the paper has no human evaluation for the data set.
func (p *Printed) HumanSystems(dataset string) []string {
	for _, t := range p.Tables {
		if t.Table == "human" && strings.HasPrefix(strings.ToLower(dataset), t.Dataset) {
			return t.Systems
		}
	}
	return nil
}

// Is reports whether the name of our system begins with the name of the paper's system. SMLM-FT,
// for example, counts as SMLM.
func Is(ours, printed string) bool { return strings.HasPrefix(rowName(ours), rowName(printed)) }

//go:embed paper.toml
var paperTOML string

// Values returns the paper's values. The caller must not change them.
var Values = sync.OnceValue(func() *Printed {
	p := &Printed{}
	if _, err := toml.Decode(paperTOML, p); err != nil {
		panic(fmt.Sprintf("report/paper/paper.toml: %v", err)) // cannot happen: a test decodes this file
	}
	return p
})

// StyleName returns the paper's name for a style on a data set. Style 0 is "negative", and style 1
// is "positive"; on SNLI, they are "contradiction" and "entailment". It returns "" for further
// styles.
func StyleName(dataset string, style int) string {
	names := []string{"negative", "positive"}
	if strings.HasPrefix(strings.ToLower(dataset), "snli") {
		names = []string{"contradiction", "entailment"}
	}
	if style >= len(names) {
		return ""
	}
	return names[style]
}
