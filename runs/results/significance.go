package results

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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
// references nor has collapsed. It takes up to a second a row, so Collect leaves it to those who
// show the table. It returns ctx.Err() soon after ctx ends.
func (r *Results) Test(ctx context.Context) error {
	if !slices.Contains(r.wanted, "significance") || r.Significance != nil {
		return nil
	}
	for _, dataset := range r.datasetsShown() {
		rows := r.of(dataset)
		base := r.best(rows)
		if system, _, _ := strings.Cut(r.against, ":"); r.against != "" {
			if !slices.ContainsFunc(rows, func(k int) bool { return r.Results[k].System == system }) {
				r.About.Notes = append(r.About.Notes, fmt.Sprintf("Not tested: the systems of %s, which has no "+
					"finished row of %s.", dataset, system))
				continue
			}
			var err error
			if base, err = r.Find(dataset, r.against); err != nil {
				return fmt.Errorf("report.against: %w", err)
			}
		}
		if base < 0 {
			continue
		}
		// The smallest p of n resamples is 1/(n+1), and Holm multiplies it by up to the number of
		// comparisons.
		n := max(Resamples, 25*len(rows))
		for _, k := range rows {
			if k == base {
				continue
			}
			all, err := r.Compare(ctx, base, k, n)
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

// best returns the row of the greatest Mean, -1 where none can be ranked.
func (r *Results) best(rows []int) int {
	best := -1
	for _, k := range rows {
		row := &r.Results[k]
		mean, known := row.Metrics.Metrics["mean"]
		if row.Unranked || !known || row.Metrics.Collapsed() {
			continue
		}
		if best < 0 || mean > r.Results[best].Metrics.Metrics["mean"] {
			best = k
		}
	}
	return best
}

// Compare tests rows a and b of Results, of one data set, in every metric that both have and that
// was computed in the same way: so many resamples each. It returns ctx.Err() soon after ctx ends.
func (r *Results) Compare(ctx context.Context, a, b, resamples int) ([]report.SignificanceRow, error) {
	var records [2][2][]metrics.Sentence
	for i, k := range []int{a, b} {
		var err error
		if records[i], err = metrics.ReadSentences(filepath.Join(r.dir(r.scores[k]), "sentences.jsonl")); err != nil {
			return nil, err
		}
	}
	compared, err := CompareUntil(ctx, records[0], records[1], resamples)
	if err != nil {
		return nil, err
	}
	var out []report.SignificanceRow
	x, y := r.Results[a].Metrics.Signatures, r.Results[b].Metrics.Signatures
	for _, c := range compared {
		if x[c.Metric] != y[c.Metric] { // a sweep over the classifier makes several judges
			continue
		}
		out = append(out, report.SignificanceRow{
			Dataset: r.Results[a].Dataset, A: r.title(a), B: r.title(b),
			Comparison: c,
		})
	}
	return out, nil
}

// CompareUntil is metrics.Compare for somebody who may not wait for its end.
func CompareUntil(ctx context.Context, a, b [2][]metrics.Sentence, resamples int) ([]metrics.Comparison, error) {
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

// title names a row among those of its data set: the system, and its swept settings and seed where
// the data set has another row of the system.
func (r *Results) title(k int) string {
	row := &r.Results[k]
	name := row.System
	several := 0
	for _, i := range r.of(row.Dataset) {
		if r.Results[i].System == row.System {
			several++
		}
	}
	if several > 1 {
		name += " (" + rowSettings(row) + ")"
	}
	return name
}
