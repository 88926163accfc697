// Package architecture holds only tests of the source tree. They check the imports between
// packages, that other packages use exported names, that each package has one package comment, that
// the files named in docs/map.md exist, how wide lines are, and that the numbers on result pages
// are in CSV files.
package architecture
