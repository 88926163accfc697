package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// ReadDataset is what blind readers say of systems' outputs on one data set.
type ReadDataset struct {
	Dataset  string
	Readings human.Readings
	Metrics  []MetricAgreement // of the systems that were read, where these are known
}

// MetricAgreement says how far a metric agrees with readers: how often it points to the output that
// they find better, and how far it puts systems in their order.
type MetricAgreement struct {
	Metric *metrics.Metric
	Picks  human.Picks
	Ranks  human.Ranks
}

// readMetric is a metric on a data set.
type readMetric struct {
	dataset string
	MetricAgreement
}

// readRow is a system on some sentences of a data set.
type readRow struct {
	dataset, kind string
	human.SystemShares
}

// readPair is a sign test of two systems on a data set.
type readPair struct {
	dataset string
	human.SignTest
}

// readLegend says what the columns of readings are.
const readLegend = "Percent of blind readers' ratings with the highest score, for style (flipped whole), content, fluency and " +
	"all three (flawless). Best: the readers' votes for the best output of a sentence; n different outputs that are equally " +
	"good get 1/n each. Systems that wrote the same output each get its whole vote, so the column may add up to more than " +
	"100. In brackets: 95 % bootstrap interval over sentences."

// picksLegend and ranksLegend say what the columns of the tables of metrics are.
const (
	picksLegend = "Percent of the pairs of test outputs of a sentence in which the metric of the single output points to the " +
		"output that readers find better: by the sum of the three scores, and by each of them. A pair counts if the mean " +
		"scores of the readers who rated both differ by a point or more. Equal numbers count half, so chance is 50. Pairs: " +
		"by the sum / style / content / fluency. In brackets: 95 % bootstrap interval over sentences. BLEU of a single output " +
		"is not smoothed; it is mostly 0 where no four words in a row are kept. Human references are left out."
	ranksLegend = "Kendall's tau-b between the order of the systems by the metric and by the share of ratings with the " +
		"highest score, for style (flipped whole), content, fluency and all three (flawless). 1 is the same order, -1 the " +
		"reversed one. Both orders use the test sentences that were read. In brackets: 95 % bootstrap interval over sentences; " +
		"with few systems it is wide. Human references are left out."
)

// presumedSign marks metrics that no table ranks.
const presumedSign = "†"

// presumedLegend says what is taken for better of metrics that no table ranks; "": there is none.
func presumedLegend(rows []readMetric) string {
	of := map[metrics.Better][]string{}
	for i := range rows {
		if m := rows[i].Metric; m.Better == metrics.Neither {
			of[m.Presumed] = lists.AddOnce(of[m.Presumed], table.Flat(m.Head))
		}
	}
	var said []string
	for _, better := range []metrics.Better{metrics.Lower, metrics.Higher} {
		if names := of[better]; len(names) > 0 {
			said = append(said, map[metrics.Better]string{metrics.Lower: "lower", metrics.Higher: "higher"}[better]+" "+
				strings.Join(names, ", "))
		}
	}
	if said == nil {
		return ""
	}
	return presumedSign + ": no table ranks this metric. Here, better means " + strings.Join(said, ", and ") + "."
}

// Read are the tables of readings: what readers say of each system, the same by kind of sentence,
// and every two systems compared by a sign test.
func Read(sets []ReadDataset, about About) []*table.Table {
	var all, kinds []readRow
	var pairs []readPair
	for _, set := range sets {
		for k, kind := range set.Readings.Kinds() {
			for _, s := range set.Readings.Where(kind.Has).Shares() {
				row := readRow{set.Dataset, kind.Name, s}
				if k == 0 {
					all = append(all, row)
				} else {
					kinds = append(kinds, row)
				}
			}
		}
		for _, t := range set.Readings.SignTests() {
			pairs = append(pairs, readPair{set.Dataset, t})
		}
	}
	dataset := func(r *readRow) string { return r.dataset }
	sheetOf := func(name, title string) sheet[readRow] {
		s := sheet[readRow]{name: name, title: title, dataset: dataset, legend: []string{readLegend}}
		s.numbers = []column[readRow]{
			count("sentences", "sentences", func(r *readRow) int { return r.Sentences }),
			shareColumn("flipped\nwhole %", "whole", func(r *readRow) human.Share { return r.Whole }),
			shareColumn("content\nkept %", "content", func(r *readRow) human.Share { return r.Content }),
			shareColumn("fluent\n%", "fluent", func(r *readRow) human.Share { return r.Fluent }),
			shareColumn("flawless\n%", "flawless", func(r *readRow) human.Share { return r.Flawless }),
			shareColumn("best\n%", "best", func(r *readRow) human.Share { return r.Best }),
		}
		return s
	}
	system := left("System", func(r *readRow) string { return r.System })
	main := sheetOf("read", "Ratings of the outputs by blind readers.")
	main.labels = []column[readRow]{datasetColumn(dataset), system}
	byKind := sheetOf("read_kinds", "Ratings of the outputs by blind readers, for each kind of sentence.")
	byKind.labels = []column[readRow]{
		datasetColumn(dataset), merged("Sentences", func(r *readRow) string { return r.kind }), system,
	}
	byKind.apart = func(before, r *readRow) bool { return before.kind != r.kind || before.dataset != r.dataset }
	tests := sheet[readPair]{
		name: "read_pairs", title: "Comparison of systems by blind readers.",
		dataset: func(r *readPair) string { return r.dataset },
		legend: []string{"Numbers of sentences for which A's output gets a higher, or a lower, sum of scores than B's, by all " +
			"readers who rated both. p: exact sign test, two-sided."},
	}
	tests.labels = []column[readPair]{
		datasetColumn(tests.dataset), merged("A", func(r *readPair) string { return r.A }),
		left("B", func(r *readPair) string { return r.B }),
	}
	tests.numbers = []column[readPair]{
		integer("A higher", "more", func(r *readPair) int { return r.More }),
		integer("A lower", "less", func(r *readPair) int { return r.Less }),
		right("p", "p", func(r *readPair) string { return table.Decimals(r.P, 3) }),
	}
	notes := lists.Map(sets, whoRead)
	main.about, byKind.about, tests.about = about, about, about
	return []*table.Table{main.table(all, notes...), byKind.table(kinds, notes...), tests.table(pairs, notes...)}
}

