package report

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// switchModels is the second table of Switches: within a data set the lines of one system stand together, so that its variants can be
// compared down a column.
func switchModels(rows []SwitchRow, first []int, about About) *Table {
	withSeed := severalSeeds(switchSeeds(rows))
	withMethod := severalMethods(slices.DeleteFunc(slices.Clone(rows), func(r SwitchRow) bool { return len(r.Models) == 0 }))
	t := &Table{
		Name: "switches-transfer", Title: "Settings changed one at a time: transfer results on the test set.",
		Notes: append(about.of("tst", "s_bleu", "naturalness", "collapse_share").notes(), differenceNote,
			"Commonest new word, per direction: its share among all new-word occurrences; new: in the output and not in its source. A share near 1 means one word everywhere."),
		Columns: []Column{{Head: "Data set", Merge: true}, {Head: "System", Merge: true}},
	}
	if withMethod {
		t.Columns = append(t.Columns, Column{Head: "method", Merge: true})
	}
	t.Columns = append(t.Columns, Column{Head: "Variant"}, Column{Head: "changed settings", Width: 4.6})
	if withSeed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right, setting: true})
	}
	for _, head := range []string{"TST%", "s-BLEU", "Nat."} {
		t.Columns = append(t.Columns, comparedColumn(Column{Head: head, Align: Right}))
	}
	t.Columns = append(t.Columns, Column{Head: "commonest\nnew word", Align: Center}.split("1", "1 difference", "2", "2 difference"))
	for start := 0; start < len(rows); {
		end := start
		for end < len(rows) && rows[end].Dataset == rows[start].Dataset {
			end++
		}
		for k, system := range switchSystems(rows[start:end]) {
			rule := k > 0 || start > 0
			for i := start; i < end; i++ {
				r := rows[i].metrics(system)
				if r == nil {
					continue
				}
				cells := []Cell{{Text: rows[i].Dataset}, {Text: system}}
				if withMethod {
					cells = append(cells, Cell{Text: methodName(rows[i].Method)})
				}
				cells = append(cells, Cell{Text: rows[i].Variant}, Cell{Text: rows[i].Changes})
				if withSeed {
					cells = append(cells, Cell{Text: fmt.Sprint(rows[i].Seed)})
				}
				var base *metrics.Scores
				if first[i] != i {
					base = rows[first[i]].metrics(system)
				}
				t.Rows = append(t.Rows, Row{Cells: append(cells, comparedCells(r, base)...), Rule: rule})
				rule = false
			}
		}
		start = end
	}
	return t
}

// switchSystems returns the systems of some rows, in order of first appearance.
func switchSystems(rows []SwitchRow) []string {
	var systems []string
	for _, r := range rows {
		for _, m := range r.Models {
			if !slices.Contains(systems, m.System) {
				systems = append(systems, m.System)
			}
		}
	}
	return systems
}

// metrics returns what a system scores, nil where the variant has none of it.
func (r *SwitchRow) metrics(system string) *metrics.Scores {
	for _, m := range r.Models {
		if m.System == system {
			return m.Metrics
		}
	}
	return nil
}

// comparedCells formats TST%, s-BLEU, naturalness and the commonest new word's shares, each compared with base; nil: with nothing.
func comparedCells(r, base *metrics.Scores) []Cell {
	texts := func(r *metrics.Scores) []string {
		a, b := r.Directions[0], r.Directions[1]
		return []string{
			metricText(r, "tst"), metricText(r, "s_bleu"), metricText(r, "naturalness"),
			share(a.CommonestNewWordShare), share(b.CommonestNewWordShare),
		}
	}
	var own []Cell
	for _, text := range texts(r) {
		own = append(own, Cell{Text: text, Parts: []string{text, ""}})
	}
	if base != nil {
		for i, text := range texts(base) {
			own[i] = comparedCell(own[i].Text, text)
		}
	}
	a, b := own[3], own[4]
	return append(own[:3], Cell{Text: a.Text + " / " + b.Text, Parts: slices.Concat(a.Parts, b.Parts)})
}
