// Package arrows holds the test of the project's layering: which package may import which, and that
// gotch, and with it libtorch, stays behind internal/torch. The rules are in rules_test.go; the
// reasons are in docs/decisions.
package arrows
