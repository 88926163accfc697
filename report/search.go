package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// SearchRow is one point of a search in one rung.
type SearchRow struct {
	Dataset      string
	Number, Rung int             // from 1
	Axes         []Axis          // the drawn settings, and the budget of the rung
	Value        *float64        // of the metric that decides, mean over seeds; nil: not known
	Flaws        []*metrics.Flaw // of one of the seeds
	Decision     string          // "kept", "dropped", "failed", "chosen", "waits", "scored"
}

// SearchRule is what the notes under the table say of a search.
type SearchRule struct {
	Method string // "halving", else random
	Eta    int
	Points int
	Seed   int
	System string // "SMLM (copied)"
	Metric *metrics.Metric
	Lowest bool // the lowest value is best
}

// Search is the table of a search: how each point did on dev outputs, and what was decided.
func Search(rows []SearchRow, rule *SearchRule, about About) *table.Table {
	if rule == nil {
		return &table.Table{}
	}
	at := func(r *SearchRow) point { return point{dataset: r.Dataset, axes: r.Axes} }
	s := pointSheet("search", "Search for settings: the points drawn and their scores on dev outputs.", at)
	s.paper = ""
	axes := lists.Map(rows, func(r SearchRow) []Axis { return r.Axes })
	s.labels = slices.Concat(
		[]column[SearchRow]{datasetColumn(s.dataset)},
		when(anyOf(rows, func(r *SearchRow) bool { return r.Rung > 1 }),
			integer("rung", "", func(r *SearchRow) int { return r.Rung })),
		[]column[SearchRow]{integer("point", "", func(r *SearchRow) int { return r.Number })},
		axisColumns(axisKeys(axes), axes, func(r *SearchRow) []Axis { return r.Axes }),
	)
	value := optional("dev "+rule.Metric.Head, "", rule.Metric.Decimals, func(r *SearchRow) *float64 {
		if r.Value == nil {
			return nil
		}
		shown := rule.Metric.Shown(*r.Value)
		return &shown
	})
	plain := value.cell
	value.cell = func(r *SearchRow) table.Cell {
		c := plain(r)
		if r.Value != nil {
			c.Sign = metrics.Signs(r.Flaws)
		}
		return c
	}
	s.numbers = []column[SearchRow]{value, left("decision", func(r *SearchRow) string { return r.Decision })}
	s.apart = func(before, r *SearchRow) bool { return before.Dataset != r.Dataset || before.Rung != r.Rung }
	s.signatures = about.of(rule.Metric.Key)
	s.about = about
	notes := rule.notes()
	flaws := lists.Where(metrics.AllFlaws(), func(f *metrics.Flaw) bool {
		return anyOf(rows, func(r *SearchRow) bool { return slices.Contains(r.Flaws, f) })
	})
	s.legend = append(s.legend, flawLegend(flaws, " with one of the seeds; such points come after all others")...)
	notes = append(notes, flawRules(flaws)...)
	return s.table(rows, notes...)
}

// notes say how points were drawn and decided on.
func (r *SearchRule) notes() []string {
	how := "Random search (Bergstra and Bengio 2012)"
	if r.Method == "halving" {
		how = fmt.Sprintf("Successive halving (Karnin et al. 2013, Jamieson and Talwalkar 2016) with eta %d: the best 1/%d of "+
			"the points of a rung go on to the next rung, where each is trained anew with %d times the budget", r.Eta, r.Eta, r.Eta)
	}
	best := map[bool]string{true: "lowest", false: "highest"}[r.Lowest]
	return []string{
		fmt.Sprintf("%s. %d points were drawn with seed %d.", how, r.Points, r.Seed),
		fmt.Sprintf("The point with the %s %s of the dev outputs of %s wins (mean over seeds, as in the table selection). "+
			"Points with a flaw come after all others, and failed points last.", best,
			strings.ReplaceAll(r.Metric.Head, "\n", " "), r.System),
		"Only the chosen point is scored on the test set.",
	}
}
