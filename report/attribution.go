package report

import (
	"maps"

	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
)

// AttributionRow is one masking of one data set's test split.
type AttributionRow struct {
	Dataset               string
	Method                policy.Method
	Policy                policy.Name // which words of a scored sentence are masked: surplus, top_k, top_share, random, none
	LambdaCon             float64     // of the Diversity-LSTM whose scores these are; not shown for none, which has none
	LambdaEps             *float64    // nil: the policy has no threshold
	Axes                  []Axis      // the swept settings; those with columns of their own are passed over
	Seed                  uint64
	MaskedShare           float64  // of words, 0-1
	NoneMasked, AllMasked int      // sentences
	Accuracy              float64  // percent, of the evaluation classifier on the masked text: lower hides style better
	SBLEU                 float64  // percent, metrics.BLEU4 of the masked text against the source: higher keeps more content
	CharBLEU              float64  // percent, metrics.CharBLEU of the same
	Gap                   *float64 // integrated gradients: mean |sum of attributions - (F(x) - F(x'))| over the sentences; nil for the rest
	Change                *float64 // mean |F(x) - F(x')|, what Gap is measured by
}

// attributionNotes say what the columns are.
var attributionNotes = []string{
	"Acc.%: evaluation classifier on the masked text (lower hides style better). Nothing, all masked: sentences. Gradient methods explain the sentence's own style, which attention is not told.",
	"s-BLEU: corpus BLEU-4 over words of the masked text against its source. char s-BLEU: mean sentence BLEU over characters, with <blank> for a masked word, very probably the paper's s-BLEU of masked text. " +
		"One must not be compared with the other.",
}

// gapNote says what the completeness gap is.
const gapNote = "Completeness gap: mean |sum of a sentence's attributions - (F(x) - F(x'))| as a share of the mean |F(x) - F(x')|; x': the baseline of integrated gradients; 0 is exact."

// Attribution is the table of attribution methods, in the paper's order. Accuracy and s-BLEU pull against each other, so neither
// is marked. The policy, swept settings and the seed have columns where they differ, the completeness gap where a row has one.
func Attribution(rows []AttributionRow, about About) *Table {
	rows = inMethodOrder(rows)
	if len(rows) > 0 {
		about.Signatures = maps.Clone(about.Signatures)
		if about.Signatures == nil {
			about.Signatures = map[string]string{}
		}
		about.Signatures["char_s_bleu"] = metrics.CharBLEUSignature
	}
	t := &Table{Name: "attribution", Title: "Attribution methods: what masked test sentences hide and what they keep.", Notes: append(about.notes(), attributionNotes...)}
	c := attributionColumnsOf(rows)
	t.Columns = []Column{{Head: "Data set", Merge: true}, {Head: "method"}, axisColumn("lambda_con"), axisColumn("lambda_eps")}
	if c.policy {
		t.Columns = append(t.Columns, Column{Head: "policy"})
	}
	t.Columns = append(t.Columns, c.axes...)
	if c.seed {
		t.Columns = append(t.Columns, Column{Head: "seed", Align: Right, setting: true})
	}
	t.labels, t.paper = len(t.Columns), "attribution"
	for _, c := range [][2]string{{"masked\nwords %"}, {"nothing\nmasked"}, {"all\nmasked"}, {"Acc.%", "accuracy"}, {"s-BLEU"}, {"char\ns-BLEU", "char_s_bleu"}} {
		t.Columns = append(t.Columns, Column{Head: c[0], Align: Right, key: c[1]})
	}
	if c.gap {
		t.Columns = append(t.Columns, Column{Head: "completeness\ngap %", Align: Right})
		t.Notes = append(t.Notes, gapNote)
	}
	for i, r := range rows {
		row := Row{Cells: c.cells(&r), Rule: i > 0 && rows[i-1].Dataset != r.Dataset, dataset: r.Dataset}
		if r.Method == policy.NoMasking || r.Policy == policy.Surplus { // the paper's table is of that policy alone
			row.name = string(r.Method)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
