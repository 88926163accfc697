package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/report/table"
)

// asPrinted marks rows of the paper's values.
const asPrinted = ", as printed"

// Below returns t with an added row for each system that the paper has values for. These rows show
// the values as printed. They follow the rows of the data set, below a line. Doubtful values are
// marked, and the notes give the reasons. The field Paper of the result is empty, so that Beside
// adds nothing.
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

// below returns the paper's row of a system, or nil if it has no values. It adds a note to out for
// each doubtful value.
func below(t, out *table.Table, of *table.Row, name int, system string) *table.Row {
	row, some := &table.Row{Dataset: of.Dataset, Cells: make([]table.Cell, len(t.Columns))}, false
	for j, c := range t.Columns {
		switch {
		case j == name:
			row.Cells[j].Text = system + asPrinted
		case j < name: // the data set
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
