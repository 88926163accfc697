package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// ReadDataset is what blind readers say of systems' outputs on one data set.
type ReadDataset struct {
	Dataset  string
	Readings human.Readings
	Picks    []MetricPicks // of the metrics of the systems that were read, where these are known
}

// MetricPicks says how often a metric points to the output that readers find better.
type MetricPicks struct {
	Metric *metrics.Metric
	human.Picks
}

// readMetric is a metric on a data set.
type readMetric struct {
	dataset string
	MetricPicks
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
const readLegend = "Percent of blind readers' ratings with the highest score: flipped whole is style, and flawless all of " +
	"style, content and fluency. Best: the readers' votes for the best output of a sentence, 1/n for each of n different " +
	"outputs that are equally good. Systems that wrote the same output have its whole vote each, so that the column may " +
	"add up to more than 100. In brackets: 95 % bootstrap interval over sentences."

// picksLegend says what the columns of picks are.
const picksLegend = "Of every two outputs of a sentence that readers do not find equal, the percentage in which the metric of " +
	"the single output points to the better one, by all three scores or by one of them; equal numbers count half, so that " +
	"50 is chance. In brackets: 95 % bootstrap interval over sentences. A metric that is the better the lower it is counts " +
	"so. Of one output BLEU is not smoothed, and mostly 0 where no four words in a row are kept."

// Read are the tables of readings: what readers say of each system, the same by kind of sentence,
// every two systems compared by a sign test, and which metrics point to what readers prefer.
func Read(sets []ReadDataset, about About) []*table.Table {
	var all, kinds []readRow
	var pairs []readPair
	var picks []readMetric
	var readers []string
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
		for _, m := range set.Picks {
			picks = append(picks, readMetric{set.Dataset, m})
		}
		readers = append(readers, whoRead(set))
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
	main := sheetOf("read", "What blind readers say of the outputs.")
	main.labels = []column[readRow]{datasetColumn(dataset), system}
	byKind := sheetOf("read_kinds", "What blind readers say of the outputs, by kind of sentence.")
	byKind.labels = []column[readRow]{
		datasetColumn(dataset), merged("Sentences", func(r *readRow) string { return r.kind }), system,
	}
	byKind.apart = func(before, r *readRow) bool { return before.kind != r.kind || before.dataset != r.dataset }
	tests := sheet[readPair]{
		name: "read_pairs", title: "Systems compared by what blind readers say.",
		dataset: func(r *readPair) string { return r.dataset },
		legend: []string{"Sentences in which the readers' scores of A's output add up to more, and to less, than those of " +
			"B's; p of the exact sign test, two-sided."},
	}
	tests.labels = []column[readPair]{
		datasetColumn(tests.dataset), merged("A", func(r *readPair) string { return r.A }),
		left("B", func(r *readPair) string { return r.B }),
	}
	tests.numbers = []column[readPair]{
		integer("A more", "more", func(r *readPair) int { return r.More }),
		integer("A less", "less", func(r *readPair) int { return r.Less }),
		right("p", "p", func(r *readPair) string { return table.Decimals(r.P, 3) }),
	}
	agree := sheet[readMetric]{
		name: "read_metrics", title: "Which metrics point to the output that blind readers prefer.",
		dataset: func(r *readMetric) string { return r.dataset }, legend: []string{picksLegend},
	}
	agree.labels = []column[readMetric]{
		datasetColumn(agree.dataset), left("metric", func(r *readMetric) string { return table.Flat(r.Metric.Head) }),
	}
	agree.numbers = []column[readMetric]{
		count("pairs", "pairs", func(r *readMetric) int { return r.Pairs }),
		shareColumn("all three\n%", "total", func(r *readMetric) human.Share { return r.Total }),
	}
	for k, scale := range human.Scales {
		agree.numbers = append(agree.numbers,
			shareColumn(scale.Name+"\n%", scale.Name, func(r *readMetric) human.Share { return r.Each[k] }))
	}
	notes := append(about.notes(), readers...)
	tables := []*table.Table{main.table(all, notes...), byKind.table(kinds, notes...), tests.table(pairs, notes...)}
	if len(picks) > 0 {
		tables = append(tables, agree.table(picks, notes...))
	}
	return tables
}

// shareColumn shows a share and its interval: "58 [50, 66]".
func shareColumn[R any](head, key string, of func(*R) human.Share) column[R] {
	c := right[R](head, key, nil)
	c.cell = func(r *R) table.Cell {
		s := of(r)
		if math.IsNaN(s.Value) {
			return table.Cell{Text: table.Absent, Parts: []string{table.Absent, table.Absent, table.Absent}}
		}
		value, low, high := table.Decimals(s.Value, 0), table.Absent, table.Absent
		text := value
		if !math.IsNaN(s.Low) {
			low, high = table.Decimals(s.Low, 0), table.Decimals(s.High, 0)
			text += " [" + low + ", " + high + "]"
		}
		return table.Cell{Text: text, Parts: []string{table.Decimals(s.Value, 1), low, high}}
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
