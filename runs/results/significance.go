package results

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// testedMetrics are those of the table "significance".
var testedMetrics = []string{"tst", "r_bleu", "s_bleu", "naturalness", "mean", "perplexity"}

// intervals adds a row for every system, whose intervals its score has.
func (c *collector) intervals() {
	if !c.out.wants("intervals") {
		return
	}
	for i := range c.out.Results {
		r := &c.out.Results[i]
		if r.Metrics.Intervals != nil {
			c.out.Intervals = append(c.out.Intervals, report.IntervalRow{ResultRow: *r, Intervals: r.Metrics.Intervals})
		}
	}
}

// Test fills in Significance, where the experiment wants that table: it compares every system of a
// data set with one, that of report.against or the best by Mean that neither is the human
// references nor has collapsed; rows that differ in the seed alone as one. It takes up to a second
// a row, so Collect leaves it to those who show the table, and WriteTables keeps the outcome for
// who tests the same again. It returns ctx.Err() soon after ctx ends.
func (r *Results) Test(ctx context.Context) error {
	if !r.wants("significance") || r.Significance != nil {
		return nil
	}
	tables := r.ws.TablesDir(r.plan.Experiment.Name)
	before := files.ReadRemembered[[][]report.SignificanceRow](filepath.Join(tables, testsFile))
	r.tested = map[string][][]report.SignificanceRow{}
	against := r.plan.Experiment.Report.Against
	if against == "" {
		r.note([]string{"significance"}, chosenOnTest)
	}
	for _, dataset := range r.datasetsShown() {
		rows := r.of(dataset)
		groups := r.groups(rows)
		base := r.best(groups)
		if system, _, _ := strings.Cut(against, ":"); against != "" {
			if !slices.ContainsFunc(rows, func(k int) bool { return strings.EqualFold(r.Results[k].System, system) }) {
				r.note([]string{"significance"}, fmt.Sprintf("Not tested: the systems of %s, which has no finished row "+
					"of %s.", dataset, system))
				continue
			}
			var err error
			if base, err = r.Find(dataset, against); err != nil {
				return fmt.Errorf("report.against: %w", err)
			}
		}
		if base == nil {
			continue
		}
		// The smallest p of n resamples is 1/(n+1), and Holm multiplies it by up to the number of
		// comparisons.
		n := max(metrics.Resamples, 25*len(groups))
		groups = slices.DeleteFunc(groups, func(group []int) bool { return slices.Contains(group, base[0]) })
		key := r.testKey(base, groups, n)
		all, known := before[key]
		if !known {
			var err error
			if all, err = r.compareAll(ctx, base, groups, n); err != nil {
				return err
			}
		}
		r.tested[key] = all
		for _, one := range slices.Concat(supported(all, n)...) {
			if slices.Contains(testedMetrics, one.Comparison.Metric) {
				r.Significance = append(r.Significance, one)
			}
		}
	}
	return nil
}

// chosenOnTest is said where nobody named the system that the others are compared with.
const chosenOnTest = "A is the best by Mean, and so was chosen on this same test set, which no correction here accounts " +
	"for; report.against names another."

// testsFile is beside tables: the outcome of tests, by testKey.
const testsFile = ".significance"

// testKey is of all that compareAll reads: the rows, who is compared with whom, and the sentences
// of their scores, by the seals of those stages.
func (r *Results) testKey(base []int, groups [][]int, resamples int) string {
	var seals []string
	for _, k := range slices.Concat(slices.Concat(groups...), base) {
		for _, s := range append([]*plan.Stage{r.scores[k]}, r.beside[k]...) {
			record, err := r.ws.Record(s)
			if err != nil {
				return ""
			}
			seals = append(seals, record.Sum)
		}
	}
	return files.Key(r.Results, base, groups, resamples, metrics.ResampleSeed, seals)
}

// writeTests keeps the outcome of Test.
func (r *Results) writeTests(write writeFile) error {
	if r.tested == nil {
		return nil
	}
	return write(testsFile, func(w io.Writer) error { return files.WriteRemembered(w, r.tested) })
}

// of lists the rows of Results of a data set.
func (r *Results) of(dataset string) []int {
	var rows []int
	for i := range r.Results {
		if r.Results[i].Dataset == dataset {
			rows = append(rows, i)
		}
	}
	return rows
}

// best returns the rows of the greatest Mean, nil where none can be ranked.
func (r *Results) best(groups [][]int) (best []int) {
	most := math.Inf(-1)
	for _, group := range groups {
		if mean, ranked := r.meanOf(group); ranked && mean > most {
			best, most = group, mean
		}
	}
	return best
}

// meanOf returns the mean over rows of Mean, and whether all of them can be ranked.
func (r *Results) meanOf(group []int) (mean float64, ranked bool) {
	for _, k := range group {
		row := &r.Results[k]
		m, known := row.Metrics.Metrics["mean"]
		if row.Unranked || !known || row.Metrics.Collapsed() {
			return 0, false
		}
		mean += m
	}
	return mean / float64(len(group)), true
}

// title names rows that differ in the seed alone among those of their data set: the system, and its
// swept settings and seeds where the data set has other rows of the system.
func (r *Results) title(group []int) string {
	row := &r.Results[group[0]]
	others := slices.ContainsFunc(r.of(row.Dataset), func(i int) bool {
		return r.Results[i].System == row.System && !slices.Contains(group, i)
	})
	var settings []string
	switch {
	case len(group) > 1:
		if others {
			settings = recipe.AxisWords(row.Axes)
		}
		settings = append(settings, wording.Count(len(group), "seed"))
	case others:
		settings = []string{rowSettings(row)}
	default:
		return row.System
	}
	return row.System + " (" + strings.Join(settings, ", ") + ")"
}
