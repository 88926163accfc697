package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// seedLegend and seedDefined say what the numbers are.
const (
	seedLegend  = "Mean ± sample standard deviation over %s seeds."
	seedDefined = "most frequent new word %, one number: the largest share of any direction and seed."
)

// seedGroup are rows that differ in the seed alone.
type seedGroup struct {
	ResultRow // what they share
	seeds     []*ResultRow
}

// SeedMeans is the table of means and deviations over seeds: the rows of Results, grouped by data
// set, system and swept settings, with the same columns. A group of which any seed has a flaw is
// not ranked.
func SeedMeans(rows []ResultRow, about About) *table.Table {
	return seedMeans("seeds", "Automatic evaluation on the "+testSet+": mean and deviation over seeds.", "results", rows, about, "")
}

// Selection is the same of dev outputs, by which settings are chosen. Its TST% is the selector's:
// neither the evaluation classifier nor the evaluating language model looks at dev outputs.
func Selection(rows []ResultRow, about About) *table.Table {
	return seedMeans("selection", "Scores of dev outputs, by which settings are chosen.", "", rows,
		about, selectedBy, "tst", "perplexity", "unknown_share")
}

// selectedBy says what measures dev outputs.
const selectedBy = "On dev outputs, a fastText-like classifier, the selector, computes TST%, and an n-gram model computes " +
	"PPL. Neither can be compared with the numbers of the test set."

// seedMeans is a table of means, whose note says what measures other than elsewhere, of some keys.
func seedMeans(name, title, paper string, rows []ResultRow, about About, note string, others ...string) *table.Table {
	s := systemSheet(name, title, seedGroups(rows),
		func(g *seedGroup) *ResultRow { return &g.ResultRow }, about)
	s.byModel()
	s.paper, s.all = paper, func(g *seedGroup) []*ResultRow { return g.seeds }
	s.noted = systemSheet("", "", rows, itself, about).rows
	several := anyOf(s.rows, func(g *seedGroup) bool { return len(g.seeds) > 1 })
	n := integer("n", "", func(g *seedGroup) int { return len(g.seeds) })
	n.Setting = true
	s.labels = append(s.labels, when(several, n)...)
	absent := s.metrics(inGroup(metrics.GroupResults), overSeeds)
	first := len(s.numbers)
	absent = append(absent, s.metrics(inGroup(metrics.GroupFluency), overSeeds)...)
	for j := range s.numbers {
		s.numbers[j].Column = s.numbers[j].Split("", "deviation")
	}
	s.numbers = append(s.numbers, right(newWordHead, newWordKey, func(g *seedGroup) string {
		return table.Percent(g.largestShare())
	}))
	s.begins(first, "fluency, length and repetition")
	s.signatures, s.hints = about.of(s.keys()...), about.hints(absent)
	if several {
		s.legend = []string{fmt.Sprintf(seedLegend, "n")}
	}
	s.define(others...)
	s.defines = append(s.defines, newWordDefined, seedDefined)
	if note == "" {
		return s.table()
	}
	return s.table(note)
}

// seedGroups puts rows together that differ in the seed alone, in order of first appearance.
func seedGroups(rows []ResultRow) []seedGroup {
	var groups []seedGroup
	for _, of := range BySeed(rows) {
		g := seedGroup{ResultRow: rows[of[0]]}
		g.Seed = 0 // no column of seeds
		for _, i := range of {
			g.seeds = append(g.seeds, &rows[i])
		}
		groups = append(groups, g)
	}
	return groups
}

// BySeed numbers rows, those together that differ in the seed alone, in order of first appearance.
func BySeed(rows []ResultRow) [][]int {
	type key struct {
		dataset, system, axes string
		published             bool
	}
	of := func(r *ResultRow) key { return key{r.Dataset, r.System, axesText(r.Axes), r.Published} }
	order := firstSeen(rows, of)
	groups := make([][]int, len(order))
	for i := range rows {
		k := order[of(&rows[i])]
		groups[k] = append(groups[k], i)
	}
	return groups
}

// overSeeds is the cell of the mean of a metric over those seeds that have it, with the deviation
// where there are several.
func overSeeds(m *metrics.Metric) func(*seedGroup) table.Cell {
	return func(g *seedGroup) table.Cell {
		var values []float64
		for _, r := range g.seeds {
			if v, known := r.Metrics.Metrics[m.Key]; known {
				values = append(values, v)
			}
		}
		mean, deviation := SeedStats(values)
		mean, deviation = m.Shown(mean), m.Shown(deviation)
		cell := table.Number(&mean, m.Decimals)
		if len(values) > 1 {
			cell.Text += " ± " + table.Decimals(deviation, m.Decimals)
			cell.Parts = append(cell.Parts, table.Exact(deviation))
		}
		return cell
	}
}

// largestOfSeeds is a note on the column of mostNewWord where rows are means over seeds.
const largestOfSeeds = "most frequent new word %, of several seeds: the largest share."

// deviations gives the columns of overSeeds a field for the deviation, and says in the legend what
// it is, where a row has several seeds.
func deviations(s *systems[seedGroup]) (several bool) {
	seeds := 1
	for _, g := range s.rows {
		seeds = max(seeds, len(g.seeds))
	}
	if seeds == 1 {
		return false
	}
	for j := range s.numbers {
		s.numbers[j].Column = s.numbers[j].Split("", "deviation")
	}
	s.legend = append(s.legend, fmt.Sprintf(seedLegend, strconv.Itoa(seeds)))
	return true
}

// largestShare is that of the most frequent new word over directions and seeds.
func (g *seedGroup) largestShare() float64 {
	most := 0.0
	for _, r := range g.seeds {
		for _, d := range r.Metrics.Directions {
			most = max(most, d.MostFrequentNewWordShare)
		}
	}
	return most
}

// SeedStats returns the mean of a number over seeds and its sample standard deviation, sqrt(sum (x
// - mean)^2 / (n - 1)). The deviation of one value and both of none are NaN: one seed says nothing
// about the others.
func SeedStats(values []float64) (mean, deviation float64) {
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / (n - 1))
}
