package report

import (
	"encoding/csv"
	"regexp"
	"strings"
)

var grouped = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+$`)

// csvInto appends t as comma-separated values: the notes as leading lines that begin with "# " (pandas: comment="#"
// only if no value holds one; otherwise skiprows), a head line, and the rows. Absent values are empty fields, counts
// have no thousands separators.
func (t *Table) csvInto(b *strings.Builder) {
	b.WriteString("# " + flat(t.Title) + "\n")
	for _, n := range t.Notes {
		b.WriteString("# " + flat(n) + "\n")
	}
	w := csv.NewWriter(b)
	record := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		record[i] = flat(c.Head)
	}
	// A csv.Writer fails only where its writer does, and a strings.Builder never does.
	_ = w.Write(record)
	for _, r := range t.Rows {
		for i, c := range r.Cells {
			record[i] = clean(c.Text)
			switch {
			case c.Text == Absent:
				record[i] = ""
			case t.Columns[i].Align == Right && grouped.MatchString(c.Text):
				record[i] = strings.ReplaceAll(c.Text, ",", "")
			}
		}
		_ = w.Write(record)
	}
	w.Flush()
}
