package results

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
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

// Test fills Significance if the experiment asks for the table "significance". In each data set, it
// compares one system with every other system (see baseline). Rows that differ only in the seed
// count as one system.
//
// Test takes up to a second per row, so Collect does not call it. Test returns ctx.Err() soon after
// ctx ends.
func (r *Results) Test(ctx context.Context) error {
	if !r.wants("significance") || r.Significance != nil {
		return nil
	}
	for _, dataset := range r.datasetsShown() {
		base, note, err := r.baseline(dataset)
		if err != nil {
			return err
		}
		if note != "" {
			r.note([]string{"significance"}, note)
		}
		if base == nil {
			continue
		}
		groups := seedGroups(r.of(dataset))
		// With n resamples, the smallest possible p-value is 1/(n+1). Holm's correction multiplies
		// this value by up to the number of comparisons, so more comparisons need more resamples.
		n := max(metrics.Resamples, 25*len(groups))
		groups = slices.DeleteFunc(groups, func(group []*System) bool { return slices.Contains(group, base[0]) })
		groups = r.inDirectionsOf(base, groups)
		all, err := r.compareAll(ctx, base, groups, n)
		if err != nil {
			return err
		}
		for _, one := range slices.Concat(all...) {
			if m := one.Comparison.Metric; slices.Contains(testedMetrics, m) || metrics.IsGiven(m) {
				r.Significance = append(r.Significance, one)
			}
		}
	}
	return nil
}

// baseline returns the system with which the table "significance" compares the other systems of a
// data set, with all its seeds, or nil. The key report.against names the system. Without the key,
// it is the system that dev outputs chose. The note says how the system was chosen, or why there is
// none. The note is "" if report.against names the system.
func (r *Results) baseline(dataset string) (base []*System, note string, err error) {
	rows := r.of(dataset)
	if against := r.plan.Experiment.Report.Against; against != "" {
		if !slices.ContainsFunc(rows, func(s *System) bool { return report.OfSystem(against, s.System()) }) {
			return nil, fmt.Sprintf("No tests on %s: it has no finished row of %s.", dataset, against), nil
		}
		if base, err = r.FindAsMain(dataset, against); err != nil {
			return nil, "", fmt.Errorf("report.against: %w", err)
		}
		return base, "", nil
	}
	if base = r.chosenOnDev(dataset); len(base) > 0 {
		return base, fmt.Sprintf("On %s, A is our system with the highest Mean on the dev set.", dataset), nil
	}
	return nil, fmt.Sprintf("No tests on %s: dev outputs have not chosen a system. The key report.against names a system to "+
		"compare with.", dataset), nil
}

// chosenOnDev returns our system with the highest Mean on the dev set of a data set, with all its
// seeds. The list is empty if no system was chosen.
func (r *Results) chosenOnDev(dataset string) []*System {
	return lists.Filter(r.of(dataset), func(s *System) bool { return r.chosen.Best(s.score) })
}

// inDirectionsOf returns the groups that have outputs in the same directions as base. The other
// groups are not tested, and inDirectionsOf adds a note for each of them.
func (r *Results) inDirectionsOf(base []*System, groups [][]*System) (same [][]*System) {
	of := func(s *System) []string {
		return lists.Map(s.Scores.Directions, func(d metrics.Direction) string { return d.From + " to " + d.To })
	}
	for _, group := range groups {
		if slices.Equal(of(group[0]), of(base[0])) {
			same = append(same, group)
			continue
		}
		r.note([]string{"significance"}, fmt.Sprintf("No test of %s on %s: it has outputs in other directions than %s.",
			r.title(group), base[0].Dataset(), r.title(base)))
	}
	return same
}

// The method of returns all systems of the given data set.
func (r *Results) of(dataset string) []*System {
	return lists.Filter(r.Systems, func(s *System) bool { return s.Dataset() == dataset })
}

// signs returns the signs (such as "‡") of the flaws that any of the systems has.
func signs(group []*System) string { return metrics.Signs(report.FlawsOf(records(group)...)) }

// title names systems that differ only in the seed, in a form that Find accepts. It gives the name
// of the system and, if there are several systems, the number of their seeds. If the data set has
// other rows of the same system, title also gives the settings that tell the rows apart.
func (r *Results) title(group []*System) string {
	first := group[0]
	others := slices.ContainsFunc(r.of(first.Dataset()), func(s *System) bool {
		return s.System() == first.System() && !slices.Contains(group, s)
	})
	switch {
	case len(group) > 1 && others:
		return report.WithSeeds(first.Name(report.Seed), len(group))
	case len(group) > 1:
		return report.WithSeeds(first.System(), len(group))
	case others && len(r.seedsOf(first)) > 1:
		return first.Name()
	case others:
		return first.Name(report.Seed)
	}
	return first.System()
}

