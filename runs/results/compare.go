package results

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Compare tests rows a and b of Results, of one data set and each of one or several seeds, in every
// metric that both have and that was computed in the same way: so many resamples each. It returns
// ctx.Err() soon after ctx ends.
func (r *Results) Compare(ctx context.Context, a, b []int, resamples int) ([]report.SignificanceRow, error) {
	all, err := r.compareAll(ctx, a, [][]int{b}, resamples)
	if err != nil {
		return nil, err
	}
	return supported(all, resamples)[0], nil
}

// Compared is the table of what Compare returned, with what is said of the table of significance.
func (r *Results) Compared(rows []report.SignificanceRow) *table.Table {
	return report.Significance(rows, r.aboutOf("significance"))
}

// supported tells each row of how many resamples its p are.
func supported(all [][]report.SignificanceRow, resamples int) [][]report.SignificanceRow {
	for _, rows := range all {
		for i := range rows {
			rows[i].Resamples = resamples
		}
	}
	return all
}

// compareAll is Compare of one with each of the others, on all cores.
func (r *Results) compareAll(
	ctx context.Context, a []int, others [][]int, resamples int,
) ([][]report.SignificanceRow, error) {
	records, err := r.sentences(a)
	if err != nil {
		return nil, err
	}
	base := metrics.NewBaseline(records, resamples, metrics.ResampleSeed)
	out, errs := make([][]report.SignificanceRow, len(others)), make([]error, len(others))
	err = until(ctx, func() error {
		machine.Each(len(others), func(i int) {
			if ctx.Err() == nil {
				out[i], errs[i] = r.compare(base, a, others[i])
			}
		})
		return cmp.Or(ctx.Err(), cmp.Or(errs...))
	})
	if err != nil {
		return nil, err // others may still be written to out
	}
	return out, nil
}

// compare sets rows b beside the baseline, which is of rows a.
func (r *Results) compare(base *metrics.Baseline, a, b []int) ([]report.SignificanceRow, error) {
	records, err := r.sentences(b)
	if err != nil {
		return nil, err
	}
	compared, err := base.Compare(records)
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

// sentences reads what the outputs of rows of Results contribute to their metrics.
func (r *Results) sentences(group []int) (records [][2][]metrics.Sentence, err error) {
	for _, k := range group {
		of, err := r.sentencesOf(r.scores[k])
		if err != nil {
			return nil, err
		}
		for _, s := range r.beside[k] {
			more, err := r.sentencesOf(s)
			if err != nil {
				return nil, err
			}
			if err := joinSentences(of, more); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Title(), err)
			}
		}
		records = append(records, of)
	}
	return records, nil
}

// sentencesOf reads them of one stage.
func (r *Results) sentencesOf(s *plan.Stage) (records [2][]metrics.Sentence, err error) {
	path, err := r.ws.File(s, "sentences.jsonl")
	if err != nil {
		return records, err
	}
	return metrics.ReadSentences(path)
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
	var all []metrics.Comparison
	err := until(ctx, func() (err error) {
		all, err = metrics.Compare(a, b, resamples, metrics.ResampleSeed)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// until does what cannot be stopped, and returns ctx.Err() where ctx ends before it has ended: what
// it writes must not be read then.
func until(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-done:
		return err
	}
}
