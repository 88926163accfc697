package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Specs lists all tables of a study, in the order in which settings.md lists them.
var Specs = []Spec{
	{
		Name: "main", Title: "Automatic evaluation on the {test set}.", From: FromSystems,
		Labels: []string{"dataset?", "system", "*"}, Mean: Seed, Short: true, Ranked: true,
		Columns: append(inGroup(metrics.GroupResults), WorstMean, newWordKey), Minor: minorInMain,
		Paper: "results",
	},
	{
		Name: "results", Title: "Automatic evaluation on the {test set}: all systems and settings.", From: FromSystems,
		Labels: []string{"dataset?", "system", "*", "seed?"}, ByModel: true, Ranked: true,
		Columns: inGroup(metrics.GroupResults), Minor: minorInMain,
		More: append(inGroup(metrics.GroupFluency),
			newWordKey, "collapse_distinct", "collapse_repeat", "given.*"),
		Paper: "results",
	},
	{
		Name: "selection", Title: "Scores of dev outputs, by which settings are chosen.", From: FromSelection,
		Labels: []string{"dataset?", "system", "*", members}, Mean: Seed, ByModel: true, Ranked: true,
		Columns: inGroup(metrics.GroupResults), More: append(inGroup(metrics.GroupFluency), newWordKey),
		Undefined: []string{"tst"},
		Notes: []string{"On dev outputs, a fastText-like classifier, the selector, computes TST%. It cannot be compared with " +
			"TST% on the test set."},
	},
	{
		Name: "seeds", Title: "Automatic evaluation on the {test set}: mean and deviation over seeds.", From: FromSystems,
		Labels: []string{"dataset?", "system", "*", members}, Mean: Seed, ByModel: true, Ranked: true,
		Columns: inGroup(metrics.GroupResults), More: append(inGroup(metrics.GroupFluency), newWordKey),
		Paper: "results",
	},
	{
		Name: "content", Title: "Content preservation on the {test set}.", From: FromSystems,
		Labels: []string{"dataset?", "system", "*", "seed?"}, ByModel: true, Ranked: true,
		Columns: inGroup(metrics.GroupContent), Paper: "content", adjust: contentRanges,
	},
	{
		Name: "intervals", Title: "Metrics with 95 % confidence intervals on the {test set}.", From: FromSystems,
		Labels: []string{"dataset?", "system", "*", "seed?"}, ByModel: true,
		Legend: []string{"In brackets: 95 % bootstrap interval over the test sentences."},
		Notes:  []string{"The intervals are those of one trained model. Another training may differ by more."},
		Paper:  "results content", adjust: intervals,
		keep: func(r *Record) bool { return r.Scores.Intervals != nil },
	},
	{Name: "significance", From: FromSystems}, // built by Significance
	{
		Name: "datasets", Title: "Number of sentences in each data set.", From: FromDatasets,
		Labels:  []string{"dataset", "style"},
		Columns: []string{"train", "dev", "test", "references"}, Paper: "datasets",
	},
	{
		Name: "classifier", Title: "Accuracy of the style classifiers on dev sentences and on the {test set}.", From: FromClassifier,
		Labels:  []string{"dataset", "model", "*?", "seed?"},
		Columns: []string{"dev_accuracy", "test_accuracy", "epochs", "parameters"}, Paper: "classifier", adjust: classifiers,
	},
	{
		Name: "divlstm", Title: "Conicity of the Diversity-LSTM, and its accuracy on dev sentences and on the {test set}.", From: FromDivLSTM,
		Labels: []string{"dataset", "lambda_con", "*?", "seed?"},
		Columns: []string{
			"dev_accuracy", "test_accuracy", "conicity", "epochs", "top_attention", "evidence_found", "restarts",
		},
		Paper: "divlstm", adjust: attention,
	},
	{
		Name: "attribution", Title: "Comparison of attribution methods on masked test sentences.", From: FromMasks,
		Labels: []string{"dataset", "method", "lambda_con", "lambda_eps", "policy?", "*?", "seed?"},
		Columns: []string{
			"masked_share", "none_masked", "all_masked", "accuracy", "masked_s_bleu", "char_s_bleu",
		},
		Legend: []string{"Acc.% is the accuracy of the evaluation classifier on the masked text; lower means that less of the " +
			"style is left. s-BLEU compares the masked text with its source; higher means that more of the content is left."},
		Notes: []string{"Gradient methods explain the sentence's own style; attention is not told the style."},
		Paper: "attribution", order: func(r *Record) int { return methodRank(r.Axis("method")) },
	},
	{
		Name: "tuning", Title: "Settings that were tried on dev sentences.", From: FromTuning,
		Labels:  []string{"dataset?", "method?", "*?", "tried_mask", "tried_style_cost", "tried_style", "seed?", "chosen"},
		Columns: []string{"masked_share", "reached", "content_kept", "fluency_kept", "tuning_score"},
		Legend: []string{"*: the setting that was chosen. First masks are tried; a larger share must be a point better. Then style cost and " +
			"style change, one at a time."},
	},
	{Name: "examples", From: FromExamples}, // built by Examples
}

