package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/metrics/human"
	"github.com/smlm-exp/smlm-exp/report/paper"
)

// studySystems are the names of a study of realistic size: the paper's, ours, and names as people
// give them.
var studySystems = []string{
	"SMLM", "SMLM-G", "SMLM-FT", "SMLM (predicted)", "SMLM-FT (explainable_attention, copied)", "SMLM-FT " +
		"(integrated_gradients, copied)",
	"DirR", "Stable", "Transforming", "Tag", "CrossAligned", "CycleRL", "StyleEmbedding", "DandR", "cycleMulti",
	"human references",
	"a system with a name of many words, as folders have them",
	"averyveryverylongfoldernamewithoutanyplacetobreakit", "B-GST_BERT_DEL_beam_10", "G-GST", "LaMer",
	"prompted model, zero-shot", "prompted model, few-shot", "Mask&Infill",
}

// invented is a number between 0 and 1 that is always the same for the same numbers.
func invented(n ...int) float64 {
	v := 0.37
	for _, k := range n {
		v = math.Mod(v*97.31+float64(k)*0.6180339887, 1)
	}
	return v
}

// studyMetrics are all metrics there are, invented; every tenth system has collapsed.
func studyMetrics(seed int) *metrics.Scores {
	at := func(k int, low, high float64) float64 { return low + (high-low)*invented(seed, k) }
	r := &metrics.Scores{Directions: make([]metrics.Direction, 2), Metrics: metrics.Values{
		"tst": at(1, 10, 99), "s_bleu": at(2, 10, 90), "s_bleu_1": at(3, 50, 95), "s_bleu_2": at(4, 40, 90),
		"s_bleu_3": at(5, 20, 90), "r_bleu": at(6, 1, 30), "r_bleu_1": at(7, 30, 60),
		"r_bleu_2": at(8, 20, 40), "r_bleu_3": at(9, 10, 30), "meteor": at(10, .2, .6), "rouge_l": at(11, .5, .95),
		"cider": at(12, 1, 9), "embedding_average": at(13, .8, 1),
		"vector_extrema": at(
			14,
			.5,
			1,
		), "greedy_matching": at(15, .6, 1), "naturalness": at(16, .6, .98), "mean": at(17, 40, 85),
		"perplexity": at(18, 20, 4000), "self_bleu": at(19, 5, 80),
		"distinct_1": at(20, 0, .3), "distinct_2": at(21, 0, .9), "length_ratio": at(22, .3, 1.3),
		"deleted_share": at(23, 0, .5), "inserted_share": at(24, 0, .3), "halved_share": at(25, 0, .2),
		"short_share":         at(26, 0, .1),
		"naturalness_by.ARAE": .5, "naturalness_by.CAAE": .84, "naturalness_by.DAR": .7,
	}}
	for k := range r.Directions {
		d := &r.Directions[k]
		d.From, d.To, d.N, d.MostFrequentNewWord = "negative", "positive", 500, "great"
		d.MostFrequentNewWordShare = .3 * invented(seed, 30+k)
		d.DistinctNewWords, d.RepeatShare = int(900*invented(seed, 32+k)), .1*invented(seed, 34+k)
		if seed%10 == 9 {
			d.MostFrequentNewWordShare, d.DistinctNewWords = .97, 3
		}
	}
	return r
}

// studyAbout has a signature of each metric, as Score writes them, and sentences on what is
// missing.
func studyAbout() About {
	a := About{Seeds: []uint64{1, 2, 3}, Profile: "paper", Signatures: map[string]string{
		"rouge_l": metrics.RougeLSignature(
			"source",
		), "cider": metrics.CIDErSignature("source"), "meteor": "meteor|stages:exact,stem,synonym|alpha:0.9|beta:3|gamma:0.5|refs:source|version:1",
		"naturalness": "naturalness|unigram|weights:caae|version:1", "naturalness_by.CAAE": "naturalness|unigram|weights:caae|version:1", "naturalness_by.DAR": "naturalness|unigram|weights:dar|version:1",
		"naturalness_by.ARAE": "naturalness|unigram|weights:arae|version:1", "tst": "tst|level:micro|classifier:bilstm-embedding128-hidden256-seed1|version:1", "mean": "mean|(tst+s_bleu+100*naturalness)/3|version:1",
		"perplexity": "perplexity|model:lstm-512|trained-on:train,human|dev:41.27|unit:token|ends:counted|version:1",
		"collapse": "collapse|tok:whitespace|case:as-is|new:not-in-own-source|share:of-occurrences|" +
			"ties:byte-order|repeat:beyond-own-source|version:2",
	}}
	for _, set := range []string{"yelp", "amazon", "imdb"} {
		a.Data = append(a.Data, set+": 107,384 + 158,574 training and 500 + 500 test sentences (negative + positive)")
	}
	for n := 1; n <= 4; n++ {
		name := fmt.Sprintf("bleu_%d", n)
		if n == 4 {
			name = "bleu"
		}
		a.Signatures["s_"+name], a.Signatures["r_"+name] = metrics.BLEUSignature(n, "source"), metrics.BLEUSignature(n,
			"1")
	}
	return a
}

