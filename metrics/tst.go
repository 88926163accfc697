package metrics

import "fmt"

// tst is TST%: the percentage of outputs that the evaluation classifier takes for the target style.
var tst = tstBy("tst", "right", Metric{
	Head: "TST%", Better: Higher, Group: GroupResults, tested: true,
	Note: "TST%: outputs in which the evaluation classifier finds the target style.",
}, func(in *Input) Judged { return Judged{in.Classifier, in.Predicted} })

// tstUnseen is the same by a judge that is trained on text which neither the models nor what
// guides, selects or evaluates them has read. What guide and evaluation classifier read is one
// text: that these two agree may mean that they have the same gaps.
var tstUnseen = tstBy("tst_unseen", "right_unseen", Metric{
	Head: "TST%\nunseen", Better: Higher, Group: GroupResults, tested: true,
	Note: "TST% unseen: TST% by a classifier that is trained on text that no other part of the study reads.",
}, func(in *Input) Judged { return in.Judges["unseen"] })

// tstByFastText is the same by a judge of another kind: it sees a system that fools one classifier
// alone.
var tstByFastText = tstBy("tst_fasttext", "right_fasttext", Metric{
	Head: "TST%\nfastText", Group: GroupFluency, Note: "TST% fastText: TST% by a classifier of another kind.",
}, func(in *Input) Judged { return in.Judges["fasttext"] })

// tstBy fills in the percentage of outputs that a judge takes for the target style.
func tstBy(key, counted string, m Metric, judged func(*Input) Judged) *Metric {
	m.Key, m.Decimals, m.pooled = key, 1, true
	asked := func(d *measured) bool { return judged(d.Input).Styles != nil }
	m.signature = whereAny(asked, func(dirs []*measured) string {
		return fmt.Sprintf("tst|level:micro|classifier:%s|version:1",
			joinNames(dirs, func(d *measured) string { return judged(d.Input).Name }))
	})
	m.records = []record{{counted, flagType, func(d *measured) [][]float64 {
		return d.right(judged(d.Input).Styles)
	}}}
	m.needs = []string{counted}
	m.total = func(t *totals) float64 { return 100 * t.sum(counted) / float64(t.n) }
	return &m
}

// Judged is what a classifier says of outputs.
type Judged struct {
	Name   string // of the classifier, for the signature; may be ""
	Styles []int  // of each output; nil: it was not asked
}

// right says of each output, 0 or 1, whether a classifier finds the target style; an output of no
// words has no style.
func (m *measured) right(styles []int) [][]float64 {
	return m.such(styles, func(style int) bool { return style == m.Target })
}

// such says of each output, 0 or 1, whether a classifier finds such a style.
func (m *measured) such(styles []int, is func(style int) bool) [][]float64 {
	if styles == nil {
		return nil
	}
	found := make([]float64, len(m.Output))
	for i, style := range styles {
		if len(m.Output[i]) > 0 && is(style) {
			found[i] = 1
		}
	}
	return single(found)
}

func (m *measured) classified() bool { return m.Predicted != nil }
