package report

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// attributionColumns are the columns that a table has only for some rows.
type attributionColumns struct {
	policy, seed, gap bool
	keys              []string
	axes              []Column
}

func attributionColumnsOf(rows []AttributionRow) attributionColumns {
	var c attributionColumns
	seeds, axes := make([]uint64, len(rows)), make([][]Axis, len(rows))
	var last policy.Name
	for i, r := range rows {
		seeds[i], axes[i] = r.Seed, r.Axes
		c.gap = c.gap || r.Gap != nil
		if r.Method == policy.NoMasking || r.Method == policy.Random {
			continue // their policy follows from the method
		}
		c.policy = c.policy || last != "" && r.Policy != last
		last = r.Policy
	}
	c.seed = severalSeeds(seeds)
	c.keys = differing(axes, "lambda_con", "lambda_eps", "lambda_eps_gradients", "policy")
	c.axes = axisColumns(c.keys, axes)
	return c
}

// cells formats one row.
func (c *attributionColumns) cells(r *AttributionRow) []Cell {
	lambdaCon, rule := plain(r.LambdaCon), string(r.Policy)
	if r.Method == policy.NoMasking {
		lambdaCon, rule = Absent, Absent
	}
	cells := []Cell{{Text: r.Dataset}, {Text: methodName(r.Method)}, {Text: lambdaCon}, optional(r.LambdaEps, plain)}
	if c.policy {
		cells = append(cells, Cell{Text: rule})
	}
	cells = append(cells, axisCells(c.keys, r.Axes)...)
	if c.seed {
		cells = append(cells, Cell{Text: fmt.Sprint(r.Seed)})
	}
	cells = append(cells, Cell{Text: decimals(100*r.MaskedShare, 1)}, Cell{Text: thousands(r.NoneMasked)}, Cell{Text: thousands(r.AllMasked)},
		Cell{Text: decimals(r.Accuracy, 1)}, Cell{Text: decimals(r.SBLEU, 1)}, Cell{Text: decimals(r.CharBLEU, 1)})
	if c.gap {
		gap := Absent
		if r.Gap != nil && r.Change != nil {
			gap = decimals(100**r.Gap / *r.Change, 2)
		}
		cells = append(cells, Cell{Text: gap})
	}
	return cells
}
