// Package metrics scores style transfer outputs. Each metric is one file, which declares all that
// the program knows of it (Metric): what every output contributes, how that becomes a value of a
// direction and of all, its signature, its column, and whether higher is better. allMetrics lists
// them: to add one, write its file and give it a line there.
//
// Score measures a system; Intervals and Compare say how sure a value is and whether two systems
// differ, from what every output contributes. A Flaw is what the ranked metrics cannot see, as one
// word written everywhere or sources cut to half, and keeps a system out of all ranks. The
// package works on words only and never imports tensors: networks judge outputs elsewhere and hand
// in what they find (Input, Instruments).
//
// Every value comes with a signature, one line that says how it was computed; values whose
// signatures differ must not be compared.
package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Metric is one metric.
type Metric struct {
	Key      string // in the JSON of Values, of the signature, and in Comparison
	Head     string // of its column; "\n" is a line break
	Decimals int    // that tables print: 1 of percent, 2 of what is 0-1
	Share    bool   // 0-1, and printed in percent
	Better   Better
	Group    Group
	Place    int    // from the left in its group; of equal ones the order of allMetrics
	Aside    bool   // tables with a row a system leave it out
	Note     string // what the column is, for the table of results; "": the head says it

	// signature says how the directions' values were computed, "" where they were not.
	signature func(dirs []*measured) string

	// A value is made of what every output contributes: total of the sums over at least one
	// output, where all have the numbers of needs.
	records []record
	needs   []string
	total   func(*totals) float64
	wrong   func(*Sentence) string // what is wrong with records that were read; "": nothing
	pooled  bool                   // over the outputs of all directions; else the mean over these
	tested  bool                   // by Intervals and Compare
	apart   bool                   // of stages that stand beside a score, which does not depend on it

	// Or it is made of the outputs of a direction as a whole, of all where it is pooled; or of
	// other metrics.
	whole func(...*measured) (v float64, known bool)
	of    func(Values) (v float64, known bool)
}

// Better says which of two values is the better one.
type Better int

// What tables rank, and how.
const (
	Neither Better = iota // not ranked: a system that changes nothing, or writes one word, may be first
	Higher
	Lower
)

// Shown is a value as tables print it.
func (m *Metric) Shown(v float64) float64 {
	if m.Share {
		return 100 * v
	}
	return v
}

// Group says which table shows a metric; a table of all shows the groups in this order.
type Group int

// The groups.
const (
	GroupResults Group = iota // the paper's results
	GroupFluency              // beside those: what they cannot see
	GroupContent              // content preservation
	GroupBLEU                 // BLEU-1 to BLEU-3
	GroupOther
)

// allMetrics returns every metric in the order of JSON; judges are the names of several judges of
// naturalness, each of which is a metric of its own.
func allMetrics(judges ...string) []*Metric {
	return slices.Concat(
		[]*Metric{tst, tstWithinOne, tstUnseen},
		sBLEU,
		rBLEU,
		rBLEUAll,
		[]*Metric{meteor},
		[]*Metric{rougeL},
		[]*Metric{cider},
		embeddingMetrics,
		[]*Metric{naturalness},
		eachJudge(judges),
		[]*Metric{mean},
		[]*Metric{perplexity},
		[]*Metric{tstByFastText},
		[]*Metric{unknownShare},
		[]*Metric{selfBLEU},
		[]*Metric{distinct1, distinct2},
		[]*Metric{maskedShare},
		[]*Metric{sourceWordsLeft, unchanged},
		[]*Metric{lengthRatio, deletedShare, insertedShare, halvedShare, shortShare},
		encodedMetrics,
	)
}

// ScoreKeys returns the keys of the metrics that the identity of a score has: all but those of
// stages that came to stand beside it.
func ScoreKeys() []string {
	all := lists.Where(allMetrics(), func(m *Metric) bool { return !m.apart })
	return lists.Map(all, func(m *Metric) string { return m.Key })
}

// Columns returns the metrics in the order of tables.
func Columns(judges ...string) []*Metric {
	all := allMetrics(judges...)
	slices.SortStableFunc(all, func(a, b *Metric) int {
		if d := int(a.Group) - int(b.Group); d != 0 {
			return d
		}
		return a.Place - b.Place
	})
	return all
}

// ColumnsOf returns the metrics of some keys in the order of tables; a key of no metric comes last,
// under its own name.
func ColumnsOf(keys ...string) []*Metric {
	wanted := map[string]bool{}
	for _, key := range keys {
		wanted[key] = true
	}
	var out []*Metric
	for _, m := range append(Columns(judgesIn(wanted)...), givenMetrics(wanted)...) {
		if wanted[m.Key] {
			out = append(out, m)
		}
		delete(wanted, m.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		out = append(out, &Metric{Key: key, Head: key, Decimals: 2, Group: GroupOther})
	}
	return out
}

// constant is the signature of a metric that every direction has.
func constant(signature string) func([]*measured) string {
	return func([]*measured) string { return signature }
}

// whereAny is a signature of what some inputs have, "" where no direction has it.
func whereAny(has func(*measured) bool, signature func(dirs []*measured) string) func([]*measured) string {
	return func(dirs []*measured) string {
		if !slices.ContainsFunc(dirs, has) {
			return ""
		}
		return signature(dirs)
	}
}

// signatures returns one line for each metric that a direction has, by its key; that of the
// collapse columns is named "collapse".
func signatures(all []*Metric, dirs []*measured) map[string]string {
	s := map[string]string{"collapse": collapseSignature}
	for _, m := range all {
		if line := m.signature(dirs); line != "" {
			s[m.Key] = line
		}
	}
	return s
}

// joinNames joins, in order, the different names that directions give of one thing, such as a
// classifier; a direction that has none gives "". Where none has one it is "unnamed".
func joinNames(dirs []*measured, name func(*measured) string) string {
	names := lists.AddOnce(nil, lists.Where(lists.Map(dirs, name), func(s string) bool { return s != "" })...)
	return cmp.Or(strings.Join(names, ","), "unnamed")
}
