package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// DivLSTMRow is one trained Diversity-LSTM.
type DivLSTMRow struct {
	Dataset                   string
	LambdaCon                 float64 // 0: a plain LSTM, with "vanilla" attention
	Axes                      []Axis  // swept settings; lambda_con is ignored here
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Conicity                  float64 // mean |cosine| over the dev set, the paper's Loss_con
	// how the cross-entropy of a batch is reduced: "mean" or "sum". lambda_con cannot be
	// interpreted without it.
	Reduction string
	Epochs    int
	// attention on the most-attended word, 0-1; and the share of the selector's evidence in that
	// word, by style; nil: not measured
	TopShare *float64
	Evidence []float64
	Silent   []int // styles without words of their own; their attention is not judged
	OffStyle bool  // the attention is not on style words even after all restarts
	Restarts int   // training runs discarded because attention was not on style words
}

// conicityNote defines Loss_con.
const conicityNote = "Loss_con (conicity): mean |cosine| between each state of a sentence and their mean, averaged over " +
	"the dev sentences."

// attentionNote and foundNote define the attention columns.
const (
	attentionNote = "top attention: mean attention on the most-attended word of a dev sentence."
	foundNote     = "evidence found: by style, how much the selector's log odds fall without the most-attended word, as a " +
		"share of the fall without the best word. Near 0, the attention is not on style words; the training then starts " +
		"again, as often as divlstm.restarts allows."
)

// silentNote explains styles without words of their own.
const silentNote = "A style without words of its own has no number in the column evidence found: its sentences are " +
	"recognised because other styles' words are absent. Attention is judged on the other styles."

// offStyleNote warns about attention that is not on style words.
const offStyleNote = "In %d of %s the attention is not on style words: evidence found is below 0.25 in a style. " +
	"Their masks, and all models trained on them, mean little."

// heavyCon is a limit for lambda_con. From it on, a mean cross-entropy is probably a mistake.
const heavyCon = 5

// mixtureNote warns about a lambda_con of heavyCon or more with a mean cross-entropy.
const mixtureNote = "No published work uses lambda_con of 5 or more with a mean cross-entropy. The paper's 10 and 20 belong " +
	"to the authors' code, which sums the cross-entropy (divlstm.reduction = \"sum\"). Mohankumar et al. use 0.5 with the mean."

// conicityColumn returns the column of Loss_con.
func conicityColumn[R any](of func(*R) *float64) column[R] {
	return optional("Loss_con", "conicity", 2, of)
}

// DivLSTM returns the table of Diversity-LSTMs: the paper's columns, and those needed to interpret
// lambda_con. Other swept settings and the seed have columns only if they differ.
func DivLSTM(rows []DivLSTMRow, about About) *table.Table {
	at := func(r *DivLSTMRow) point { return point{r.Dataset, r.Axes, r.Seed} }
	s := pointSheet("divlstm", "Accuracy and conicity of the Diversity-LSTM.", at)
	s.labels = slices.Concat(
		[]column[DivLSTMRow]{
			datasetColumn(s.dataset),
			axisColumn("lambda_con", func(r *DivLSTMRow) string { return table.Short(r.LambdaCon) }),
		},
		settingColumns(rows, at, "lambda_con"),
	)
	s.numbers = []column[DivLSTMRow]{
		number("dev Acc.%", "", 1, func(r *DivLSTMRow) float64 { return r.DevAccuracy }),
		number("test Acc.%", "accuracy", 1, func(r *DivLSTMRow) float64 { return r.TestAccuracy }),
		conicityColumn(func(r *DivLSTMRow) *float64 { return &r.Conicity }),
		left("cross-entropy", func(r *DivLSTMRow) string { return r.Reduction }),
		integer("epochs", "", func(r *DivLSTMRow) int { return r.Epochs }),
	}
	var notes, signed []string
	s.about, s.defines = about, []string{conicityNote}
	if has := func(r *DivLSTMRow) bool { return r.TopShare != nil }; anyOf(rows, has) {
		s.numbers = append(s.numbers,
			optional("top\nattention", "", 2, func(r *DivLSTMRow) *float64 { return r.TopShare }))
		s.defines, signed = append(s.defines, attentionNote), append(signed, "top_attention")
	}
	if has := func(r *DivLSTMRow) bool { return r.Evidence != nil }; anyOf(rows, has) {
		s.numbers = append(s.numbers,
			right("evidence\nfound", "", func(r *DivLSTMRow) string {
				if r.Evidence == nil {
					return table.Absent
				}
				each := lists.Map(r.Evidence, func(v float64) string { return table.Decimals(v, 2) })
				for _, style := range r.Silent {
					each[style] = table.Absent
				}
				return strings.Join(each, besideEachOther)
			}),
			integer("restarts", "", func(r *DivLSTMRow) int { return r.Restarts }))
		s.defines, signed = append(s.defines, foundNote), append(signed, "evidence_found")
		if anyOf(rows, func(r *DivLSTMRow) bool { return len(r.Silent) > 0 }) {
			notes = append(notes, silentNote)
		}
		if off := lists.Where(rows, func(r DivLSTMRow) bool { return r.OffStyle }); len(off) > 0 {
			notes = append(notes, fmt.Sprintf(offStyleNote, len(off), wording.Count(len(rows), "training")))
		}
	}
	if anyOf(rows, func(r *DivLSTMRow) bool { return r.Reduction == "mean" && r.LambdaCon >= heavyCon }) {
		notes = append(notes, mixtureNote)
	}
	s.printed = func(r *DivLSTMRow) string {
		if r.LambdaCon > 0 {
			return "Diversity-LSTM"
		}
		return "" // the paper has no values for the plain LSTM
	}
	s.signatures = about.of(append(signed, "dev_accuracy", "accuracy", "conicity")...)
	return s.table(rows, notes...)
}