// studyResults are the rows of all systems on three data sets; ours have a swept setting and a
// seed.
func studyResults() []ResultRow {
	var rows []ResultRow
	for d, set := range []string{"yelp", "amazon", "imdb-reconstructed"} {
		for k, system := range studySystems {
			r := ResultRow{
				Dataset: set, System: system, Published: k >= 6, Unranked: system == "human references",
				Metrics: studyMetrics(100*d + k),
			}
			if !r.Published {
				r.Axes, r.Seed = []Axis{{Key: "lambda_eps", Value: []string{"0.15", "0.5"}[k%2]}}, uint64(1+k%3)
			}
			if d == 2 {
				delete(r.Metrics.Metrics, "r_bleu")
				delete(r.Metrics.Metrics, "r_bleu_1")
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// studySeeds are the rows of a few systems with three seeds each.
func studySeeds() []ResultRow {
	var rows []ResultRow
	for d, set := range []string{"yelp", "amazon"} {
		for k, system := range studySystems[:9] {
			for seed := range 3 {
				if k >= 6 && seed > 0 {
					continue
				}
				rows = append(
					rows,
					ResultRow{
						Dataset: set, System: system, Published: k >= 6, Seed: uint64(seed),
						Metrics: studyMetrics(100*d + 10*k + seed),
					},
				)
			}
		}
	}
	return rows
}

// studyIntervals are intervals of every metric of those rows.
func studyIntervals() []IntervalRow {
	var rows []IntervalRow
	for _, r := range studyResults() {
		row := IntervalRow{ResultRow: r, Intervals: map[string]metrics.Interval{}}
		for _, m := range slices.Concat(inGroup(metrics.GroupResults), inGroup(metrics.GroupContent)) {
			if v, known := r.Metrics.Metrics[m.Key]; known && m.Better != metrics.Neither {
				row.Intervals[m.Key] = metrics.Interval{Value: v, Low: v * .96, High: v * 1.03}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// studySignificance are 40 comparisons.
func studySignificance() []SignificanceRow {
	var rows []SignificanceRow
	for i := range 10 {
		for k, key := range []string{"tst", "s_bleu", "naturalness", "perplexity"} {
			scale := []float64{100, 100, 1, 500}[k]
			a, b := scale*invented(i, k), scale*invented(i, k+7)
			rows = append(rows, SignificanceRow{
				Dataset: []string{"yelp", "amazon"}[i/5], A: "SMLM-FT, lambda_eps 0.5", B: studySystems[6+i],
				Comparison: metrics.Comparison{
					Metric: key, A: a, B: b, Difference: a - b, Low: a - b - scale/50, High: a - b + scale/50,
					PBootstrap: math.Pow(invented(i, k, 3), 30), PRandomisation: math.Pow(invented(i, k, 4), 30),
				},
			})
		}
	}
	return rows
}

// studyHuman is a human evaluation of the paper's size: three readers of two systems.
func studyHuman() (out human.Ratings) {
	type votes [3]string // by reader: the systems marked as best
	const tag, smlm, both, neither = "Tag", "SMLM", "Tag SMLM", ""
	for k, direction := range []string{"entailment to contradiction", "contradiction to entailment"} {
		line := 0
		for _, kind := range []struct {
			sentences int
			votes
		}{
			{31, votes{tag, tag, smlm}},
			{102, votes{smlm, smlm, smlm}},
			{30, votes{both, smlm, both}},
			{25, votes{neither, neither, tag}},
			{12, votes{tag, smlm, both}},
		} {
			for range kind.sentences + 10*k {
				line++
				for k, marked := range kind.votes {
					for _, system := range []string{tag, smlm} {
						one := human.Rating{
							Dataset: "snli", Sentence: human.Sentence{Split: "test", Direction: direction, Line: line},
							System: system, Reader: fmt.Sprintf("reader %d", k+1), Scores: [3]int{k % 2, 2, 1},
						}
						if slices.Contains(strings.Split(marked, " "), system) {
							one.Scores, one.Best = [3]int{2, 2, 2 - k/2}, 1/float64(len(strings.Fields(marked)))
						}
						out = append(out, one)
					}
				}
			}
		}
	}
	return out
}

// studyAttribution are all methods on the paper's four data sets.
func studyAttribution() []AttributionRow {
	var rows []AttributionRow
	for _, set := range []string{"yelp", "amazon", "imdb", "snli"} {
		for _, r := range attributionRows() {
			r.Dataset = set
			rows = append(rows, r)
		}
	}
	return rows
}

// studyTables are all tables of a study, those with the paper's values beside.
func studyTables() []*Table {
	a := studyAbout()
	base := a
	base.Signatures = nil
	return []*Table{
		Results(studyResults(), a), paper.Beside(Results(studyResults(), a)), paper.Beside(Content(studyResults(), a)),
		paper.Beside(BLEU(studyResults(), a)), paper.Beside(Intervals(studyIntervals(), a)),
		paper.Beside(SeedMeans(studySeeds(), a)), Significance(studySignificance(), a),
		Human(studyHuman())[0], Human(studyHuman())[1], Human(studyHuman())[2],
		paper.Beside(Attribution(studyAttribution(), base)),
		paper.Beside(Classifier(studyClassifiers(), base)), paper.Beside(DivLSTM(studyDivLSTM(), base)),
		paper.Beside(Datasets(studyDatasets(), base)),
		Score(studyScore()),
	}
}

func studyScore() *metrics.Scores {
	r := studyMetrics(3)
	r.Signatures = maps.Clone(studyAbout().Signatures)
	for k := range r.Directions {
		r.Directions[k].Metrics = studyMetrics(4 + k).Metrics
	}
	return r
}

func studyClassifiers() []ClassifierRow {
	var rows []ClassifierRow
	for k, set := range []string{"yelp", "amazon", "imdb", "snli", "market"} {
		for _, model := range []string{"classifier", "fasttext"} {
			rows = append(
				rows,
				ClassifierRow{
					Dataset: set, Model: model, Seed: 1, DevAccuracy: 97.84, TestAccuracy: 70 + 5.17*float64(k),
					Epochs: 2, Parameters: 1484162,
				},
			)
		}
	}
	return rows
}

func studyDivLSTM() []DivLSTMRow {
	var rows []DivLSTMRow
	for _, set := range []string{"yelp", "amazon", "imdb", "snli"} {
		for _, con := range []float64{0, 0.5, 10} {
			rows = append(
				rows,
				DivLSTMRow{
					Dataset: set, LambdaCon: con, Seed: 1, DevAccuracy: 97.3, TestAccuracy: 96.81, Conicity: 0.154,
					Reduction: "mean", Epochs: 2,
				},
			)
		}
	}
	return rows
}

func studyDatasets() []DatasetRow {
	return []DatasetRow{
		{
			Dataset: "yelp", Label: "fed_up", Train: 107384, Dev: 2000, Test: 500, Refs: 500,
			Paper: [3]int{177_000, 2000, 500},
		},
		{
			Dataset: "yelp", Label: "pleased", Train: 158574, Dev: 2000, Test: 500, Refs: 500,
			Paper: [3]int{266_000, 2000, 500},
		},
		{
			Dataset: "snli", Label: "contradiction", Train: 8582, Dev: 3278, Test: 3237,
			Paper: [3]int{183_000, 3278, 3237},
		},
		{Dataset: "snli", Label: "entailment", Train: 8530, Dev: 3329, Test: 3368, Paper: [3]int{183_000, 3329, 3368}},
		{Dataset: "market", Label: "fed_up", Train: 4000, Dev: 400, Test: 200},
		{Dataset: "market", Label: "pleased", Train: 4000, Dev: 400, Test: 200},
	}
}
