package metrics

import "fmt"

// tst is TST%: the percentage of outputs that the evaluation classifier assigns to the target
// style.
var tst = tstBy("tst", "right", Metric{
	Head: "TST%", Better: Higher, Group: GroupResults, tested: true,
	Note: "TST%: outputs in which the evaluation classifier finds the target style.",
}, func(in *Input) Judged { return Judged{in.Classifier, in.Predicted} })

// leastTST is the smallest TST% that a ranked system may have. Below this limit, the other metrics
// mostly measure how well the system copies. On Yelp, a copy of the sources has a TST% of 3. Only
// one of the published systems in docs/results is below the limit (StyleEmbedding, 8), and the next
// is above 20. The limit applies to all directions together, because in a single direction between
// neighbouring styles, such as four and five stars, a good system may have less.
const leastTST = 20.0

// tstUnseen is TST% by a classifier trained on text that no other part of the study reads. The
// evaluation classifier and the classifier that guides decoding are trained on the same text, so
// they may have the same blind spots.
var tstUnseen = tstBy("tst_unseen", "right_unseen", Metric{
	Head: "TST%\nunseen", Better: Higher, Group: GroupResults, tested: true,
	Note: "TST% unseen: TST% by a classifier that is trained on text that no other part of the study reads.",
}, func(in *Input) Judged { return in.Judges["unseen"] })

// tstByFastText is TST% by a different kind of classifier. It exposes a system that fools only the
// evaluation classifier. It is no independent judge of our own systems, because the same classifier
// chooses their settings on dev outputs.
var tstByFastText = tstBy("tst_fasttext", "right_fasttext", Metric{
	Head: "TST%\nfastText", Group: GroupFluency, Note: "TST% fastText: TST% by the selector, a classifier of another kind, which also chooses settings on dev outputs.",
}, func(in *Input) Judged { return in.Judges["fasttext"] })

// tstBy completes m, the metric with the given key: the percentage of outputs that a classifier
// assigns to the target style. The function judged returns the classifier's predictions. In the
// records, the number of the key counted is 1 for an output in the target style, else 0.
func tstBy(key, counted string, m Metric, judged func(*Input) Judged) *Metric {
	m.Key, m.Decimals, m.Most, m.pooled = key, 1, 100, true
	judges := func(d *measured) bool { return judged(d.Input).Styles != nil }
	m.signature = whereAny(judges, func(dirs []*measured) string {
		return fmt.Sprintf("tst|level:micro|classifier:%s|version:1",
			joinNames(dirs, func(d *measured) string { return judged(d.Input).Name }))
	})
	m.records = []record{{counted, func(d *measured) [][]float64 {
		return d.right(judged(d.Input).Styles)
	}}}
	m.needs = []string{counted}
	m.total = func(t *totals) float64 { return 100 * t.sum(counted) / float64(t.n) }
	return &m
}

// Judged holds a classifier's predictions for the outputs.
type Judged struct {
	Name   string // name of the classifier, for the signature; may be ""
	Styles []int  // predicted style of each output; nil if there are no predictions
}

// The method right returns 1 for each output that a classifier assigns to the target style,
// otherwise 0. An output without words has no style.
func (m *measured) right(styles []int) [][]float64 {
	if styles == nil {
		return nil
	}
	matched := make([]float64, len(m.Output))
	for i, style := range styles {
		if len(m.Output[i]) > 0 && style == m.Target {
			matched[i] = 1
		}
	}
	return single(matched)
}

func (m *measured) classified() bool { return m.Predicted != nil }
