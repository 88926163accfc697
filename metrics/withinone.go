package metrics

import "fmt"

// tstWithinOne is the percentage of outputs that the evaluation classifier assigns to the target
// style or to a neighbouring one, for styles with an order such as review stars. Tables do not rank
// by this metric, because an unchanged source counts as a success if its style is next to the
// target style.
var tstWithinOne = &Metric{
	Key: "tst_within_one", Head: "TST%\nwithin 1", Decimals: 1, Group: GroupResults, pooled: true,
	tested: true,
	Note: "TST% within 1: outputs whose style, by the classifier of the column TST%, is at most one step from the one " +
		"asked for; a source that is left unchanged may count.",
	signature: whereAny((*measured).ordered, func(dirs []*measured) string {
		return fmt.Sprintf("tst|level:micro|classifier:%s|within:1-step|version:1",
			joinNames(dirs, func(d *measured) string { return d.Classifier }))
	}),
	records: []record{{"within_one", func(m *measured) [][]float64 {
		if !m.ordered() {
			return nil
		}
		return m.matches(m.Predicted, func(style int) bool { return max(style-m.Target, m.Target-style) <= 1 })
	}}},
	needs: []string{"within_one"},
	total: func(t *totals) float64 { return 100 * t.sum("within_one") / float64(t.n) },
}

// The method ordered reports whether the styles have an order and the outputs were classified.
func (m *measured) ordered() bool { return m.Ordered && m.classified() }
