// Package lists has the few loops over slices that package slices lacks.
package lists

import "slices"

// Map returns what f makes of each element.
func Map[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Where returns the elements of which holds is true, in a list of its own.
func Where[T any](list []T, holds func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !holds(x) })
}

// AddOnce appends those of some elements that the list has not.
func AddOnce[T comparable](list []T, some ...T) []T {
	for _, x := range some {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}
