package metrics

// maskedShare is the share of the source's words that were masked, 0-1. Only our models have this
// metric, because the masks of other systems are not known.
var maskedShare = &Metric{
	Key: "masked_share", Head: "masked\nwords %", Share: true, Decimals: 1, Group: GroupOther, Detail: true,
	signature: whereAny(
		func(m *measured) bool { return m.Masked != nil },
		constant("masked_share|of:source-words|level:direction|dirs:mean|version:1"),
	),
	fromOutputs: func(m ...*measured) (float64, bool) {
		if m[0].Masked == nil {
			return 0, false
		}
		return *m[0].Masked, true
	},
}
