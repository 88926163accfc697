package metrics

import "strings"

// DifferReferences is Differ of people's rewrites.
func DifferReferences(sources, references [][]string) string {
	return strings.ReplaceAll(Differ(sources, references), "the outputs", "the references")
}
