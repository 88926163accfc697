// Package metrics scores style transfer outputs. A direction is one source style with one target
// style, such as negative to positive. Each metric has one file, which declares everything about
// the metric in a value of type Metric: the numbers that it stores for each output, how these
// numbers become a value for each direction and an overall value, the signature, the table column,
// and whether higher is better. To add a metric, write its file and add it to allMetrics.
//
// Score measures a system. Intervals and Compare use the numbers per output to compute bootstrap
// intervals and test whether two systems differ. A Flaw is a defect that the ranked metrics cannot
// see, such as writing one word everywhere or cutting sources in half; systems with a flaw are not
// ranked. The package works on words only and never imports tensors: other packages run the
// networks and pass in their results (Input, Instruments).
//
// Every value has a signature, one line that describes how it was computed. Values with different
// signatures must not be compared.
package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Metric declares one metric.
type Metric struct {
	Key      string  // name of the metric in JSON and in Comparison
	Head     string  // column heading; "\n" is a line break
	Decimals int     // decimals in tables, usually 1 for percent and 2 for 0-1
	Most     float64 // largest possible value, as printed; 0 if there is none
	Share    bool    // set if the value is 0-1 and is printed in percent
	Better   Better
	Group    Group
	Place    int    // position in its group; ties keep the order of allMetrics
	Note     string // explains the column below the table; may be ""

	// signature describes how the values were computed. It returns "" if the metric was not
	// computed.
	signature func(dirs []*measured) string

	// Most metrics have the function total. It computes the value from the totals of one or more
	// outputs, and is called only if every output has numbers for all keys in needs.
	records  []record
	needs    []string
	total    func(*totals) float64
	pooled   bool // set if the overall value is over all outputs, not the mean of the directions
	tested   bool // set if Intervals and Compare resample the metric
	separate bool // set if a separate step of a study computes the metric

	// The other metrics have one of the next two functions instead of total. fromOutputs computes
	// the value from all outputs of a direction (or of all directions if pooled is set).
	// fromMetrics computes it from other metrics.
	fromOutputs func(...*measured) (v float64, known bool)
	fromMetrics func(Values) (v float64, known bool)
}

// Better says whether higher or lower values of a metric are better.
type Better int

// How tables rank a metric.
const (
	Neither Better = iota // not ranked: a system that copies, or repeats one word, could win
	Higher
	Lower
)

// Printed returns the value that tables print.
func (m *Metric) Printed(v float64) float64 {
	if m.Share {
		return 100 * v
	}
	return v
}

// Group is the table that shows a metric. A table of all metrics shows the groups in the order of
// these constants.
type Group int

// The groups.
const (
	GroupResults Group = iota // the paper's results
	GroupFluency              // fluency, diversity and other checks
	GroupContent              // content preservation
	GroupOther
)

// allMetrics returns every metric in the order of the JSON.
func allMetrics() []*Metric {
	return slices.Concat(
		[]*Metric{tst, tstUnseen},
		[]*Metric{sBLEU, rBLEU, rBLEUAll},
		[]*Metric{meteor},
		[]*Metric{rougeL},
		[]*Metric{cider},
		embeddingMetrics,
		[]*Metric{naturalness},
		[]*Metric{mean},
		[]*Metric{perplexity},
		[]*Metric{tstByFastText},
		[]*Metric{unknownShare},
		[]*Metric{distinct2},
		[]*Metric{unchanged},
		[]*Metric{lengthRatio, halvedShare},
		encodedMetrics,
	)
}

// ScoreKeys returns the keys of the metrics that are computed together. It omits the metrics of a
// pretrained encoder, which a separate step of a study computes.
func ScoreKeys() []string {
	all := lists.Filter(allMetrics(), func(m *Metric) bool { return !m.separate })
	return lists.Map(all, func(m *Metric) string { return m.Key })
}

// Columns returns the metrics in the order of table columns.
func Columns() []*Metric {
	all := allMetrics()
	slices.SortStableFunc(all, func(a, b *Metric) int {
		if d := int(a.Group) - int(b.Group); d != 0 {
			return d
		}
		return a.Place - b.Place
	})
	return all
}

// ColumnsOf returns the metrics with the given keys in the order of table columns. Unknown keys
// come last, with the key as the heading.
func ColumnsOf(keys ...string) []*Metric {
	wanted := map[string]bool{}
	for _, key := range keys {
		wanted[key] = true
	}
	var out []*Metric
	for _, m := range append(Columns(), givenMetrics(wanted)...) {
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

// constant returns a signature function for a metric that every direction has. The function always
// returns the same text.
func constant(signature string) func([]*measured) string {
	return func([]*measured) string { return signature }
}

// whereAny returns a signature function for a metric that directions may lack. That function
// returns "" if no direction has the metric.
func whereAny(computed func(*measured) bool, signature func(dirs []*measured) string) func([]*measured) string {
	return func(dirs []*measured) string {
		if !slices.ContainsFunc(dirs, computed) {
			return ""
		}
		return signature(dirs)
	}
}

// textForm ends all signatures. The package corpus reads all texts in this Unicode form.
const textForm = "|unicode:nfc"

// signatures returns the signature of each computed metric, by key. The collapse columns have the
// key "collapse".
func signatures(all []*Metric, dirs []*measured) map[string]string {
	s := map[string]string{"collapse": collapseSignature + textForm}
	for _, m := range all {
		if line := m.signature(dirs); line != "" {
			s[m.Key] = line + textForm
		}
	}
	return s
}

// joinNames calls the function name for each direction and joins the distinct results, such as the
// names of classifiers. It leaves out empty names. If all names are empty, it returns "unnamed".
func joinNames(dirs []*measured, name func(*measured) string) string {
	names := lists.AddOnce(nil, lists.Filter(lists.Map(dirs, name), func(s string) bool { return s != "" })...)
	return cmp.Or(strings.Join(names, ","), "unnamed")
}
