package metrics

// mean is the paper's Mean: (TST% + s-BLEU + 100 naturalness) / 3, if all three are known.
var mean = &Metric{
	Key: "mean", Head: "Mean", Decimals: 1, Most: 100, Better: Higher, Group: GroupResults, Place: 4, tested: true,
	Note: "Mean: (TST% + s-BLEU + 100 Nat.) / 3.",
	signature: whereAny((*measured).classified, func(dirs []*measured) string {
		if dirs[0].instruments.Naturalness == nil {
			return ""
		}
		return "mean|(tst+s_bleu+100*naturalness)/3|version:1"
	}),
	fromMetrics: func(v Values) (float64, bool) {
		style, hasStyle := v["tst"]
		content, hasContent := v["s_bleu"]
		natural, hasNatural := v["naturalness"]
		return (style + content + 100*natural) / 3, hasStyle && hasContent && hasNatural
	},
}
