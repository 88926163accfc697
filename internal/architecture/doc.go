// Package architecture holds the tests of how the project is built: which package may import which,
// that gotch, and with it libtorch, stays behind internal/torch, that each package says what it is,
// and how wide lines are. The rules are in rules_test.go; the reasons are in docs/decisions.
package architecture
