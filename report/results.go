package report

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/paper"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// ResultRow is one system on one data set: one of ours at a point of the sweep, or a published one.
type ResultRow struct {
	Dataset, System string
	Published       bool // listed below a line
	// human references: shown, but neither ranked nor on the Pareto front
	Unranked bool
	// Partial: has fewer directions than the data set, so it is never marked as best
	Partial bool
	Guided  bool   // by guided decoding, for which the paper has no values
	Axes    []Axis // the swept settings of this point; nil for a published system
	Seed    uint64 // ignored for a published system
	Metrics *metrics.Scores
}

// Definitions of the collapse columns and of the columns of single judges.
const (
	newWordDefined = "most frequent new word %: its share of all new words, by direction. " + newWordIs
	newWordIs      = "A new word is in the output and not in its source. Near 100, the system writes the same word everywhere."

	distinctDefined = "distinct new words: how many different ones, by direction."
	repeatDefined   = "repeated word %: outputs in which a word follows itself more often than in the source, by direction."
	judgesDefined   = "Nat. with a name: naturalness by another judge. Mean uses the judge of the column Nat."
)

// itself returns r, for tables whose rows are ResultRows.
func itself(r *ResultRow) *ResultRow { return r }

// Results returns the table of transfer results: one row per point, then the published systems of
// the data set, with lines between data sets. In each data set, the best and second-best values of
// the paper's metrics are marked among the rows without a metrics.Flaw. Perplexity, diversity, the
// collapse columns and naturalness by other judges are not ranked. The data set and the seed have
// columns only if they differ. Metrics that no row has are left out; About.Missing says why.
func Results(rows []ResultRow, about About) *table.Table {
	s := systemSheet("results", "Automatic evaluation on the "+testSet+": all systems and settings.", rows, itself, about)
	s.byModel()
	absent := s.metrics(inGroup(metrics.GroupResults), s.value)
	first := len(s.numbers)
	absent = append(absent, s.metrics(inGroup(metrics.GroupFluency), s.value)...)
	s.numbers = append(s.numbers, collapseColumns(s.rows, itself)...)
	s.begins(first, "fluency, length and repetition")
	before := len(s.numbers)
	for _, judge := range judges(rows) {
		// A judge with the same signature as the column Nat. would only repeat that column.
		if sign := about.Signatures[judge.Key]; sign == "" || sign != about.Signatures["naturalness"] {
			s.metrics([]*metrics.Metric{judge}, s.value)
		}
	}
	byJudge := len(s.numbers) > before
	s.metrics(metricsWhere(rows, metrics.IsGiven), s.value)
	s.signatures, s.hints = about.of(s.keys()...), about.hints(absent)
	s.define()
	s.defines = append(s.defines, newWordDefined, distinctDefined, repeatDefined)
	if byJudge {
		s.defines = append(s.defines, judgesDefined)
	}
	for j := range s.numbers {
		s.numbers[j].Minor = j >= first || slices.Contains(minorInMain, s.numbers[j].Key)
	}
	return s.table()
}

// contentNote explains the ranked columns.
const contentNote = "Content preservation compares each output with its source: the mean over directions. Higher keeps " +
	"more of the source, so a system that changes nothing is best."

// contentScales returns the ranges of the metrics in a table.
func contentScales(keys []string) string {
	var scales []string
	for _, s := range []struct{ key, scale string }{
		{"meteor", "METEOR 0 to 1"},
		{"rouge_l", "ROUGE-L 0 to 1"},
		{"cider", "CIDEr 0 to 10"},
		{"embedding_average", "cosines of word vectors -1 to 1"},
		{"s_bertscore", "BERTScore mostly 0 to 1"},
		{"s_cosine", "cosines of sentence embeddings -1 to 1"},
	} {
		if slices.Contains(keys, s.key) {
			scales = append(scales, s.scale)
		}
	}
	if scales == nil {
		return ""
	}
	return " Ranges: " + strings.Join(scales, ", ") + "."
}

// Content returns the table of content preservation (paper, table content-metrics), with the rows,
// order and marks of Results. Metrics that no row has are left out; About.Missing says why. Only
// the signatures of its columns are printed.
func Content(rows []ResultRow, about About) *table.Table {
	s := systemSheet("content", "Content preservation on the "+testSet+".", rows, itself, about)
	s.byModel()
	absent := s.metrics(inGroup(metrics.GroupContent), s.value)
	s.signatures, s.hints = about.of(s.keys()...), about.hints(absent)
	s.defines = []string{contentNote + contentScales(s.keys())}
	s.define()
	return s.table()
}

