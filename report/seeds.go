package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// seedLegend and seedDefined explain the numbers.
const (
	seedLegend  = "Mean ± sample standard deviation over %s seeds."
	seedDefined = "most frequent new word %, one number: the largest share of any direction and seed."
)

// seedGroup holds rows that differ only in the seed.
type seedGroup struct {
	ResultRow // what they share
	seeds     []*ResultRow
}

// SeedMeans returns the table of means and deviations over seeds: the rows of Results, grouped by
// data set, system and swept settings, with the paper's metrics, the fluency metrics and the
// largest share of a new word. A group is not ranked if any of its seeds has a flaw.
func SeedMeans(rows []ResultRow, about About) *table.Table {
	return seedMeans("seeds", "Automatic evaluation on the "+testSet+": mean and deviation over seeds.", "results", rows, about, "")
}

// Selection returns the table of SeedMeans for dev outputs, which are used to choose settings. Its
// TST% is by the selector and its perplexity by an n-gram model, because the evaluation classifier
// and the evaluating language model never read dev outputs.
func Selection(rows []ResultRow, about About) *table.Table {
	return seedMeans("selection", "Scores of dev outputs, by which settings are chosen.", "", rows,
		about, selectedBy, "tst", "perplexity", "unknown_share")
}

// selectedBy says what measures dev outputs.
const selectedBy = "On dev outputs, a fastText-like classifier, the selector, computes TST%, and an n-gram model computes " +
	"PPL. Neither can be compared with the numbers of the test set."

// seedMeans returns a table of means. note, if not "", says what measures dev outputs. others are
// the keys of metrics whose usual definition does not apply.
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

// seedGroups groups rows that differ only in the seed, in order of first appearance.
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

// BySeed groups the indices of rows that differ only in the seed, in order of first appearance.
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

// overSeeds returns the cell with the mean of a metric over the seeds that have it, and the
// deviation if there are several.
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

// largestOfSeeds explains the column of mostNewWord if rows are means over seeds.
const largestOfSeeds = "most frequent new word %, of several seeds: the largest share."

// deviations reports whether any row has several seeds. If so, it adds a CSV field for the
// deviation to the columns of overSeeds, and explains the deviation in the legend.
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

// largestShare returns the largest share of the most frequent new word in any direction and seed.
func (g *seedGroup) largestShare() float64 {
	most := 0.0
	for _, r := range g.seeds {
		for _, d := range r.Metrics.Directions {
			most = max(most, d.MostFrequentNewWordShare)
		}
	}
	return most
}

// SeedStats returns the mean over seeds and the sample standard deviation, sqrt(sum (x - mean)^2 /
// (n - 1)). For one value the deviation is NaN, because one seed says nothing about others. For
// none both are NaN.
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
