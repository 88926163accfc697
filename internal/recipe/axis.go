// Package recipe defines the settings of models and of their training as Go types. The experiment
// file, the plan and the models share these types, so no setting has to be copied from one struct
// to another. Package recipe imports no other package of the project except internal/userr. The
// settings of masks are in masking/policy. The tags of the fields are explained at
// experiment.Settings.
package recipe

import "strings"

// Choices returns a type's values as plain strings.
func Choices[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// Axis is a setting that a parameter sweep varies, with one of its values.
type Axis struct {
	Key   string // such as "lambda_eps"; begins with the TOML table, as in "smlm.dropout", if several have this key
	Value string
}

// Text returns the setting as words for a sentence: "lambda_eps 0.15".
func (a Axis) Text() string { return a.Key + " " + Answer(a.Value) }

// NamesSystem reports whether the setting is part of a system's name in the main table and in
// figures. Results that differ only in other settings belong to the same system.
func (a Axis) NamesSystem() bool { return a.Key == "masking" || a.Key == "decoding" }

// Answer returns "yes" for "true", "no" for "false", and any other value unchanged.
func Answer(value string) string {
	switch value {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return value
}

// AxisWords returns each setting as text with its key and its unchanged value: "lambda_eps 0.5".
func AxisWords(axes []Axis) []string {
	words := make([]string, len(axes))
	for i, a := range axes {
		words[i] = strings.TrimRight(a.Key+" "+a.Value, " ")
	}
	return words
}

// AxisValue returns the value of the axis with the given key, or "" if there is no such axis.
func AxisValue(axes []Axis, key string) string {
	for _, a := range axes {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}