// Agreement are the tables that say how far metrics agree with readers: which point to the outputs
// that readers prefer, and which put systems in the order of readers.
func Agreement(sets []ReadDataset, about About) []*table.Table {
	var picks, ranks []readMetric
	for _, set := range sets {
		for _, m := range set.Metrics {
			row := readMetric{set.Dataset, m}
			if m.Picks.Total.Pairs > 0 {
				picks = append(picks, row)
			}
			if m.Ranks.Systems > 0 {
				ranks = append(ranks, row)
			}
		}
	}
	sheetOf := func(name, title, legend string, rows []readMetric) sheet[readMetric] {
		s := sheet[readMetric]{
			name: name, title: title, legend: []string{legend},
			dataset: func(r *readMetric) string { return r.dataset },
		}
		if presumed := presumedLegend(rows); presumed != "" {
			s.legend = append(s.legend, presumed)
		}
		metric := left[readMetric]("Metric", nil)
		metric.cell = func(r *readMetric) table.Cell {
			cell := table.Cell{Text: table.Flat(r.Metric.Head)}
			if r.Metric.Better == metrics.Neither {
				cell.Sign = presumedSign
			}
			return cell
		}
		s.labels = []column[readMetric]{datasetColumn(s.dataset), metric}
		return s
	}
	agree := sheetOf("read_metrics", "How often each metric points to the output that blind readers prefer.", picksLegend, picks)
	each := []string{"all three"}
	for _, scale := range human.Scales {
		each = append(each, scale.Name)
	}
	agree.numbers = []column[readMetric]{fields("pairs", func(r *readMetric) table.Cell {
		parts := []string{strconv.Itoa(r.Picks.Total.Pairs)}
		for _, share := range r.Picks.Each {
			parts = append(parts, strconv.Itoa(share.Pairs))
		}
		return table.Cell{Text: strings.Join(parts, " / "), Parts: parts}
	}, each...), shareColumn(each[0]+"\n%", "total", func(r *readMetric) human.Share { return r.Picks.Total.Share })}
	for k, scale := range human.Scales {
		agree.numbers = append(agree.numbers,
			shareColumn(scale.Name+"\n%", scale.Name, func(r *readMetric) human.Share { return r.Picks.Each[k].Share }))
	}
	order := sheetOf("read_ranks", "How well each metric orders the systems as blind readers do.", ranksLegend, ranks)
	order.numbers = []column[readMetric]{
		count("systems", "systems", func(r *readMetric) int { return r.Ranks.Systems }),
		intervalColumn("flipped\nwhole", "whole", 2, func(r *readMetric) human.Share { return r.Ranks.Whole }),
		intervalColumn("content\nkept", "content", 2, func(r *readMetric) human.Share { return r.Ranks.Content }),
		intervalColumn("fluent", "fluent", 2, func(r *readMetric) human.Share { return r.Ranks.Fluent }),
		intervalColumn("flawless", "flawless", 2, func(r *readMetric) human.Share { return r.Ranks.Flawless }),
	}
	notes := lists.Map(sets, whoRead)
	agree.about, order.about = about, about
	return []*table.Table{agree.table(picks, notes...), order.table(ranks, notes...)}
}

// shareColumn shows a percentage and its interval: "58.2 [50.1, 66.0]".
func shareColumn[R any](head, key string, of func(*R) human.Share) column[R] {
	return intervalColumn(head, key, 1, of)
}

// intervalColumn shows a value with so many decimals and its interval.
func intervalColumn[R any](head, key string, decimals int, of func(*R) human.Share) column[R] {
	c := right[R](head, key, nil)
	c.cell = func(r *R) table.Cell {
		s := of(r)
		if math.IsNaN(s.Value) {
			return table.Cell{Text: table.Absent, Parts: []string{table.Absent, table.Absent, table.Absent}}
		}
		value, low, high := table.Decimals(s.Value, decimals), table.Absent, table.Absent
		text := value
		if !math.IsNaN(s.Low) {
			low, high = table.Decimals(s.Low, decimals), table.Decimals(s.High, decimals)
			text += " [" + low + ", " + high + "]"
		}
		return table.Cell{Text: text, Parts: []string{value, low, high}}
	}
	c.Column = c.Split("", "low", "high")
	return c
}

// whoRead says who read what of a data set, and how far readers agree.
func whoRead(set ReadDataset) string {
	r := set.Readings
	var splits []string
	for i := range r {
		if !slices.Contains(splits, r[i].Split) {
			splits = append(splits, r[i].Split)
		}
	}
	var alphas []string
	for k, a := range r.Alphas() {
		if !math.IsNaN(a) {
			alphas = append(alphas, fmt.Sprintf("%s %s", human.Scales[k].Name, table.Decimals(a, 2)))
		}
	}
	note := fmt.Sprintf("%s: %s sentences, read by %s.", set.Dataset, strings.Join(splits, " and "),
		strings.Join(r.Readers(), "; ")) // names may have commas
	if len(alphas) > 0 {
		note += " Krippendorff's alpha (ordinal): " + strings.Join(alphas, ", ") + "."
	}
	return note
}
