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

// Where returns the elements for which holds is true, in a new list.
func Where[T any](list []T, holds func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !holds(x) })
}

// AddOnce appends those elements of some that list does not have yet.
func AddOnce[T comparable](list []T, some ...T) []T {
	for _, x := range some {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}
