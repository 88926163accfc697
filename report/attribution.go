package report

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// AttributionRow describes the test split of one data set, masked in one way.
type AttributionRow struct {
	Dataset string
	Method  policy.Method
	Policy  policy.Name // which words of a scored sentence are masked
	// lambda_con of the Diversity-LSTM that scored the words; not shown if nothing is masked
	LambdaCon             float64
	LambdaEps             *float64 // nil: the policy has no threshold
	Axes                  []Axis   // swept settings; those with columns of their own are ignored
	Seed                  uint64
	Sentences             int     // in the test split
	MaskedShare           float64 // of words, 0-1
	NoneMasked, AllMasked int     // sentences with no word, or every word, masked
	Accuracy              float64 // percent, of the evaluation classifier on the masked text: lower hides style better
	// percent, metrics.BLEU4 of the masked text against the source: higher keeps more content
	SBLEU    float64
	CharBLEU float64 // percent, metrics.CharBLEU of the same texts
	// for integrated gradients: mean |sum of attributions - (F(x) - F(x'))| over the sentences; nil
	// for other methods
	Gap    *float64
	Change *float64 // mean |F(x) - F(x')|, which Gap is divided by
}

// attributionLegend, attributionDefined and attributionNote explain the columns.
const (
	attributionLegend = "Acc.% is the accuracy of the evaluation classifier on the masked text; lower means that less of the " +
		"style is left. s-BLEU compares the masked text with its source; higher means that more of the content is left."
	attributionNote = "Gradient methods explain the sentence's own style; attention is not told the style."
)

var attributionDefined = []string{
	"nothing masked, all masked: numbers of sentences.",
	"s-BLEU of masked text: corpus BLEU-4 over words.",
	"char s-BLEU: mean sentence BLEU over characters, with <blank> for a masked word. It is very probably the paper's " +
		"s-BLEU of masked text, and must not be compared with s-BLEU over words.",
}

// gapDefined defines the completeness gap.
const gapDefined = "completeness gap %: mean |sum of a sentence's attributions - (F(x) - F(x'))|, in percent of the mean " +
	"|F(x) - F(x')|. x' is the baseline of integrated gradients; 0 is exact."

// Attribution returns the table of attribution methods, in the paper's order. Accuracy and s-BLEU
// trade off against each other, so no best values are marked. Policy, swept settings and seed have
// columns only if they differ. The completeness gap has a column only if any row has a gap.
func Attribution(rows []AttributionRow, about About) *table.Table {
	rows = sorted(rows, seen(rows, func(r *AttributionRow) string { return r.Dataset }),
		func(r *AttributionRow) int { return methodRank(r.Method) })
	at := func(r *AttributionRow) point { return point{r.Dataset, r.Axes, r.Seed} }
	s := pointSheet("attribution", "Comparison of attribution methods on masked test sentences.", at)
	unlessNone := func(of func(*AttributionRow) string) func(*AttributionRow) string {
		return func(r *AttributionRow) string {
			if r.Method == policy.NoMasking {
				return table.Absent
			}
			return of(r)
		}
	}
	s.labels = slices.Concat(
		[]column[AttributionRow]{
			datasetColumn(s.dataset),
			left("Method", func(r *AttributionRow) string { return methodName(r.Method) }),
			axisColumn("lambda_con", unlessNone(func(r *AttributionRow) string { return table.Short(r.LambdaCon) })),
			axisColumn("lambda_eps", func(r *AttributionRow) string {
				if r.LambdaEps == nil {
					return table.Absent
				}
				return table.Short(*r.LambdaEps)
			}),
		},
		when(severalPolicies(rows), left("policy", unlessNone(func(r *AttributionRow) string {
			return string(r.Policy)
		}))),
		settingColumns(rows, at, "lambda_con", "lambda_eps", "lambda_eps_gradients", "policy"),
	)
	s.legend, s.signatures = []string{attributionLegend}, about.of("accuracy", "s_bleu")
	if len(rows) > 0 {
		if s.signatures == nil {
			s.signatures = map[string]string{}
		}
		s.signatures["char_s_bleu"] = metrics.CharBLEUSignature
	}
	withGap := anyOf(rows, func(r *AttributionRow) bool { return r.Gap != nil })
	s.numbers = append([]column[AttributionRow]{
		number("masked\nwords %", "", 1, func(r *AttributionRow) float64 { return 100 * r.MaskedShare }),
		count("nothing\nmasked", "", func(r *AttributionRow) int { return r.NoneMasked }),
		count("all\nmasked", "", func(r *AttributionRow) int { return r.AllMasked }),
		number("Acc.%", "accuracy", 1, func(r *AttributionRow) float64 { return r.Accuracy }),
		number("s-BLEU", "", 1, func(r *AttributionRow) float64 { return r.SBLEU }),
		number("char\ns-BLEU", "char_s_bleu", 1, func(r *AttributionRow) float64 { return r.CharBLEU }),
	}, when(withGap, right("completeness\ngap %", "", func(r *AttributionRow) string {
		if r.Gap == nil || r.Change == nil {
			return table.Absent
		}
		return table.Percent(*r.Gap / *r.Change)
	}))...)
	s.printed = func(r *AttributionRow) string {
		if r.Method == policy.NoMasking || r.Policy == policy.Surplus { // the paper's table has this policy only
			return string(r.Method)
		}
		return ""
	}
	if s.about, s.defines = about, slices.Clone(attributionDefined); withGap {
		s.defines = append(s.defines, gapDefined)
	}
	return s.table(rows, attributionNote)
}

// severalPolicies reports whether rows differ in policy. It ignores rows without masking or with
// random masking, because there the method determines the policy.
func severalPolicies(rows []AttributionRow) bool {
	some := lists.Where(rows, func(r AttributionRow) bool {
		return r.Method != policy.NoMasking && r.Method != policy.Random
	})
	return len(firstSeen(some, func(r *AttributionRow) policy.Name { return r.Policy })) > 1
}

// methods lists the attribution methods in the order of the paper's table, with the paper's names.
// The paper's text has Attention * X, but its table does not. Random is ours.
var methods = []struct {
	key  policy.Method
	name string
}{
	{policy.VanillaAttention, "Vanilla Attention (VA)"},
	{policy.AttentionXInput, "Attention * X"},
	{policy.ExplainableAttention, "Explainable Attention (EA)"},
	{policy.Gradients, "Vanilla Gradients"},
	{policy.GradientsXInput, "Gradients * X"},
	{policy.IntegratedGradients, "Integrated Gradients"},
	{policy.Random, "Random"},
	{policy.NoMasking, "No Masking"},
}

// methodName returns the display name of a method, or the key if it is unknown.
func methodName(key policy.Method) string {
	if i := methodRank(key); i < len(methods) {
		return methods[i].name
	}
	return string(key)
}

// methodRank returns the place of a method in the table; unknown ones come last.
func methodRank(key policy.Method) int {
	for i, m := range methods {
		if m.key == key {
			return i
		}
	}
	return len(methods)
}
