package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// datasets adds the sizes of the data, with the paper's beside them where the paper has the data
// set.
func (c *collector) datasets() {
	for _, set := range c.plan.Experiment.Datasets {
		data := c.plan.Data[set.Name]
		paper, inPaper := corpus.PaperCounts(set.Name)
		for style := range 2 {
			row := report.DatasetRow{
				Dataset: set.Name, Label: data.Labels[style],
				Train: data.Sizes[corpus.Train][style], Dev: data.Sizes[corpus.Dev][style],
				Test: data.Sizes[corpus.Test][style],
			}
			if data.HasRefs {
				row.Refs = row.Test // a reference for every test sentence: corpus.Load refuses anything else
			}
			if inPaper && set.Builtin == "" {
				row.Paper = [3]int{paper[corpus.Train][style], paper[corpus.Dev][style], paper[corpus.Test][style]}
			}
			c.out.Datasets = append(c.out.Datasets, row)
		}
	}
}

// about fills the notes under the tables.
func (c *collector) about() {
	e, a := c.plan.Experiment, &c.out.About
	for _, set := range e.Datasets {
		d := c.plan.Data[set.Name]
		train, test := d.Sizes[corpus.Train], d.Sizes[corpus.Test]
		line := fmt.Sprintf("%s: %s + %s training and %s + %s test sentences (%s + %s)", d.Name,
			table.Thousands(train[0]), table.Thousands(train[1]),
			table.Thousands(test[0]), table.Thousands(test[1]), d.Labels[0], d.Labels[1])
		switch {
		case set.TrainExtra && set.MaxTrain > 0:
			line += ", a sample of train.{0,1}.txt and train_extra.{0,1}.txt"
		case set.TrainExtra:
			line += ", those of train_extra.{0,1}.txt among them"
		case set.MaxTrain > 0:
			line += ", a sample of the training file"
		}
		a.Data = append(a.Data, line)
	}
	a.Missing = c.missing()
	a.Seeds, a.Profile = slices.Clone(e.Seeds), e.Profile
	a.Signatures = signatures(c.out.Results, c.out.datasetsShown())
	c.out.trained = trainedSignatures()
	c.noted()
}

// missing says what would give the metrics that the settings leave out, or that this machine lacks
// the data for.
func (c *collector) missing() map[string]string {
	m := map[string]string{}
	settings := func(off func(experiment.MetricsSettings) bool) bool {
		return slices.ContainsFunc(c.plan.Points, func(p *plan.PointStages) bool {
			return off(p.Point.Settings.Metrics)
		})
	}
	m["meteor"] = c.lacking(stages.METEOR)
	if settings(func(s experiment.MetricsSettings) bool { return !s.METEOR }) {
		m["meteor"] = "METEOR is left out: set metrics.meteor = true."
	}
	for _, key := range []string{"embedding_average", "vector_extrema", "greedy_matching"} {
		m[key] = c.lacking(stages.Embedding)
		if settings(func(s experiment.MetricsSettings) bool { return !s.Embedding }) {
			m[key] = "The embedding metrics are left out: set metrics.embedding = true."
		}
	}
	if settings(func(s experiment.MetricsSettings) bool { return !s.Perplexity }) {
		m["perplexity"] = "Perplexity is left out: set metrics.perplexity = true."
	}
	return m
}

// aboutOf is what is said of one table.
func (r *Results) aboutOf(table string) report.About {
	a := r.About
	a.Overrides = r.overrides[table]
	a.Notes = slices.Concat(r.notesUnder(table), r.weak.of(table))
	switch table {
	case "selection", "search":
		a.Missing, a.Signatures = nil, signatures(r.Selection, r.datasetsShown())
	case "classifier", "divlstm", "attribution":
		a.Signatures = r.trained[table]
	case "examples", "training", "human":
		a.Signatures = nil
	}
	return a
}

// signatures merges those of all rows. Where they differ, each data set's are given; a sweep over
// the instruments gives a data set several.
func signatures(rows []report.ResultRow, datasets []string) map[string]string {
	type family struct{ metric, dataset string }
	of := map[family][]string{}
	different := map[string][]string{} // by metric
	for i := range rows {
		row := &rows[i]
		for metric, s := range row.Metrics.Signatures {
			f := family{metric, row.Dataset}
			of[f], different[metric] = lists.AddOnce(of[f], s), lists.AddOnce(different[metric], s)
		}
	}
	out := map[string]string{}
	for metric, all := range different {
		if len(all) == 1 || len(datasets) == 1 {
			slices.Sort(all)
			out[metric] = strings.Join(all, " or ")
			continue
		}
		var parts []string
		for _, dataset := range datasets {
			if s := of[family{metric, dataset}]; len(s) > 0 {
				slices.Sort(s)
				parts = append(parts, dataset+": "+strings.Join(s, " or "))
			}
		}
		out[metric] = strings.Join(parts, "; ")
	}
	return out
}
