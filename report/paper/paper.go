// Package paper holds the values that the paper on SMLM prints (the file paper.toml), and adds
// these values as rows to our tables. It marks doubtful values: those that contradict something
// that can be checked.
package paper

import (
	_ "embed" // embeds paper.toml
	"errors"
	"fmt"
	"math"
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

// Values returns the paper's values. It cannot fail, because the values are part of the program.
// The caller must not change the values.
var Values = sync.OnceValue(func() *Printed {
	p, err := parsePrinted(paperTOML)
	if err != nil {
		panic(fmt.Sprintf("report/paper/paper.toml: %v", err)) // cannot happen: a test parses this file
	}
	return p
})

// printedDatasets are the paper's data sets.
var printedDatasets = []string{"yelp", "amazon", "imdb", "snli"}

// printedColumns lists the columns that each table may have.
var printedColumns = map[string][]string{
	"results":     {"tst", "r_bleu", "s_bleu", "naturalness", "mean"},
	"content":     {"meteor", "rouge_l", "cider", "embedding_average", "vector_extrema", "greedy_matching"},
	"attribution": {"accuracy", "char_s_bleu"},
	"classifier":  {"test_accuracy"},
	"divlstm":     {"test_accuracy", "conicity"},
	"datasets":    {"train", "dev", "test"},
	"human":       {"a_better", "b_better", "both_good", "both_bad", "no_agreement"},
}

// printedSettings lists the settings that a row may have.
var printedSettings = []string{"lambda_eps", "lambda_con", "items", "readers"}

// parsePrinted reads and checks paper.toml. It rejects unknown keys, columns, tables and data sets,
// duplicate tables and names, and reasons that cover no cell.
func parsePrinted(text string) (*Printed, error) {
	p := &Printed{}
	md, err := toml.Decode(text, p)
	if err != nil {
		return nil, err
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown key %q", unknown[0].String())
	}
	seen := map[string]bool{}
	for i := range p.Tables {
		t := &p.Tables[i]
		err := t.check()
		if name := t.Table + " of " + t.Dataset; err == nil && seen[name] {
			err = errors.New("the table stands twice")
		} else {
			seen[name] = true
		}
		if err != nil {
			return nil, fmt.Errorf("table %d, %s of %s: %w", i+1, t.Table, t.Dataset, err)
		}
	}
	for _, c := range p.Curves {
		if n := len(c.LambdaEps); c.Label == "" || !slices.Contains(printedDatasets, c.Dataset) || n == 0 ||
			len(c.SBLEU) != n || len(c.Accuracy) != n {
			return nil, fmt.Errorf("the curve of %q needs a label, one of the data sets %s, and as many values of "+
				"each kind", c.Dataset, strings.Join(printedDatasets, ", "))
		}
	}
	for _, n := range p.Notes {
		if printedColumns[n.Table] == nil || n.Note == "" {
			return nil, fmt.Errorf("a note on table %q: no such table, or no text", n.Table)
		}
	}
	for i := range p.Reasons {
		if err := p.checkReason(&p.Reasons[i]); err != nil {
			return nil, fmt.Errorf("reason %d, of %s: %w", i+1, p.Reasons[i].Table, err)
		}
	}
	return p, nil
}

// check returns an error if a table is invalid.
func (t *printedTable) check() error {
	known := printedColumns[t.Table]
	switch {
	case known == nil:
		return errors.New("no such table")
	case t.Label == "":
		return errors.New("no label")
	case !slices.Contains(printedDatasets, t.Dataset):
		return errors.New("no such data set")
	case len(t.Columns) == 0 || len(t.Rows) == 0:
		return errors.New("no columns or no rows")
	case t.Table == "human" && len(t.Systems) != 2 || t.Table != "human" && t.Systems != nil:
		return errors.New("systems are the two of the human evaluation, and only its")
	}
	for i, c := range t.Columns {
		if !slices.Contains(known, c) || slices.Contains(t.Columns[:i], c) {
			return fmt.Errorf("column %q is unknown or stands twice", c)
		}
	}
	names := map[string]bool{}
	for _, r := range t.Rows {
		for _, name := range append([]string{r.Name}, r.Also...) {
			if rowName(name) == "" || names[rowName(name)] {
				return fmt.Errorf("the name %q is empty or stands twice", name)
			}
			names[rowName(name)] = true
		}
		if len(r.Values) != len(t.Columns) {
			return fmt.Errorf("row %s has %d values for %d columns", r.Name, len(r.Values), len(t.Columns))
		}
		if slices.ContainsFunc(r.Values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) || v < 0 }) {
			return fmt.Errorf("row %s has a value that is negative or not a number", r.Name)
		}
		for key := range r.Settings {
			if !slices.Contains(printedSettings, key) {
				return fmt.Errorf("row %s: unknown setting %q", r.Name, key)
			}
		}
	}
	return nil
}

// checkReason returns an error if a reason has no text or no columns, or if it covers no cell in
// one of its columns.
func (p *Printed) checkReason(reason *printedReason) error {
	if reason.Reason == "" || len(reason.Columns) == 0 {
		return errors.New("no text or no columns")
	}
	for _, column := range reason.Columns {
		covered := slices.ContainsFunc(p.Tables, func(t printedTable) bool {
			return slices.Contains(t.Columns, column) && slices.ContainsFunc(t.Rows, func(r printedRow) bool {
				return reason.covers(&t, &r, column)
			})
		})
		if !covered {
			return fmt.Errorf("no cell of column %q is meant", column)
		}
	}
	return nil
}

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