// bleuNote explains the columns.
const bleuNote = "s-BLEU-n compares the outputs with their sources, r-BLEU-n with the human references: corpus BLEU of " +
	"n-grams up to n words, in percent, the mean over directions."

// BLEU returns the table of BLEU-1 to BLEU-4 against the sources and the human references, with the
// rows, order and marks of Results.
func BLEU(rows []ResultRow, about About) *table.Table {
	s := systemSheet("bleu", "BLEU-1 to BLEU-4 on the "+testSet+".", rows, itself, about)
	s.byModel()
	s.paper = "results" // the paper prints BLEU-4 there
	var absent []string
	for _, against := range []string{"s_bleu", "r_bleu"} {
		four := *metrics.ColumnsOf(against)[0]
		four.Head += "-4" // to tell it from BLEU-1 to BLEU-3
		absent = append(absent, s.metrics(append(metrics.ColumnsOf(against+"_1", against+"_2", against+"_3"), &four),
			s.value)...)
	}
	s.signatures, s.hints, s.defines = about.of(s.keys()...), about.hints(absent), []string{bleuNote}
	return s.table()
}

// SystemOf names a row without its seed and its sweep point, as in the table main: "SMLM (guided)".
func SystemOf(row *ResultRow) string {
	var more []string
	for _, a := range row.Axes {
		if a.NamesSystem() {
			more = append(more, recipe.Answer(a.Value))
		}
	}
	if len(more) == 0 {
		return row.System
	}
	return row.System + " (" + strings.Join(more, ", ") + ")"
}

// Main returns the table of transfer results as a paper prints it. It has only the paper's metrics,
// and one row per system with the mean and deviation over seeds. In each data set, the paper's
// values of the same systems follow below a line. For a sweep, the caller passes the point that
// represents each system; chosen says that it was chosen on dev outputs. Our rows are ranked as in
// Results, the paper's are not.
func Main(rows []ResultRow, chosen bool, about About) *table.Table {
	rows = named(rows)
	s := systemSheet("main", "Automatic evaluation on the "+testSet+".", seedGroups(rows),
		func(g *seedGroup) *ResultRow { return &g.ResultRow }, about)
	s.paper, s.all = "results", func(g *seedGroup) []*ResultRow { return g.seeds }
	s.noted = rows
	absent := s.metrics(inGroup(metrics.GroupResults), overSeeds)
	if chosen {
		s.legend = append(s.legend, "Each system is shown at the sweep point with the highest dev Mean.")
	}
	several := deviations(s)
	if worst := worstMean(s.rows); worst != nil {
		s.numbers = append(s.numbers, worst...)
		s.legend = append(s.legend, "worst Mean: the lowest Mean of any direction.")
	}
	s.numbers = append(s.numbers, mostNewWord(s.rows, func(g *seedGroup) []*ResultRow { return g.seeds }))
	s.signatures, s.hints = about.of(s.keys()...), about.hints(absent)
	s.define()
	s.defines = append(s.defines, newWordDefined)
	if several {
		s.defines = append(s.defines, largestOfSeeds)
	}
	for j := range s.numbers {
		s.numbers[j].Minor = slices.Contains(minorInMain, s.numbers[j].Key)
	}
	return paper.Below(s.table())
}

// minorInMain lists the columns of Main that narrow screens leave out.
var minorInMain = []string{"r_bleu_all", newWordKey}

// named returns rows in which System also tells apart variants of a system, and drops the settings
// that are part of this name or have only one value in all rows.
func named(rows []ResultRow) []ResultRow {
	rows = slices.Clone(rows)
	values := map[string]map[string]bool{}
	for _, r := range rows {
		for _, a := range r.Axes {
			if values[a.Key] == nil {
				values[a.Key] = map[string]bool{}
			}
			values[a.Key][a.Value] = true
		}
	}
	for i := range rows {
		rows[i].System, rows[i].Axes = SystemOf(&rows[i]), lists.Where(rows[i].Axes, func(a Axis) bool {
			return !a.NamesSystem() && len(values[a.Key]) > 1
		})
	}
	return rows
}
