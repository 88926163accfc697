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
	LambdaCon                 float64 // 0: a plain LSTM, whose attention is the "vanilla" one
	Axes                      []Axis  // the swept settings; lambda_con among them is passed over
	Seed                      uint64
	DevAccuracy, TestAccuracy float64 // percent
	Conicity                  float64 // mean |cosine| over the dev set, the paper's Loss_con
	// of the cross-entropy over a batch: "mean" or "sum"; lambda_con means nothing without it
	Reduction string
	Epochs    int
	// attention of the most-attended word, 0-1, and the share of the selector's evidence that lies
	// in that word, by style; nil where it was not measured
	TopShare *float64
	Evidence []float64
	Silent   []int // styles without words of their own, where attention is not judged
	OffStyle bool  // the attention is not on style words, after all restarts
	Restarts int   // trainings that were thrown away because attention was not on style words
}

// conicityNote says what Loss_con is.
const conicityNote = "Loss_con (conicity): mean |cosine| between each state of a sentence and their mean, averaged over " +
	"the dev sentences."

// attentionNote and foundNote say what the columns of attention are.
const (
	attentionNote = "top attention: mean attention on the most-attended word of a dev sentence."
	foundNote     = "evidence found: by style, how much the selector's log odds fall without the most-attended word, as a " +
		"share of the fall without the best word. Near 0, the attention is not on style words; the training then starts " +
		"again, as often as divlstm.restarts allows."
)

// silentNote is said of styles without words of their own.
const silentNote = "A style without words of its own has no number in the column evidence found: its sentences are " +
	"recognised because other styles' words are absent. Attention is judged on the other styles."

// offStyleNote is said of attention that is not on style words.
const offStyleNote = "In %d of %s the attention is not on style words: evidence found is below 0.25 in a style. " +
	"Their masks, and all models trained on them, mean little."

// heavyCon is the weight of conicity from which on it cannot be meant beside a mean cross-entropy.
const heavyCon = 5

// mixtureNote is said of such a weight.
const mixtureNote = "No published work uses lambda_con of 5 or more with a mean cross-entropy. The paper's 10 and 20 belong " +
	"to the authors' code, which sums the cross-entropy (divlstm.reduction = \"sum\"). Mohankumar et al. use 0.5 with the mean."

// conicityColumn is that of Loss_con.
func conicityColumn[R any](of func(*R) *float64) column[R] {
	return optional("Loss_con", "conicity", 2, of)
}

// DivLSTM is the table of Diversity-LSTMs: the paper's columns and what gives lambda_con its
// meaning. Other swept settings and the seed have columns where they differ.
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
		return "" // the paper prints none of the plain LSTM
	}
	s.signatures = about.of(append(signed, "dev_accuracy", "accuracy", "conicity")...)
	return s.table(rows, notes...)
}
