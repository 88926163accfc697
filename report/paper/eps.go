package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// epsKey is the one setting whose rows must agree before the paper's stands beside: a mask of
// another threshold hides other words, so that a difference would be that of the thresholds.
// lambda_con is no such key, as the paper's loss sums what ours averages.
const epsKey = "lambda_eps"

// sameEps says whether a row of ours is of the lambda_eps that the paper's is of, as far as both
// tell theirs.
func (w *writer) sameEps(r *table.Row) bool {
	eps, printed := w.setting(r, epsKey)
	j := w.from.Column(epsKey)
	return !printed || j < 0 || r.Cells[j].Text == table.Short(eps)
}

// otherEps is the note on rows that are without the paper's values as none of theirs is of its
// lambda_eps; nothing where there are no such rows.
func (w *writer) otherEps() []string {
	var names []string
	for i := range w.from.Rows {
		r := &w.from.Rows[i]
		eps, printed := w.setting(r, epsKey)
		if !printed || slices.ContainsFunc(w.from.Rows, func(other table.Row) bool {
			return other.Dataset == r.Dataset && other.Name == r.Name && w.sameEps(&other)
		}) {
			continue
		}
		for paper := range strings.FieldsSeq(w.from.Paper) {
			if of, _ := w.p.row(paper, r.Dataset, r.Name); of != nil {
				names = lists.AddOnce(names, fmt.Sprintf("%s (%s)", w.nameOf(r, of), table.Short(eps)))
			}
		}
	}
	if names == nil {
		return nil
	}
	return []string{"The paper's values are left out where no row is of their lambda_eps: " + listed(names) + "."}
}

// alone is the table without any row of the paper's: as it is, but for the note on why.
func (w *writer) alone() *table.Table {
	note := w.otherEps()
	if note == nil {
		return w.from
	}
	out := *w.from
	out.Notes = slices.Concat(out.Notes, note)
	return &out
}
