package table

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

var grouped = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+$`)

// csvInto appends t as comma-separated values: a header line and the rows. Absent values are empty
// fields, counts have no thousands separators, and a cell of several numbers is a field each. Text
// that a spreadsheet would take for a formula is escaped (wording.Cell). Numbers are not, because
// programs read them.
func (t *Table) csvInto(b *strings.Builder) {
	w := csv.NewWriter(b) // a strings.Builder never fails
	var record []string
	for _, c := range t.Columns {
		record = append(record, lists.Map(c.fields(), escaped)...)
	}
	w.Write(record)
	for _, r := range t.Rows {
		if r.Shared {
			continue
		}
		record = record[:0]
		for i, c := range r.Cells {
			parts := c.Parts
			if parts == nil {
				parts = []string{c.Text}
			}
			for k := range t.Columns[i].fields() {
				field := ""
				if k < len(parts) {
					field = csvField(parts[k], t.Columns[i].Align)
				}
				record = append(record, field)
			}
		}
		w.Write(record)
	}
	w.Flush()
}

// csvField is a text as CSV has it.
func csvField(text string, align Align) string {
	switch {
	case text == Absent:
		return ""
	case align != Left && grouped.MatchString(text):
		return strings.ReplaceAll(text, ",", "")
	}
	return escaped(clean(text))
}

// escaped is wording.Cell of a text that is no number.
func escaped(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return wording.Cell(text)
}

// fields are the heads of a column in CSV.
func (c Column) fields() []string {
	if c.Parts != nil {
		return c.Parts
	}
	return []string{Flat(c.Head)}
}

// Split makes a column one field in CSV for each ending: "TST%", "TST% low" of "" and "low".
func (c Column) Split(endings ...string) Column {
	c.Parts = lists.Map(endings, func(e string) string { return strings.TrimSpace(Flat(c.Head) + " " + e) })
	return c
}

// Signed is a number that is printed with its sign, "+4.0", and without a plus in CSV.
func Signed(text string) Cell {
	return Cell{Text: text, Parts: []string{strings.TrimPrefix(text, "+")}}
}
