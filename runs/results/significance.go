package results

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
)

// Resampling of the tables: the seed, and least number of resamples.
const (
	ResampleSeed = 1
	Resamples    = 1000
)

// testedMetrics are those of the table "significance".
var testedMetrics = []string{"tst", "r_bleu", "s_bleu", "naturalness", "mean", "perplexity"}

// intervals adds a row for every system, whose intervals its score has.
func (c *collector) intervals() {
	if !slices.Contains(c.out.wanted, "intervals") {
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
// a row, so Collect leaves it to those who show the table. It returns ctx.Err() soon after ctx
// ends.
func (r *Results) Test(ctx context.Context) error {
	if !slices.Contains(r.wanted, "significance") || r.Significance != nil {
		return nil
	}
	for _, dataset := range r.datasetsShown() {
		rows := r.of(dataset)
		groups := r.groups(rows)
		base := r.best(groups)
		if system, _, _ := strings.Cut(r.against, ":"); r.against != "" {
			if !slices.ContainsFunc(rows, func(k int) bool { return strings.EqualFold(r.Results[k].System, system) }) {
				r.About.Notes = append(r.About.Notes, fmt.Sprintf("Not tested: the systems of %s, which has no "+
					"finished row of %s.", dataset, system))
				continue
			}
			var err error
			if base, err = r.Find(dataset, r.against); err != nil {
				return fmt.Errorf("report.against: %w", err)
			}
		}
		if base == nil {
			continue
		}
		// The smallest p of n resamples is 1/(n+1), and Holm multiplies it by up to the number of
		// comparisons.
		n := max(Resamples, 25*len(groups))
		for _, group := range groups {
			if slices.Contains(group, base[0]) {
				continue
			}
			all, err := r.Compare(ctx, base, group, n)
			if err != nil {
				return err
			}
			for _, one := range all {
				if slices.Contains(testedMetrics, one.Comparison.Metric) {
					r.Significance = append(r.Significance, one)
				}
			}
		}
	}
	return nil
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

// Compare tests rows a and b of Results, of one data set and each of one or several seeds, in every
// metric that both have and that was computed in the same way: so many resamples each. It returns
// ctx.Err() soon after ctx ends.
func (r *Results) Compare(ctx context.Context, a, b []int, resamples int) ([]report.SignificanceRow, error) {
	var records [2][][2][]metrics.Sentence
	for i, group := range [][]int{a, b} {
		for _, k := range group {
			path, err := r.file(r.scores[k], "sentences.jsonl")
			if err != nil {
				return nil, err
			}
			sentences, err := metrics.ReadSentences(path)
			if err != nil {
				return nil, err
			}
			records[i] = append(records[i], sentences)
		}
	}
	compared, err := CompareUntil(ctx, records[0], records[1], resamples)
	if err != nil {
		return nil, err
	}
	var out []report.SignificanceRow
	for _, c := range compared {
		if r.signatures(c.Metric, a, b) > 1 { // a sweep over the classifier makes several judges
			continue
		}
		out = append(out, report.SignificanceRow{
			Dataset: r.Results[a[0]].Dataset, A: r.title(a), B: r.title(b), Seeds: max(len(a), len(b)), Comparison: c,
		})
	}
	return out, nil
}

// signatures counts the different ones that a metric has in some rows.
func (r *Results) signatures(metric string, groups ...[]int) int {
	seen := map[string]bool{}
	for _, k := range slices.Concat(groups...) {
		seen[r.Results[k].Metrics.Signatures[metric]] = true
	}
	return len(seen)
}

// CompareUntil is metrics.Compare for somebody who may not wait for its end.
func CompareUntil(ctx context.Context, a, b [][2][]metrics.Sentence, resamples int) ([]metrics.Comparison, error) {
	type outcome struct {
		all []metrics.Comparison
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		all, err := metrics.Compare(a, b, resamples, ResampleSeed)
		done <- outcome{all, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case o := <-done:
		return o.all, o.err
	}
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
			for _, a := range row.Axes {
				settings = append(settings, a.Key+" "+a.Value)
			}
		}
		settings = append(settings, wording.Count(len(group), "seed"))
	case others:
		settings = []string{rowSettings(row)}
	default:
		return row.System
	}
	return row.System + " (" + strings.Join(settings, ", ") + ")"
}
