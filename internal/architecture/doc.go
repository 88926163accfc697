// Package architecture holds only tests of the source tree. They check which package may import
// which, that only internal/torch imports gotch, that exported names are used elsewhere, that each
// package has one comment, that docs/map.md names files that exist, and how wide lines are.
package architecture
