// Package paper has the values that the paper prints, as data (paper.toml), and sets them beside
// ours in tables.
package paper

import (
	"slices"
	"strings"
)

// Printed is what the paper prints, as data: paper.toml.
type Printed struct {
	Tables  []printedTable
	Curves  []Curve
	Notes   []printedNote
	Reasons []printedReason
}

// printedTable holds the values of one data set in one table.
type printedTable struct {
	Table   string   // the Name of the table of ours that shows the same
	Label   string   // the paper's label of its table
	Dataset string   // "yelp", "amazon", "imdb" or "snli"
	Systems []string // the two that were compared; only in the human evaluation
	Columns []string // keys, as those of package metrics
	Rows    []printedRow
}

// printedRow is one line of it.
type printedRow struct {
	Name     string
	Also     []string           // other names, that of the paper where it differs
	Values   []float64          // one a column, as printed
	Settings map[string]float64 // of this row: lambda_eps, lambda_con, items, annotators
}

// Curve is the effect of lambda_eps on the masked text of one data set. The numbers come from the
// authors' published notebook; the paper only draws them. s-BLEU is very probably charbleu.Mean, as
// in the table of attribution methods.
type Curve struct {
	Label     string
	Dataset   string
	LambdaEps []float64 `toml:"lambda_eps"`
	SBLEU     []float64 `toml:"s_bleu"`   // percent, of each lambda_eps
	Accuracy  []float64 `toml:"accuracy"` // percent, likewise
}

// printedNote is a sentence on all of a table.
type printedNote struct{ Table, Note string }

// printedReason marks cells that are known not to agree with something that can be checked. Row and
// Dataset may be empty: all of them.
type printedReason struct {
	Table, Dataset, Row string
	Columns             []string
	Reason              string // one sentence
}

// Curve returns the curve of the data set that name begins with, in any case.
func (p *Printed) Curve(name string) (Curve, bool) {
	i := slices.IndexFunc(p.Curves, func(c Curve) bool { return strings.HasPrefix(strings.ToLower(name), c.Dataset) })
	if i < 0 {
		return Curve{}, false
	}
	return p.Curves[i], true
}

// Value returns the value of one cell: table and column are keys, dataset is matched by its
// beginning in any case ("yelp-small" is "yelp"), row by any of its names in any case, with what
// stands in parentheses left out ("SMLM (copied)" is "SMLM"). reasons say why it may be wrong.
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

// row finds a line and its table, nil where there is none.
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

// rowName is what names of rows are compared by.
func rowName(name string) string {
	name, _, _ = strings.Cut(name, " (")
	return strings.ToLower(strings.TrimSpace(name))
}

// covers says whether a reason is about a cell.
func (r *printedReason) covers(t *printedTable, row *printedRow, column string) bool {
	return r.Table == t.Table && (r.Dataset == "" || r.Dataset == t.Dataset) && (r.Row == "" || r.Row == row.Name) &&
		slices.Contains(r.Columns, column)
}

// HumanSystems returns the two systems of the paper's human evaluation of a data set, nil where it
// has none.
func (p *Printed) HumanSystems(dataset string) []string {
	for _, t := range p.Tables {
		if t.Table == "human" && strings.HasPrefix(strings.ToLower(dataset), t.Dataset) {
			return t.Systems
		}
	}
	return nil
}

// Is says whether the paper's name of a system is that of ours: SMLM-FT is an SMLM.
func Is(ours, printed string) bool { return strings.HasPrefix(rowName(ours), rowName(printed)) }
