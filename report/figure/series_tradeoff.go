package figure

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/report"
)

// TradeOff has a panel a data set, and a point a system and setting of the sweep; seeds are a mean
// with its deviation. It is nil where no row has both figures.
func TradeOffOf(rows []report.ResultRow) Figure {
	f, at := TradeOff{}, map[string]int{}
	both := lists.Where(rows, func(row report.ResultRow) bool {
		_, style := row.Metrics.Metrics["tst"]
		_, content := row.Metrics.Metrics["s_bleu"]
		return style && content
	})
	for _, group := range report.BySeed(both) {
		some := make([]report.ResultRow, len(group))
		for i, k := range group {
			some[i] = both[k]
		}
		k, known := at[some[0].Dataset]
		if !known {
			k, at[some[0].Dataset] = len(f.Panels), len(f.Panels)
			f.Panels = append(f.Panels, TradeOffPanel{Title: some[0].Dataset})
		}
		f.Panels[k].Points = append(f.Panels[k].Points, tradeOffPoint(some))
	}
	if len(f.Panels) == 0 {
		return nil
	}
	if len(f.Panels) > 1 {
		f.Size.Width = 17
	}
	return f
}

// tradeOffPoint is that of rows that differ in the seed alone.
func tradeOffPoint(rows []report.ResultRow) TradeOffPoint {
	of := func(key string) Value {
		return *overSeeds(rows, func(row report.ResultRow) float64 { return row.Metrics.Metrics[key] })
	}
	return TradeOffPoint{
		Name: report.SystemOf(&rows[0]), Published: rows[0].Published,
		Collapsed: slices.ContainsFunc(rows, func(row report.ResultRow) bool { return row.Metrics.Collapsed() }),
		// the human references
		People: slices.ContainsFunc(rows, func(row report.ResultRow) bool { return row.Unranked }),
		SBLEU:  of("s_bleu"), TST: of("tst"),
	}
}