// Compare tests the systems a against the systems b of the same data set. Each of a and b is one
// system with one or more seeds. Compare tests every metric that a and b have with the same
// signature, with 10,000 resamples. It returns ctx.Err() soon after ctx ends.
func (r *Results) Compare(ctx context.Context, a, b []*System) ([]report.SignificanceRow, error) {
	all, err := r.compareAll(ctx, a, [][]*System{b}, 10_000)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Compared returns the table of the rows that Compare returned for a and b, with the notes of the
// table "significance". If neither is a system of ours, it leaves out the notes on our systems.
func (r *Results) Compared(rows []report.SignificanceRow, a, b []*System) *table.Table {
	about := r.aboutOf("significance")
	if !slices.ContainsFunc(slices.Concat(a, b), func(s *System) bool { return s.Kind == report.Ours }) {
		about.Trained = nil
		about.Notes = lists.Filter(about.Notes, func(n string) bool { return n != guidedNote })
	}
	return report.Significance(rows, about)
}

// compareAll compares the systems a with each group in the parameter "others", as Compare does. It
// uses all cores.
func (r *Results) compareAll(
	ctx context.Context, a []*System, others [][]*System, resamples int,
) ([][]report.SignificanceRow, error) {
	records, err := r.sentences(a)
	if err != nil {
		return nil, err
	}
	base := metrics.NewBaseline(records, resamples)
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
		return nil, err // do not return the variable out, because goroutines may still write to it
	}
	return out, nil
}

// compare compares the systems a with the systems b. The parameter "base" has the sentences of a.
func (r *Results) compare(base *metrics.Baseline, a, b []*System) ([]report.SignificanceRow, error) {
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
		// In a sweep over the classifier's settings, systems are judged by different classifiers.
		// Such scores are not compared.
		if differentSignatures(c.Metric, slices.Concat(a, b)) {
			continue
		}
		oneSeed := trainedOnce(a) || trainedOnce(b)
		if !oneSeed && len(a)+len(b) > 2 {
			c.OverSeeds(valuesBySeed(c.Metric, a, b))
		}
		out = append(out, report.SignificanceRow{
			Dataset: a[0].Dataset(), A: r.title(a), B: r.title(b), Seeds: max(len(a), len(b)), OneSeed: oneSeed,
			Sentences: a[0].Sentences(), Resamples: base.Resamples,
			Comparison: c, SignA: signs(a), SignB: signs(b),
		})
	}
	return out, nil
}

// valuesBySeed returns the values of a metric of each seed of a and b. If a and b have the same
// seeds, which may share models, it returns the differences by seed, and nothing for b.
func valuesBySeed(metric string, a, b []*System) (ofA, ofB []float64) {
	value := func(s *System) float64 { return s.Scores.Metrics[metric] }
	seed := func(s *System) string { return s.Axis(report.Seed) }
	ofA, ofB = lists.Map(a, value), lists.Map(b, value)
	if !slices.Equal(lists.Map(a, seed), lists.Map(b, seed)) {
		return ofA, ofB
	}
	for i := range ofA {
		ofA[i] -= ofB[i]
	}
	return ofA, nil
}

// trainedOnce reports whether a group is a trained system with one seed.
func trainedOnce(group []*System) bool { return len(group) == 1 && group[0].Kind == report.Ours }

// sentences reads, for each of the given systems, what every output contributes to the metrics.
func (r *Results) sentences(group []*System) (all [][][]metrics.Sentence, err error) {
	for _, system := range group {
		of, err := r.sentencesOf(system.score)
		if err != nil {
			return nil, err
		}
		for _, s := range system.beside {
			more, err := r.sentencesOf(s)
			if err != nil {
				return nil, err
			}
			joinSentences(of, more)
		}
		if system.given != nil {
			joinSentences(of, system.given.Sentences)
		}
		all = append(all, of)
	}
	return all, nil
}

// sentencesOf reads the sentences of one stage.
func (r *Results) sentencesOf(s *plan.Stage) ([][]metrics.Sentence, error) {
	path, err := r.ws.File(s, "sentences.jsonl")
	if err != nil {
		return nil, err
	}
	return metrics.ReadSentences(path)
}

// differentSignatures reports whether systems have different signatures of a metric.
func differentSignatures(metric string, systems []*System) bool {
	return slices.ContainsFunc(systems, func(s *System) bool {
		return s.Scores.Signatures[metric] != systems[0].Scores.Signatures[metric]
	})
}

// CompareUntil is metrics.Compare with metrics.Resamples, but returns ctx.Err() soon after ctx
// ends.
func CompareUntil(ctx context.Context, a, b [][][]metrics.Sentence) ([]metrics.Comparison, error) {
	var all []metrics.Comparison
	err := until(ctx, func() (err error) {
		all, err = metrics.Compare(a, b, metrics.Resamples)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// The function until calls a function that cannot be stopped. It returns when that function returns
// or when ctx ends. If ctx ends first, the function goes on, and the caller must not read what the
// function writes.
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
