package runs

import (
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
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
func (c *collector) intervals() error {
	if !slices.Contains(c.out.wanted, "intervals") {
		return nil
	}
	for i := range c.out.Results {
		r := &c.out.Results[i]
		if r.Metrics.Intervals == nil {
			continue
		}
		c.out.Intervals = append(c.out.Intervals, report.IntervalRow{ResultRow: *r, Intervals: r.Metrics.Intervals})
	}
	return nil
}

// Test fills in Significance, where the experiment wants that table: it compares every system of a data set with one, that of report.against
// or the best by Mean that neither is the human references nor has collapsed. It takes about a tenth of a second a row, so Collect leaves it to
// those who show the table.
func (r *Results) Test() error {
	if !slices.Contains(r.wanted, "significance") || r.Significance != nil {
		return nil
	}
	known := false
	for _, dataset := range r.datasetsShown() {
		rows := r.of(dataset)
		base := r.best(rows)
		if r.against != "" {
			base = slices.IndexFunc(r.Results, func(row report.ResultRow) bool { return row.Dataset == dataset && row.System == r.against })
			known = known || base >= 0
		}
		if base < 0 {
			continue
		}
		// The smallest p of n resamples is 1/(n+1), and Holm multiplies it by up to the number of comparisons.
		n := max(Resamples, 40*len(rows))
		for _, k := range rows {
			if k == base {
				continue
			}
			all, err := r.Compare(base, k, n)
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
	if r.against != "" && !known && len(r.Results) > 0 {
		return userr.New(userr.BadInput, "report.against names %q, but no finished row is of that system: use one of %s", r.against, quoted(r.systemsNamed()))
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
		if row.Unranked || row.Metrics.Metrics.Mean == nil || report.Collapsed(row.Metrics) {
			continue
		}
		if best < 0 || *row.Metrics.Metrics.Mean > *r.Results[best].Metrics.Metrics.Mean {
			best = k
		}
	}
	return best
}

func (r *Results) systemsNamed() []string {
	var names []string
	for i := range r.Results {
		if !slices.Contains(names, r.Results[i].System) {
			names = append(names, r.Results[i].System)
		}
	}
	return names
}

// Compare tests rows a and b of Results, of one data set, in every metric that both have and that was computed in the same way: so many
// resamples each.
func (r *Results) Compare(a, b, resamples int) ([]report.SignificanceRow, error) {
	var records [2][2][]metrics.Sentence
	for i, k := range []int{a, b} {
		var err error
		if records[i], err = metrics.ReadSentences(filepath.Join(r.dir(r.scores[k]), "sentences.jsonl")); err != nil {
			return nil, err
		}
	}
	compared, err := metrics.Compare(records[0], records[1], resamples, ResampleSeed)
	if err != nil {
		return nil, err
	}
	var out []report.SignificanceRow
	x, y := r.Results[a].Metrics.Signatures, r.Results[b].Metrics.Signatures
	for _, c := range compared {
		if x[c.Metric] != y[c.Metric] { // a sweep over the classifier makes several judges
			continue
		}
		out = append(out, report.SignificanceRow{Dataset: r.Results[a].Dataset, A: r.title(a), B: r.title(b), Comparison: c})
	}
	return out, nil
}

// title names a row among those of its data set: the system, and its swept settings and seed where the data set has another row of the system.
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
