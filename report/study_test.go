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

// studySystems are the names of systems in a study of realistic size: our systems, the paper's
// systems, and long names such as users give to folders of outputs.
var studySystems = []string{
	"SMLM", "SMLM-G", "SMLM-FT", "SMLM (predicted)", "SMLM-FT (explainable_attention, copied)", "SMLM-FT " +
		"(integrated_gradients, copied)",
	"DirR", "Stable", "Transforming", "Tag", "CrossAligned", "CycleRL", "StyleEmbedding", "DandR", "cycleMulti",
	"references",
	"a system with a name of many words, as folders have them",
	"averyveryverylongfoldernamewithoutanyplacetobreakit", "B-GST_BERT_DEL_beam_10", "G-GST", "LaMer",
	"prompted model, zero-shot", "prompted model, few-shot", "Mask&Infill",
}

// The constant published is the index of the first published system in studySystems.
const published = 6

// The function invented returns a number between 0 and 1 that depends only on its arguments.
func invented(n ...int) float64 {
	v := 0.37
	for _, k := range n {
		v = math.Mod(v*97.31+float64(k)*0.6180339887, 1)
	}
	return v
}

// studyMetrics returns invented values of all metrics. The outputs of every tenth system have
// collapsed.
func studyMetrics(seed int) *metrics.Scores {
	at := func(k int, low, high float64) float64 { return low + (high-low)*invented(seed, k) }
	r := &metrics.Scores{Directions: make([]metrics.Direction, 2), Metrics: metrics.Values{
		"tst": at(1, 20, 99), "s_bleu": at(2, 10, 90), "r_bleu": at(6, 1, 30),
		"meteor": at(10, .2, .6), "rouge_l": at(11, .5, .95),
		"cider": at(12, 1, 9), "embedding_average": at(13, .8, 1),
		"vector_extrema": at(14, .5, 1), "greedy_matching": at(15, .6, 1), "naturalness": at(16, .6, .98), "mean": at(17, 40, 85),
		"perplexity": at(18, 20, 4000),
		"distinct_2": at(21, 0, .9), "length_ratio": at(22, .3, 1.3),
		"halved_share": at(25, 0, .2),
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

// Signatures of metrics that the fake records have.
const (
	rougeLSignature = "rouge_l|level:sentence-mean|lcs|beta:1.2|best:precision,recall|tok:whitespace|case:as-is|dirs:mean|" +
		"refs:source|version:1"
	ciderSignature = "cider|level:sentence-mean|n:1-4|clipped|penalty:gauss,sigma=6|df:references-of-direction|scale:10|" +
		"tok:whitespace|case:as-is|dirs:mean|refs:source|version:1"
)

// studyAbout returns an About with the signatures of most metrics.
func studyAbout() About {
	a := About{Seeds: []uint64{1, 2, 3}, Profile: "paper", Signatures: map[string]string{
		"rouge_l": rougeLSignature, "cider": ciderSignature,
		"meteor":             "meteor|stages:exact,stem,synonym|alpha:0.9|beta:3|gamma:0.5|refs:source|version:1",
		"naturalness":        "naturalness|unigram|weights:caae|version:1",
		"naturalness_by.DAR": "naturalness|unigram|weights:dar|version:1",
		"tst":                "tst|level:micro|classifier:bilstm-embedding128-hidden256-seed1|version:1",
		"mean":               "mean|(tst+s_bleu+100*naturalness)/3|version:1",
		"perplexity":         "perplexity|model:lstm-512|trained-on:train,human|dev:41.27|unit:token|ends:counted|version:1",
		"collapse": "collapse|tok:whitespace|case:as-is|new:not-in-own-source|share:of-occurrences|" +
			"ties:byte-order|repeat:beyond-own-source|version:2",
	}}
	for _, set := range []string{"yelp", "amazon", "imdb"} {
		a.Data = append(a.Data, set+": 107,384 + 158,574 training and 500 + 500 test sentences (negative + positive)")
	}
	a.Signatures["s_bleu"], a.Signatures["r_bleu"] = metrics.BLEUSignature("source"), metrics.BLEUSignature("1")
	return a
}

// studyResults returns the records of all systems on three data sets. Our systems have a swept
// setting and a seed.
func studyResults() (records []*Record) {
	for d, set := range []string{"yelp", "amazon", "imdb-reconstructed"} {
		for k, name := range studySystems {
			r := system(set, name, studyMetrics(100*d+k))
			switch {
			case name == "references":
				r.Kind = People
			case k >= published:
				r.Kind = Published
			default:
				r.Axes = append(r.Axes, swept("lambda_eps", []string{"0.15", "0.5"}[k%2], Seed, fmt.Sprint(1+k%3))...)
			}
			if d == 2 {
				delete(r.Values, "r_bleu")
			}
			records = append(records, r)
		}
	}
	return records
}

// studySeeds returns the records of a few systems on two data sets. Our systems have three seeds.
func studySeeds() (records []*Record) {
	for d, set := range []string{"yelp", "amazon"} {
		for k, name := range studySystems[:published+3] {
			if k >= published {
				records = append(records, as(Published, system(set, name, studyMetrics(100*d+10*k))))
				continue
			}
			for seed := range 3 {
				records = append(records, system(set, name, studyMetrics(100*d+10*k+seed), Seed, fmt.Sprint(seed)))
			}
		}
	}
	return records
}

// studyIntervals returns the records of studyResults, with intervals for all metrics in the tables
// "results" and "content".
func studyIntervals() []*Record {
	records := studyResults()
	keys := append(inGroup(metrics.GroupResults), inGroup(metrics.GroupContent)...)
	for _, r := range records {
		r.Scores.Intervals = map[string]metrics.Interval{}
		for _, m := range metrics.ColumnsOf(keys...) {
			if v, known := r.Values[m.Key]; known && m.Better != metrics.Neither {
				r.Scores.Intervals[m.Key] = metrics.Interval{Value: v, Low: v * .96, High: v * 1.03}
			}
		}
	}
	return records
}

// studySignificance returns 40 comparisons.
func studySignificance() []SignificanceRow {
	var rows []SignificanceRow
	for i := range 10 {
		for k, key := range []string{"tst", "s_bleu", "naturalness", "perplexity"} {
			scale := []float64{100, 100, 1, 500}[k]
			a, b := scale*invented(i, k), scale*invented(i, k+7)
			rows = append(rows, SignificanceRow{
				Dataset: []string{"yelp", "amazon"}[i/5], A: "SMLM-FT, lambda_eps 0.5", B: studySystems[6+i], Resamples: 10_000,
				Comparison: metrics.Comparison{
					Metric: key, A: a, B: b, Difference: a - b, Low: a - b - scale/50, High: a - b + scale/50,
					PBootstrap: math.Pow(invented(i, k, 3), 30),
				},
			})
		}
	}
	return rows
}

// studyHuman returns invented ratings of two systems by three people, as many as in the paper.
func studyHuman() (out human.Ratings) {
	type votes [3]string // for each reader, the systems that the reader marked as best
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

// studyMasks returns the records of all attribution methods on the paper's four data sets.
func studyMasks() (records []*Record) {
	for _, set := range []string{"yelp", "amazon", "imdb", "snli"} {
		for _, r := range masks() {
			records = append(records, r.with(Dataset, set))
		}
	}
	return records
}

// studyTables returns all tables of a study, most with the paper's values.
func studyTables() []*Table {
	a := studyAbout()
	base := a
	base.Signatures = nil
	ratings := Human(studyHuman())
	return []*Table{
		Build("results", studyResults(), a), paper.Beside(Build("results", studyResults(), a)),
		paper.Beside(Build("content", studyResults(), a)),
		paper.Beside(Build("intervals", studyIntervals(), a)), paper.Beside(Build("seeds", studySeeds(), a)),
		Significance(studySignificance(), a), ratings[0], ratings[1], ratings[2],
		paper.Beside(Build("attribution", studyMasks(), base)), paper.Beside(Build("classifier", studyClassifiers(), base)),
		paper.Beside(Build("divlstm", studyDivLSTMs(), base)), paper.Beside(Build("datasets", studySizes(), base)),
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

// classifier returns the record of a style classifier.
func classifier(dataset, model, seed string, dev, test, epochs, parameters float64) *Record {
	r := record(FromClassifier, metrics.Values{
		"dev_accuracy": dev, "test_accuracy": test, "epochs": epochs, "parameters": parameters,
	}, Dataset, dataset, "model", model, Seed, seed)
	r.Paper = map[string]string{"classifier": "Bi-LSTM", "fasttext": "FastText"}[model]
	return r
}

func studyClassifiers() (records []*Record) {
	for k, set := range []string{"yelp", "amazon", "imdb", "snli", "market"} {
		for _, model := range []string{"classifier", "fasttext"} {
			records = append(records, classifier(set, model, "1", 97.84, 70+5.17*float64(k), 2, 1484162))
		}
	}
	return records
}

// divLSTM returns the record of a Diversity-LSTM.
func divLSTM(dataset, con string, dev, test, conicity, epochs float64, settings ...string) *Record {
	r := record(FromDivLSTM, metrics.Values{
		"dev_accuracy": dev, "test_accuracy": test, "conicity": conicity, "epochs": epochs,
	}, append([]string{Dataset, dataset, "lambda_con", con}, settings...)...)
	if con != "0" {
		r.Paper = "Diversity-LSTM"
	}
	return r
}

func studyDivLSTMs() (records []*Record) {
	for _, set := range []string{"yelp", "amazon", "imdb", "snli"} {
		for _, con := range []string{"0", "0.5", "10"} {
			records = append(records, divLSTM(set, con, 97.3, 96.81, .154, 2))
		}
	}
	return records
}

// sizes returns a record with the numbers of sentences of a style, in the order of the columns. The
// number 0 means unknown. name is the paper's name of the style.
func sizes(dataset, style, name string, n ...float64) *Record {
	r := record(FromDatasets, metrics.Values{}, Dataset, dataset, "style", style)
	r.Paper = name
	for i, key := range []string{"train", "dev", "test", "references"} {
		if i < len(n) && n[i] > 0 {
			r.Values[key] = n[i]
		}
	}
	return r
}

func studySizes() []*Record {
	return []*Record{
		sizes("yelp", "fed_up", "negative", 107384, 2000, 500, 500),
		sizes("yelp", "pleased", "positive", 158574, 2000, 500, 500),
		sizes("snli", "contradiction", "contradiction", 8582, 3278, 3237, 0),
		sizes("snli", "entailment", "entailment", 8530, 3329, 3368, 0),
		sizes("market", "fed_up", "", 4000, 400, 200), sizes("market", "pleased", "", 4000, 400, 200),
	}
}
