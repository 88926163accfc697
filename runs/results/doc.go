// Package results gathers what finished stages measured: Collect reads it into rows, which become
// tables, figures and one page. Nothing here computes a metric or runs a network, and what is not
// finished is left out and counted.
package results
