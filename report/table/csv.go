package table

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

var grouped = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+$`)

// csvInto appends t as comma-separated values, with a header line. Absent values are empty fields,
// counts have no commas, and a cell with several numbers becomes several fields. If a row has a
// sign, such as one for "not ranked", it is in the last column, "signs". wording.Cell escapes text
// that a spreadsheet would take for a formula. Numbers are not escaped, because programs read them.
func (t *Table) csvInto(b *strings.Builder) {
	var head []string
	for _, c := range t.Columns {
		head = append(head, lists.Map(c.fields(), escaped)...)
	}
	signed := slices.ContainsFunc(t.Rows, func(r Row) bool { return r.sign() != "" })
	if signed {
		head = append(head, "signs")
	}
	records := [][]string{head}
	for _, r := range t.Rows {
		if r.Shared {
			continue
		}
		record := make([]string, 0, len(head))
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
		if signed {
			record = append(record, r.sign())
		}
		records = append(records, record)
	}
	_ = csv.NewWriter(b).WriteAll(records) // cannot fail: writing to a strings.Builder never fails
}

// sign returns the longest sign of the row's cells, or "".
func (r Row) sign() (longest string) {
	for _, c := range r.Cells {
		longest = longer(longest, c.Sign)
	}
	return longest
}

// csvField returns the CSV field for a cell's text. Absent becomes "", and a count loses its
// commas.
func csvField(text string, align Align) string {
	switch {
	case text == Absent:
		return ""
	case align != Left && grouped.MatchString(text):
		return strings.ReplaceAll(text, ",", "")
	}
	return escaped(clean(text))
}

// The function escaped returns a number unchanged, and any other text as wording.Cell escapes it.
func escaped(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return wording.Cell(text)
}

// fields returns the CSV heads of a column.
func (c Column) fields() []string {
	if c.Parts != nil {
		return c.Parts
	}
	return []string{Flat(c.Head)}
}

// Split returns the column with several CSV fields, one per ending. With the endings "" and "low",
// the fields are called "TST%" and "TST% low".
func (c Column) Split(endings ...string) Column {
	c.Parts = lists.Map(endings, func(e string) string { return strings.TrimSpace(Flat(c.Head) + " " + e) })
	return c
}

// Signed returns the cell for a number that is printed with a plus or minus sign: "+4.0". CSV omits
// the plus.
func Signed(text string) Cell {
	return Cell{Text: text, Parts: []string{strings.TrimPrefix(text, "+")}}
}
