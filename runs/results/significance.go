package results

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// testedMetrics are those of the table "significance".
var testedMetrics = []string{
	"tst", "tst_unseen", "r_bleu", "s_bleu", "naturalness", "mean", "perplexity",
	"s_bertscore", "r_bertscore", "s_cosine", "r_cosine",
}

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
// references nor has a flaw; rows that differ in the seed alone as one. It takes up to a second
// a row, so Collect leaves it to those who show the table, and WriteTables keeps the outcome for
// who tests the same again. It returns ctx.Err() soon after ctx ends.
func (r *Results) Test(ctx context.Context) error {
	if !r.wants("significance") || r.Significance != nil {
		return nil
	}
	tables := r.ws.TablesDir(r.plan.Experiment.Name)
	before := files.ReadCache[[][]report.SignificanceRow](filepath.Join(tables, testsFile))
	r.tested = map[string][][]report.SignificanceRow{}
	against := r.plan.Experiment.Report.Against
	if against == "" {
		r.note([]string{"significance"}, chosenOnTest)
	}
	for _, dataset := range r.datasetsShown() {
		rows := r.of(dataset)
		groups := r.groups(rows)
		base := r.best(groups)
		if against != "" {
			if !slices.ContainsFunc(rows, func(k int) bool { return plan.OfSystem(against, r.Results[k].System) }) {
				r.note([]string{"significance"}, fmt.Sprintf("No tests on %s: it has no finished row of %s.", dataset, against))
				continue
			}
			var err error
			if base, err = r.FindAsMain(dataset, against); err != nil {
				return fmt.Errorf("report.against: %w", err)
			}
		}
		if base == nil {
			r.note([]string{"significance"}, fmt.Sprintf("No tests on %s: no system has a Mean and may be ranked. The key "+
				"report.against names one to compare with.", dataset))
			continue
		}
		// The smallest p of n resamples is 1/(n+1), and Holm multiplies it by up to the number of
		// comparisons.
		n := max(metrics.Resamples, 25*len(groups))
		groups = slices.DeleteFunc(groups, func(group []int) bool { return slices.Contains(group, base[0]) })
		groups = r.inDirectionsOf(base, groups)
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
			if m := one.Comparison.Metric; slices.Contains(testedMetrics, m) || metrics.IsGiven(m) {
				r.Significance = append(r.Significance, one)
			}
		}
	}
	return nil
}

// inDirectionsOf returns the groups that have outputs in the same directions as a system; of the
// others a note says that they are not tested.
func (r *Results) inDirectionsOf(base []int, groups [][]int) (same [][]int) {
	of := func(row int) []string {
		name := func(d metrics.Direction) string { return d.From + " to " + d.To }
		return lists.Map(r.Results[row].Metrics.Directions, name)
	}
	for _, group := range groups {
		if slices.Equal(of(group[0]), of(base[0])) {
			same = append(same, group)
			continue
		}
		r.note([]string{"significance"}, fmt.Sprintf("No test of %s on %s: it has outputs in other directions than %s.",
			r.title(group), r.Results[base[0]].Dataset, r.title(base)))
	}
	return same
}

// chosenOnTest is said where nobody named the system that the others are compared with.
const chosenOnTest = "A is the system with the best Mean on this same test set, and no correction accounts for this " +
	"choice. The key report.against names another system."

// testsFile is beside tables: the outcome of tests, by testKey.
const testsFile = ".significance"

// testKey is of all that compareAll reads: the rows and their names, who is compared with whom, and
// the sentences of their scores, by the seals of those stages, and the rules of flaws.
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
	names := append(lists.Map(groups, r.title), r.title(base))
	return files.CacheKey(r.Results, base, groups, names, resamples, metrics.ResampleSeed, seals, metrics.AllFlaws())
}

// writeTests keeps the outcome of Test.
func (r *Results) writeTests(write writeFile) error {
	if r.tested == nil {
		return nil
	}
	return write(testsFile, func(w io.Writer) error { return files.WriteCache(w, r.tested) })
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
		if row.Unranked || row.Partial || !known || row.Metrics.Flawed() {
			return 0, false
		}
		mean += m
	}
	return mean / float64(len(group)), true
}

// signs are those of the flaws that any of some rows has.
func (r *Results) signs(group []int) string {
	return metrics.Signs(lists.Where(metrics.AllFlaws(), func(f *metrics.Flaw) bool {
		return slices.ContainsFunc(group, func(k int) bool { return r.Results[k].Metrics.Has(f) })
	}))
}

// title names rows that differ in the seed alone among those of their data set, as Find takes it:
// the system, and its swept settings and seeds where the data set has other rows of the system.
func (r *Results) title(group []int) string {
	row := &r.Results[group[0]]
	others := slices.ContainsFunc(r.of(row.Dataset), func(i int) bool {
		return r.Results[i].System == row.System && !slices.Contains(group, i)
	})
	of := rowOf(row)
	switch {
	case len(group) > 1 && others:
		return of.Name(false, wording.Count(len(group), "seed"))
	case len(group) > 1:
		return fmt.Sprintf("%s (%s)", row.System, wording.Count(len(group), "seed"))
	case others:
		return of.Name(!row.Published && len(r.seedsOf(group[0])) > 1)
	}
	return row.System
}

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
		machine.Parallel(len(others), func(i int) {
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
			SignA: r.signs(a), SignB: r.signs(b),
		})
	}
	return out, nil
}

// sentences reads what the outputs of rows of Results contribute to their metrics.
func (r *Results) sentences(group []int) (records [][][]metrics.Sentence, err error) {
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
		if given := r.given[k]; given != nil {
			if err := joinSentences(of, given.Sentences); err != nil {
				return nil, fmt.Errorf("report.scores: %w", err)
			}
		}
		records = append(records, of)
	}
	return records, nil
}

// sentencesOf reads them of one stage.
func (r *Results) sentencesOf(s *plan.Stage) ([][]metrics.Sentence, error) {
	path, err := r.ws.File(s, "sentences.jsonl")
	if err != nil {
		return nil, err
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
func CompareUntil(ctx context.Context, a, b [][][]metrics.Sentence, resamples int) ([]metrics.Comparison, error) {
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
