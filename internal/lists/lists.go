// Package lists has a few slice functions that package slices lacks.
package lists

import "slices"

// Map returns the results of f for each element.
func Map[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Filter returns the elements that meet the condition, in a new list.
func Filter[T any](list []T, condition func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !condition(x) })
}

// AddOnce appends the values that list does not have yet.
func AddOnce[T comparable](list []T, values ...T) []T {
	for _, x := range values {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}
