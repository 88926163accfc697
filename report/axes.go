package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Axis is one swept setting and its value at a point.
type Axis = recipe.Axis

// axisKeys returns every key of the rows' axes, in order of first appearance.
func axisKeys(all [][]Axis) []string {
	var keys []string
	for _, axes := range all {
		for _, a := range axes {
			keys = lists.AddOnce(keys, a.Key)
		}
	}
	return keys
}

// Differing returns the keys whose values differ between rows, in order of first appearance. A row
// without a key differs from rows that have it. The keys in own are left out, because they have
// their own columns; "lambda_eps" in own also leaves out a key such as "masking.lambda_eps".
func Differing(all [][]Axis, own ...string) []string {
	return slices.DeleteFunc(axisKeys(all), func(key string) bool {
		if slices.Contains(own, key[strings.LastIndexByte(key, '.')+1:]) {
			return true
		}
		return !slices.ContainsFunc(all, func(axes []Axis) bool { return axisText(key, axes) != axisText(key, all[0]) })
	})
}

// axisColumn returns the column of a numeric setting.
func axisColumn[R any](key string, of func(*R) string) column[R] {
	c := right(key, key, of)
	c.Setting = true
	return c
}

// axisColumns returns one column per key. A row without the setting, such as a published system,
// has an empty cell. Numbers are right-aligned, words left-aligned.
func axisColumns[R any](keys []string, all [][]Axis, of func(*R) []Axis) []column[R] {
	var columns []column[R]
	for _, key := range keys {
		c := axisColumn(key, func(r *R) string { return axisText(key, of(r)) })
		for _, axes := range all {
			text := axisText(key, axes)
			if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" {
				c.Align = table.Left
			}
		}
		columns = append(columns, c)
	}
	return columns
}

// axisText returns the value of a key as text, "" if axes lack it.
func axisText(key string, axes []Axis) string {
	return recipe.Answer(recipe.AxisValue(axes, key))
}

// axesText lists axes on one line: "lambda_eps 0.15, lambda_con 10".
func axesText(axes []Axis) string {
	return strings.Join(lists.Map(axes, Axis.Text), ", ")
}
