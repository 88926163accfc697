package metrics

import "fmt"

// tst is TST%: the percentage of outputs that the evaluation classifier takes for the target style.
var tst = &Metric{
	Key: "tst", Head: "TST%", Decimals: 1, Better: Higher, Group: GroupResults, pooled: true, tested: true,
	signature: where((*measured).classified, func(both [2]*measured) string {
		return fmt.Sprintf("tst|level:micro|classifier:%s|version:1", oneOrBoth(both[0].Classifier, both[1].Classifier))
	}),
	records: []record{{"right", flag, (*measured).right}},
	needs:   []string{"right"},
	total:   func(t *totals) float64 { return 100 * t.sum("right") / float64(t.n) },
}

func (m *measured) classified() bool { return m.Predicted != nil }

// right says of each output, 0 or 1, whether the classifier finds the target style.
func (m *measured) right() [][]float64 {
	if m.Predicted == nil {
		return nil
	}
	right := make([]float64, len(m.Output))
	for i, style := range m.Predicted {
		if style == m.Target {
			right[i] = 1
		}
	}
	return single(right)
}
