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

// testedMetrics are the metrics of the table "significance".
var testedMetrics = []string{
	"tst", "tst_unseen", "r_bleu", "s_bleu", "naturalness", "mean", "perplexity",
	"s_bertscore", "r_bertscore", "s_cosine", "r_cosine",
}

// intervals adds a row for every system whose score has confidence intervals.
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

// Test fills Significance if the experiment asks for that table. It compares every system of a data
// set with one: that of report.against or the best by Mean, without human references and systems
// with a flaw. Rows that differ only in the seed count as one system. It takes up to a second per
// row, so Collect does not call it, and WriteTables saves the results for later calls. It returns
// ctx.Err() soon after ctx ends.
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
		// The smallest p of n resamples is 1/(n+1). Holm's correction multiplies it by up to the
		// number of comparisons.
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

// inDirectionsOf returns the groups that have outputs in the same directions as a system. It adds a
// note for each of the others, which are not tested.
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

// chosenOnTest is a note for tables without report.against.
const chosenOnTest = "A is the system with the best Mean on this same test set, and no correction accounts for this " +
	"choice. The key report.against names another system."

// testsFile is a file in the folder of tables: the results of tests, by testKey.
const testsFile = ".significance"

// testKey hashes everything that compareAll reads: the rows and their names, the pairs to compare,
// the sums of the stages with the sentences' scores, and the rules of flaws. It is "" if a record
// cannot be read.
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

// writeTests saves the results of Test.
func (r *Results) writeTests(write writeFile) error {
	if r.tested == nil {
		return nil
	}
	return write(testsFile, func(w io.Writer) error { return files.WriteCache(w, r.tested) })
}

// of lists the rows of a data set in Results.
func (r *Results) of(dataset string) []int {
	var rows []int
	for i := range r.Results {
		if r.Results[i].Dataset == dataset {
			rows = append(rows, i)
		}
	}
	return rows
}

// best returns the group with the highest Mean, or nil if none has a rank.
func (r *Results) best(groups [][]int) (best []int) {
	most := math.Inf(-1)
	for _, group := range groups {
		if mean, ranked := r.meanOf(group); ranked && mean > most {
			best, most = group, mean
		}
	}
	return best
}

// meanOf returns the mean of Mean over rows, and whether all of them have a rank.
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

// signs returns the signs of the flaws that some of the rows have.
func (r *Results) signs(group []int) string {
	return metrics.Signs(lists.Where(metrics.AllFlaws(), func(f *metrics.Flaw) bool {
		return slices.ContainsFunc(group, func(k int) bool { return r.Results[k].Metrics.Has(f) })
	}))
}

// title names rows that differ only in the seed, in a form that Find accepts: the system, with its
// swept settings and seeds if the data set has other rows of the system.
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

// Compare tests the rows a of Results against the rows b. Both are from one data set and have one
// or more seeds of a system. It tests every metric that both have with the same signature. It
// returns ctx.Err() soon after ctx ends.
func (r *Results) Compare(ctx context.Context, a, b []int, resamples int) ([]report.SignificanceRow, error) {
	all, err := r.compareAll(ctx, a, [][]int{b}, resamples)
	if err != nil {
		return nil, err
	}
	return supported(all, resamples)[0], nil
}

// Compared returns the table of rows that Compare returned, with the notes of the table
// significance.
func (r *Results) Compared(rows []report.SignificanceRow) *table.Table {
	return report.Significance(rows, r.aboutOf("significance"))
}

// supported records in each row the number of resamples behind its p.
func supported(all [][]report.SignificanceRow, resamples int) [][]report.SignificanceRow {
	for _, rows := range all {
		for i := range rows {
			rows[i].Resamples = resamples
		}
	}
	return all
}

// compareAll is Compare of a with each of the others, on all cores.
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
		return nil, err // goroutines may still write to out
	}
	return out, nil
}

// compare compares rows a, whose sentences are in base, with rows b.
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
		if r.signatures(c.Metric, a, b) > 1 { // a sweep over the classifier has several judges
			continue
		}
		out = append(out, report.SignificanceRow{
			Dataset: r.Results[a[0]].Dataset, A: r.title(a), B: r.title(b), Seeds: max(len(a), len(b)), Comparison: c,
			SignA: r.signs(a), SignB: r.signs(b),
		})
	}
	return out, nil
}

// sentences reads, for each of some rows of Results, what every output contributes to the metrics.
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

// sentencesOf reads the sentences of one stage.
func (r *Results) sentencesOf(s *plan.Stage) ([][]metrics.Sentence, error) {
	path, err := r.ws.File(s, "sentences.jsonl")
	if err != nil {
		return nil, err
	}
	return metrics.ReadSentences(path)
}

// signatures counts the different signatures of a metric in some rows.
func (r *Results) signatures(metric string, groups ...[]int) int {
	seen := map[string]bool{}
	for _, k := range slices.Concat(groups...) {
		seen[r.Results[k].Metrics.Signatures[metric]] = true
	}
	return len(seen)
}

// CompareUntil is metrics.Compare, but returns ctx.Err() soon after ctx ends.
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

// until calls do, which cannot be stopped. If ctx ends first, it returns ctx.Err(), and the caller
// must not read what do writes.
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
