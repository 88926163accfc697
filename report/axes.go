package report

import (
	"slices"
	"strconv"
	"strings"
)

// Axis is one swept setting and its value at a point.
type Axis struct{ Key, Value string }

// axisTeX prints the paper's symbols.
var axisTeX = map[string]string{
	"lambda_con": `$\lambda_{con}$`,
	"lambda_eps": `$\lambda_{\epsilon}$`,
	"lambda_sta": `$\lambda_{sta}$`,
	"lambda_rec": `$\lambda_{rec}$`,
}

// axisKeys returns every key of the rows' axes, in order of first appearance.
func axisKeys(all [][]Axis) []string {
	var keys []string
	seen := map[string]bool{}
	for _, axes := range all {
		for _, a := range axes {
			if !seen[a.Key] {
				seen[a.Key] = true
				keys = append(keys, a.Key)
			}
		}
	}
	return keys
}

// differing returns the keys on which the rows do not all agree, in order of first appearance; a row without a key does not
// agree with one that has it. Keys that have columns of their own are left out, with a table in front or without.
func differing(all [][]Axis, own ...string) []string {
	return slices.DeleteFunc(axisKeys(all), func(key string) bool {
		if slices.Contains(own, key[strings.LastIndexByte(key, '.')+1:]) {
			return true
		}
		return !slices.ContainsFunc(all, func(axes []Axis) bool { return axisText(key, axes) != axisText(key, all[0]) })
	})
}

// axisColumn is the column of an axis whose values are numbers.
func axisColumn(key string) Column {
	return Column{Head: key, TeX: axisTeX[key], Align: Right, key: key, setting: true}
}

// axisColumns returns one column a key. Numbers stand to the right, words to the left.
func axisColumns(keys []string, all [][]Axis) []Column {
	columns := make([]Column, len(keys))
	for i, key := range keys {
		columns[i] = axisColumn(key)
		for _, axes := range all {
			text := axisText(key, axes)
			if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" {
				columns[i].Align = Left
			}
		}
	}
	return columns
}

// axisText returns the value of a key, "" where axes have none, and switches as a person would write them.
func axisText(key string, axes []Axis) string {
	for _, a := range axes {
		if a.Key == key {
			return axisValue(a.Value)
		}
	}
	return ""
}

func axisValue(v string) string {
	switch v {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return v
}

// axisCells returns one cell a key; a row without that axis (a published system) has an empty one.
func axisCells(keys []string, axes []Axis) []Cell {
	cells := make([]Cell, len(keys))
	for i, key := range keys {
		cells[i].Text = axisText(key, axes)
	}
	return cells
}

// axesText writes axes in a line: "lambda_eps 0.15, lambda_con 10".
func axesText(axes []Axis) string {
	s := ""
	for i, a := range axes {
		if i > 0 {
			s += ", "
		}
		s += a.Key + " " + axisValue(a.Value)
	}
	return s
}
