package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// asPrinted is added to the system's name in rows with the paper's values.
const asPrinted = ", as printed"

// Below returns a copy of t with the paper's values as further rows. They come after all other rows
// of their data set, below a line, one row for each system that is in t and in the paper. Doubtful
// values are marked, and notes give the reasons. The copy's field Paper is empty, so that the
// function Beside does not add the same values.
func Below(t *table.Table) *table.Table {
	out, seen := *t, map[string]bool{}
	out.Rows, out.Paper = nil, ""
	name := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Head == "System" })
	some := false
	var block []table.Row
	for i, r := range t.Rows {
		out.Rows = append(out.Rows, r)
		system, _, _ := strings.Cut(r.Name, " (")
		if key := r.Dataset + "|" + system; !seen[key] {
			seen[key] = true
			if line := below(t, &out, &r, name, system); line != nil {
				line.Rule, some = len(block) == 0, true
				block = append(block, *line)
			}
		}
		if i == len(t.Rows)-1 || t.Rows[i+1].Dataset != r.Dataset {
			out.Rows, block = append(out.Rows, block...), nil
		}
	}
	if some {
		out.Legend = append(slices.Clone(out.Legend), "Rows as printed in the paper are not ranked.")
	}
	if len(out.Notes) > len(t.Notes) {
		out.Legend = append(out.Legend, doubtLegend)
	}
	return &out
}

// The function below returns the row with the paper's values for a system, or nil if the paper has
// none. It adds a note to out for each doubtful value.
func below(t, out *table.Table, of *table.Row, name int, system string) *table.Row {
	row, some := &table.Row{Dataset: of.Dataset, Cells: make([]table.Cell, len(t.Columns))}, false
	for j, c := range t.Columns {
		switch {
		case j == name:
			row.Cells[j].Text = system + asPrinted
		case j < name: // label columns before the system's name, such as the data set
			row.Cells[j] = of.Cells[j]
		case c.Key != "":
			v, reasons, known := Values().Value(t.Paper, of.Dataset, system, c.Key)
			if !known {
				continue
			}
			some, row.Cells[j].Text = true, printedText(v, of.Cells[j].Text)
			for _, reason := range reasons {
				row.Cells[j].Sign = doubtSign
				out.Notes = append(out.Notes, fmt.Sprintf("%s %s %s, %s: %s", doubtSign, of.Dataset, system,
					table.Flat(c.Head), reason))
			}
		}
	}
	if !some {
		return nil
	}
	return row
}
