package report

import "slices"

// NoMasking is the key of the attribution method that hides nothing.
const NoMasking = "none"

// methods are the attribution methods in the order of the paper's table, by their keys in experiment files, with their names
// there. The random one is ours.
var methods = []struct{ key, name string }{
	{"vanilla_attention", "Vanilla Attention (VA)"},
	{"explainable_attention", "Explainable Attention (EA)"},
	{"gradients", "Vanilla Gradients"},
	{"gradients_x_input", "Gradients * X"},
	{"integrated_gradients", "Integrated Gradients"},
	{"random", "Random"},
	{NoMasking, "No Masking"},
}

// methodName returns the name of a method, or the key itself where it is not one of methods.
func methodName(key string) string {
	if i := methodRank(key); i < len(methods) {
		return methods[i].name
	}
	return key
}

// methodRank returns the place of a method in the table; unknown ones come last.
func methodRank(key string) int {
	for i, m := range methods {
		if m.key == key {
			return i
		}
	}
	return len(methods)
}

// inMethodOrder returns rows by data set, in order of first appearance, and within one by method; otherwise in the order given.
func inMethodOrder(rows []AttributionRow) []AttributionRow {
	order := firstSeen(rows, func(r AttributionRow) string { return r.Dataset })
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b AttributionRow) int {
		if d := order[a.Dataset] - order[b.Dataset]; d != 0 {
			return d
		}
		return methodRank(a.Method) - methodRank(b.Method)
	})
	return rows
}