// Names returns the names of the tables for which of(spec) is true.
func Names(of func(*Spec) bool) (names []string) {
	for i := range Specs {
		if of(&Specs[i]) {
			names = append(names, Specs[i].Name)
		}
	}
	return names
}

// Build builds the table with the given name.
func Build(name string, records []*Record, about About) *table.Table {
	i := slices.IndexFunc(Specs, func(s Spec) bool { return s.Name == name })
	return Specs[i].Table(records, about)
}

// minorInMain lists the columns of the table "main" that narrow screens leave out.
var minorInMain = []string{"r_bleu_all", newWordKey}

// inGroup returns the keys of the metrics in a group.
func inGroup(group metrics.Group) []string {
	all := lists.Filter(metrics.Columns(), func(m *metrics.Metric) bool { return m.Group == group })
	return lists.Map(all, func(m *metrics.Metric) string { return m.Key })
}

// The following functions change tables that need more than a list of keys.

// contentRanges explains what the metrics of content preservation mean, gives the range of each,
// and gives ranked metrics a third decimal.
func contentRanges(b *builder) {
	note := "Content preservation compares each output with its source: the mean over directions. Higher keeps more of the " +
		"source, so a system that changes nothing is best."
	var ranges []string
	for _, m := range []struct{ key, text string }{
		{"meteor", "METEOR 0 to 1"},
		{"rouge_l", "ROUGE-L 0 to 1"},
		{"cider", "CIDEr 0 to 10"},
		{"embedding_average", "cosines of word vectors -1 to 1"},
		{"s_bertscore", "BERTScore mostly 0 to 1"},
		{"s_cosine", "cosines of sentence embeddings -1 to 1"},
	} {
		if slices.ContainsFunc(b.values, func(c column) bool { return c.Key == m.key }) {
			ranges = append(ranges, m.text)
		}
	}
	if ranges != nil {
		note += " Ranges: " + strings.Join(ranges, ", ") + "."
	}
	b.Defines = []string{note}
	// With two decimals, many systems would have the same number.
	for j, c := range b.values {
		if m := metrics.ColumnsOf(c.Key)[0]; m.Better != metrics.Neither && m.Decimals == 2 {
			more := *m
			more.Decimals = 3
			b.values[j].cell = valueColumn(&more).cell
		}
	}
}

// intervals adds the columns of all metrics that have bootstrap intervals. Wide tables may leave
// out metrics that are not in the table "main".
func intervals(b *builder) {
	var keys []string
	for _, r := range b.rows {
		keys = lists.AddOnce(keys, sortedKeys(r.Scores.Intervals)...)
	}
	for _, m := range metrics.ColumnsOf(keys...) {
		c := valueColumn(m).withInterval()
		c.Minor = m.Group != metrics.GroupResults
		b.values = append(b.values, c)
	}
	collapse, _ := valueColumns(newWordKey, b.rows)
	collapse[0].Minor = true // it has no interval
	b.values = append(b.values, collapse...)
}

