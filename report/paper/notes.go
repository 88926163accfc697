package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// titles are what a reader of the paper knows its tables by, a table of ours each.
var titles = map[string]string{
	"results": "tables of quantitative metrics", "content": "table of content preservation metrics",
	"attribution": "comparison of attribution models", "classifier": "comparison of FastText and Bi-LSTM",
	"divlstm": "classification statistics and choice of lambda_con", "datasets": "statistics of each data set",
	"human": "human evaluations",
}

// mostListed is how many cells or rows a note names.
const mostListed = 4

// notes are those of the table, then what the three rows are, what the paper's table is, and why
// values are doubtful.
func (w *writer) notes() {
	w.out.Notes = slices.Clone(w.from.Notes)
	w.out.Legend = append(slices.Clone(w.out.Legend), fmt.Sprintf("%s: as printed in the paper; %s: ours less the "+
		"paper's, of the numbers as printed.", table.PaperRow, differenceWord))
	tables := lists.Map(w.tables, func(name string) string { return titles[name] })
	w.out.Notes = append(w.out.Notes, "The paper's values: from its "+strings.Join(tables, " and ")+".")
	for _, n := range w.p.Notes {
		if slices.Contains(w.tables, n.Table) {
			w.out.Notes = append(w.out.Notes, n.Note)
		}
	}
	if len(w.shown) > 0 {
		w.out.Legend = append(w.out.Legend, doubtLegend)
	}
	for _, d := range w.shown {
		w.out.Notes = append(w.out.Notes, fmt.Sprintf("%s %s: %s", doubtSign, listed(d.cells), d.reason))
	}
	w.out.Notes = append(w.out.Notes, w.otherEps()...)
}

// listed names the first of cells or rows, and how many there are besides.
func listed(names []string) string {
	if len(names) > mostListed {
		names = append(slices.Clone(names[:mostListed]), fmt.Sprintf("and %d more", len(names)-mostListed))
	}
	return strings.Join(names, "; ")
}

// printedText writes a value as the paper does, without trailing zeros; counts have commas.
func printedText(v float64) string {
	if v >= 1000 && v == float64(int(v)) {
		return table.Thousands(int(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
