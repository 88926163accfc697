package stages

import (
	"context"

	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// MaskScore is the stage that measures how much style and how much content remain after masking.
const MaskScore stage.Name = "mask-score"

var maskScoreStage = stage.Definition{
	Name: MaskScore, Version: 2, Scope: stage.OfMethod, Inputs: "prepare, mask, test, test-mask, vocab, classifier",
	Reads: func(p stage.Point) stage.Inputs {
		return trainText(p).And(stage.Inputs{
			"mask": at(Mask, p), "test": at(TestSet, p), "test-mask": at(Mask, p.With(corpus.Test.String())),
			"classifier": at(Classifier, p),
		})
	},
	Shown: stage.Point.Masks, Records: maskRecords,
	Files: "`result.json`: for each of `dev` and `test`: `masked_share` (0-1); the numbers of sentences `all_masked` " +
		"and `none_masked`; in percent, `accuracy` (evaluation classifier on masked text), `s_bleu` and `char_s_bleu`",
	Run: onTorch(maskScore),
}

// MaskScores is the content of result.json.
type MaskScores struct {
	Dev  MaskResult `json:"dev"`
	Test MaskResult `json:"test"`
}

// MaskResult is the result for one split.
type MaskResult struct {
	MaskedShare float64 `json:"masked_share"` // share of the words that are masked, 0-1
	AllMasked   int     `json:"all_masked"`   // number of sentences with every word masked
	NoneMasked  int     `json:"none_masked"`
	Accuracy    float64 `json:"accuracy"` // accuracy of the evaluation classifier on masked text, in percent
	// SBLEU is the corpus BLEU-4 of masked text against its source, in percent, a mean over the
	// styles.
	SBLEU    float64 `json:"s_bleu"`
	CharBLEU float64 `json:"char_s_bleu"`
}

// maskRecords returns the record of the masks of test sentences.
func maskRecords(f stage.Finished) ([]*report.Record, error) {
	p, mask := f.At(), f.Input("test-mask")
	var scores MaskScores
	if err := f.Read("result.json", &scores); err != nil {
		return nil, err
	}
	s := mask.Settings().(MaskSettings)
	axes := map[string]string{"lambda_con": table.Absent, "lambda_eps": table.Absent, "policy": table.Absent}
	if p.Method != policy.NoMasking {
		axes["lambda_con"] = table.Short(divLSTMSettings(p).LambdaCon)
	}
	if s.Name == policy.Surplus {
		axes["lambda_eps"] = s.LambdaEps.String()
	}
	if p.Method != policy.NoMasking && p.Method != policy.Random { // these two methods have no policy of their own
		axes["policy"] = string(s.Name)
	}
	r := report.NewRecord(report.FromMasks, p.Dataset, p.Seed, append([]report.Axis{
		{Key: "method", Value: string(p.Method)},
		{Key: "lambda_con", Value: axes["lambda_con"]},
		{Key: "lambda_eps", Value: axes["lambda_eps"]},
		{Key: "policy", Value: axes["policy"]},
	}, f.Axes("lambda_con", "lambda_eps", "lambda_eps_gradients", "masking.policy", "policy")...)...)
	test, err := ReadCounts(f.Input("test"))
	if err != nil {
		return nil, err
	}
	n, _ := test.Size(corpus.Test)
	r.Values = metrics.Values{
		"sentences": float64(n), "masked_share": scores.Test.MaskedShare, "none_masked": float64(scores.Test.NoneMasked),
		"all_masked": float64(scores.Test.AllMasked), "accuracy": scores.Test.Accuracy, "masked_s_bleu": scores.Test.SBLEU,
		"char_s_bleu": scores.Test.CharBLEU,
	}
	if p.Method == policy.NoMasking || s.Name == policy.Surplus { // the paper's table has only the policy "surplus"
		r.Paper = string(p.Method)
	}
	return []*report.Record{r}, nil
}

// maskScore measures how much style and how much content remain after masking (the paper, table
// "Comparison of quality of Style-Masking"). It computes the accuracy of the evaluation classifier
// on masked text, and the BLEU of masked text against the source.
func maskScore(ctx context.Context, job *stage.Job) error {
	t, err := loadText(job, corpus.Dev, corpus.Test)
	if err != nil {
		return err
	}
	m, err := loadClassifier(job.Inputs["classifier"])
	if err != nil {
		return err
	}
	defer m.Params.Free()
	var out MaskScores
	if out.Dev, err = scoreMasks(ctx, job, t, m, corpus.Dev); err != nil {
		return err
	}
	if out.Test, err = scoreMasks(ctx, job, t, m, corpus.Test); err != nil {
		return err
	}
	return writeJSON(job.Dir, "result.json", out)
}

func scoreMasks(ctx context.Context, job *stage.Job, t *text, m *classifier.BiLSTM,
	split corpus.Split,
) (r MaskResult, err error) {
	d, err := t.masked(job, split)
	if err != nil {
		return r, err
	}
	masks := d.Masks
	d.IDs = masked(d.IDs, masks, corpus.MaskID)
	v, err := m.Evaluate(ctx, d)
	if err != nil {
		return r, err
	}
	c := policy.Count(masks)
	r = MaskResult{MaskedShare: c.Share(), AllMasked: c.All, NoneMasked: c.None, Accuracy: v.Accuracy}
	for style, masks := range byStyle(t, split, masks) {
		source := t.Text[split][style]
		r.SBLEU += metrics.BLEU4(masked(source, masks, corpus.MaskToken), source)
		r.CharBLEU += charBLEU(source, masks)
	}
	n := float64(t.Labels.N())
	r.SBLEU, r.CharBLEU = r.SBLEU/n, r.CharBLEU/n
	return r, nil
}

// The function masked returns sentences with a token in place of masked words.
func masked[W any](sentences [][]W, masks [][]bool, token W) [][]W {
	out := make([][]W, len(sentences))
	for i, words := range sentences {
		out[i] = corpus.Masked(words, masks[i], token)
	}
	return out
}

// charBLEU returns the metrics.CharBLEU of one style's masked sentences. The metric depends on the
// spelling of the mask token. With the spelling in the authors' code, the values can be compared
// with the authors' values.
func charBLEU(source [][]string, masks [][]bool) float64 {
	return metrics.CharBLEU(masked(source, masks, "<blank>"), source)
}