// classifiers adds notes on the purpose of each classifier.
func classifiers(b *builder) {
	for _, n := range []struct{ model, note string }{
		{"classifier", "The evaluation classifier, which alone computes TST%, is a Bi-LSTM."},
		{"fasttext", "The fastText-like classifier is shown for comparison, as in the paper."},
		{"unseen-cnn", "The judge of TST% unseen is trained on text that no other part of the study reads, and its dev " +
			"sentences are from that text."},
	} {
		if b.any(func(r *Record) bool { return r.Axis("model") == n.model }) {
			b.Table.Notes = append(b.Table.Notes, n.note)
		}
	}
}

// These are keys of Record.Text. A text with the key OffStyle means that a model's attention is not
// on style words. The text with the key StyleNames gives the order of the styles in the column
// "evidence found".
const (
	OffStyle   = "off_style"
	StyleNames = "styles"
)

// These texts are notes on Diversity-LSTMs.
const (
	offStyleNote = "In %d of %s the attention is not on style words: evidence found is below 0.25 in a style. " +
		"Their masks, and all models trained on them, mean little."
	silentNote = "A style has no number in the column evidence found if hardly any of its sentences is decided by one word: " +
		"they are recognised by several words together, or because other styles' words are absent. Attention is judged on the " +
		"other styles. If it lies after their telling words in 90 % of the sentences, training does not start again, unless " +
		"the LSTM is bidirectional."
	mixtureNote = "No published work uses lambda_con of 5 or more with a mean cross-entropy. The paper's 10 and 20 belong " +
		"to the authors' code, which sums the cross-entropy. Mohankumar et al. use 0.5 with the mean."
	heavyCon = 5 // a lambda_con this large is probably a mistake
)

// attention splits the column "evidence found" by style. It adds notes if a model's attention is
// not on style words, if a style has no words of its own, and if lambda_con is too high.
func attention(b *builder) {
	for j := range b.values {
		if b.values[j].Key == "evidence_found" {
			b.values[j] = b.values[j].byStyle(b.rows)
		}
	}
	for _, r := range b.rows {
		if styles := r.Text[StyleNames]; styles != "" {
			b.Table.Order = lists.AddOnce(b.Table.Order, "evidence found on "+r.Dataset()+": "+styles+".")
		}
	}
	if off := len(lists.Filter(b.rows, func(r *Record) bool { return r.Text[OffStyle] != "" })); off > 0 {
		b.Table.Notes = append(b.Table.Notes, fmt.Sprintf(offStyleNote, off, wording.Count(len(b.rows), "training")))
	}
	if b.any(func(r *Record) bool { return strings.Contains(r.Text["evidence_found"], table.Absent) }) {
		b.Table.Notes = append(b.Table.Notes, silentNote)
	}
	if b.any(func(r *Record) bool {
		con, err := strconv.ParseFloat(r.Axis("lambda_con"), 64)
		return err == nil && con >= heavyCon
	}) {
		b.Table.Notes = append(b.Table.Notes, mixtureNote)
	}
}

// methods lists the attribution methods in the order and with the names of the paper's table. The
// paper mentions "Attention * X" only in its text. "Random" is our own method.
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

// methodName returns the display name of a method, or its key if the method is unknown.
func methodName(key string) string {
	if i := methodRank(key); i < len(methods) {
		return methods[i].name
	}
	return key
}

// methodRank returns the position of a method in the table. Unknown methods come last.
func methodRank(key string) int {
	for i, m := range methods {
		if string(m.key) == key {
			return i
		}
	}
	return len(methods)
}
